// The counters of messages, by peers, ways and sizes, and the record that this rank makes of them.
#pragma once

#include "base/event.hpp"
#include "message/core/engine.hpp"

namespace baton::message {

// A history of its own, before it has a lane. False when memory is short.
bool give_history(Peer& peer);
// Gives all peers histories of their own, those that are met later, too: tools ask for the messages
// of each. Those for which memory is short keep theirs together.
void part_histories();
// Returns whether its history is its own.
inline bool has_history(const Peer& peer) {
  return &peer.past() != &engine.shared_history[static_cast<int>(peer.peer_class)];
}
// A message that left in one line of a lane of our own. The caller holds the send lock.
BATON_INLINE void count_packed(Peer& peer, std::size_t bytes) {
  static_assert(size_class(8) == 0 && size_class(lockfree::first_line_payload_bytes) == 1);
  Tally& tally = peer.packed[bytes > 8];
  ++tally.messages;
  tally.bytes += bytes;
}
// A message that left through a lane of our own, else. The caller holds the send lock.
BATON_INLINE void count_sent(Peer& peer, Way way, std::size_t bytes) {
  Tally& tally = peer.past().traffic.at(way, static_cast<std::int64_t>(bytes));
  ++tally.messages;
  tally.bytes += bytes;
}
// Tells tools that ask which way a message goes.
inline void tell_way(const Peer& peer, Way way, std::int64_t bytes) {
  if (is_told(Event::protocol_chosen))
    tell(Event::protocol_chosen, EventPlace::inside, 0,
         {bytes, world_rank(peer.process), static_cast<int>(way)});
}
// A message that left or came by a way, wherever it is counted.
inline void count_message(Peer& peer, Way way, std::int64_t bytes) {
  Tally& tally = peer.past().traffic.at(way, bytes);
  count(tally.messages);
  count(tally.bytes, static_cast<std::uint64_t>(bytes));
  tell_way(peer, way, bytes);
}

// Why a message took no cheaper way (account.cpp). Not for eager ones: theirs is the
// cheapest.
void count_reason(const Peer& peer, Reason reason, std::int64_t bytes);
// Fills in the record of all messages to and from all peers so far, and of the reasons for their
// ways.
void sum_up(TrafficRecord& record);

}  // namespace baton::message
