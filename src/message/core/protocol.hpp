// The steps of a message's way between the entry points (send, receive, probe) and the progress
// loop. Called by layer 6 only.
#pragma once

#include "message/core/engine.hpp"
#include "platform/peer_pause.hpp"

namespace baton::message {

using lockfree::NextOwner;

// What the messages of a job do off the fast paths; chosen at start.
struct Protocol {
  Error (*start)();
  void (*stop)();
  // Makes sending to a peer possible, if it is not; explains on failure. Under the contact lock.
  Error (*begin)(Peer& peer);
  // Takes in what a peer has sent that rang and has no lane to us yet.
  bool (*look)(Peer& peer);
  // Puts what the request stands for, or as much as there is room for; whether that was all. Under
  // the send lock.
  bool (*put)(Peer& peer, Request& request);
  // Makes a receive that was just posted known to its sender, if that may push;
  // and takes it back, unless its sender has claimed it.
  void (*advertise)(const MatchQueue& queue, Request& receive, Process source);
  bool (*close_advert)(Request& receive);
  // Receives an offered message that has met its receive.
  void (*accept)(UnexpectedMessage& unexpected, Request& receive);
  bool carries_active;  // whether active messages go its way
};
extern const Protocol eager_and_rendezvous;  // rendezvous.cpp

// --- arrivals (arrive.cpp).
// Takes in what has come through an inbox; whether anything had.
bool poll_inbox(transport::Inbox& inbox);

// Fills in what the message says; returns the error of a buffer too short for it.
Error settle_envelope(Request& receive, std::int32_t source, std::int32_t tag, std::int64_t bytes);
// So many bytes more are kept for a message's sender, or for all whose lines come as its did.
// Beyond the bound they are asked to send envelopes only; below half of it, anything again.
void account_unexpected(const UnexpectedMessage& unexpected, std::int64_t change);

// --- how lines get to a peer (contact.cpp). All under its send lock.
// Puts a line, or a message in as many as it needs; false, and nothing has happened, when there is
// no room.
bool put_line(Peer& peer, LineKind kind, std::int32_t source, lockfree::Envelope envelope,
              const void* payload, std::size_t bytes);
// A peer that shares its way there gets one of its own, where it is worth it and there is one left.
void get_lane_if_due(Peer& peer);

// Hands a message that a receive has matched to it; frees what was kept of it. False when its offer
// had been withdrawn: the receive is as before.
bool deliver(UnexpectedMessage& unexpected, Request& receive);

// --- sends that do not end at once (rendezvous.cpp).
// Puts what the request stands for on its way, or leaves it queued. Retried by progress.
void submit(Peer& peer, Request& request);
bool drain_queue(Peer& peer);
// Behind all that waits for room there. Under the send lock.
void wait_in_queue(Peer& peer, Request& request);

// --- active messages (active.cpp).
// Puts one that waited, and frees it.
bool put_active(Peer& peer, Request& request);
// Frees one that can never be put.
void drop_active(Request& request);
void arrive_active(Process sender, lockfree::Envelope envelope, const void* payload,
                   std::size_t bytes);
bool run_active_to_self();

// Copies the offered buffer at once where that is the way (pull.cpp); false when it is not, or was
// refused.
bool pull(const UnexpectedMessage& unexpected, Request& receive);
// Pulls what is left of a stream in that its sender has not begun; false when it has, or the kernel
// refuses. Not among threads: it is one long copy.
bool take_back(Request& receive);
// Copies what its sender copies, too; false when our kernel refused. Whether the sender took part.
bool copy_together(transport::Offer& offer, Peer& sender, const char* source, Request& receive,
                   bool* pushed);
// The size of its pieces; 0: too short for that.
std::uint32_t piece_bytes(std::int64_t bytes);
// The sender's side of it: copies pieces while there are any, or so many; how many.
std::uint64_t push_pieces(transport::Offer& offer, Request& send, std::uint64_t most);
// The sender's side: offers that are done, claims that came.
bool poll_offers();
void arrive_cts(const CtsLine& line);
// Withdraws the offer of a send that nobody has matched. False when it was claimed.
bool withdraw(Request& send);

// --- receiver-initiated rendezvous (receiver_initiated.cpp).
// `advertise` and `close_advert` of the protocol.
void advertise_receive(const MatchQueue& queue, Request& receive, Process source);
bool close_receive_advert(Request& receive);
// Before the receive is matched otherwise, or cancelled; false when its sender has claimed it.
inline bool close_advert(Request& receive) {
  return !receive.advert || engine.protocol->close_advert(receive);
}
// Whether an earlier receive that is not advertised could match what this one matches. The sender
// must never choose between receives of which it does not know the first.
bool is_behind_unadvertised(const MatchQueue& queue, const Request& receive);
// The first receive that a send matches, if it is known; its number is 0 if not.
struct Target {
  std::uint64_t number = 0;
  char* address = nullptr;  // there
  bool exported = false;
};
Target find_target(Peer& peer, const Request& send);
// Sends straight into it; false, with nothing done, when that cannot be.
bool redirect(Peer& peer, Request& send, const Target& target);
// A message came that its sender has pushed, or pushes, into a receive: nobody else gets that; and,
// once the line is dropped, what follows.
void take_back_pushed(Peer& peer, const PushedLine& line);
void end_pushed(Peer& peer, const PushedLine& line, std::int32_t source, std::int32_t tag);
// The receiver's side of what both copy (rendezvous.cpp).
void accept_pushed(const PushedLine& line, Request& receive);
// Opens a slot among our offers for a send, or no_slot, or no_memory; gives it up again. The send
// can be withdrawn while its stage is `offered`.
inline constexpr int no_memory = -2;  // explained
int open_slot(Request& send, Stage stage = Stage::offered);
void abandon_slot(std::uint32_t slot);
// The stream of an offer is over: its slot is free.
void end_streamed_offer(Request& send);

// --- streams through staging.
inline constexpr std::int64_t bytes_per_round = 262144;  // guess: fair to other peers
// The sender (stream_out.cpp). Takes a span of staging for the beginning of a send that nobody has
// matched, and says how much of it may go at once: 0 when it should wait for its match, or
// wait_for_room.
inline constexpr std::int64_t wait_for_room = -1;
std::int64_t open_early(Peer& peer, Request& send, bool exported);
// Undoes it: no line has named the span.
void close_early(Peer& peer, Request& send);
// Whether the rest of a send may go through the peer's lease, where its early bytes are.
bool holds_lease(Peer& peer, const Request& send);
// The send is over, or its stream is: others may use the peer's lease.
void let_lease_go(Request& send);
// Writes it. The line that names the window is out.
void fill_early(Peer& peer, Request& send, std::int64_t bytes);
void start_stream_out(Request& send);
bool advance_streams_out();
// The receiver (stream_in.cpp). Copies early bytes behind their sender: to the receive, which may
// want fewer, or to memory. The span is the caller's to give back.
void take_early(const UnexpectedMessage& unexpected, Request& receive);
void take_early(const UnexpectedMessage& unexpected, char* target);
// They are not wanted.
void skip_early(const UnexpectedMessage& unexpected);
// Of a message that was handed over with its window: we may send with that now.
void keep_transferred(Peer& peer, const lockfree::StagingSpan& span);
// What was there is over: its window is free, unless it is leased, or ours now.
void give_back(const lockfree::StagingSpan& span, Process sender);
// A peer has gone on in its lease: the stream that went through it before lies there complete.
// Takes it out, so that what we say we have emptied is true of all before.
void catch_up(const Peer& peer);
// What a staged message has cost: the receiver's time, or its sender's if that was longer, which
// shows when many are under way; both if each of the two had its own to send meanwhile.
std::int64_t cost_of_staged(const Request& receive, bool both_busy);
// Whether its early bytes are all there.
bool is_filled(const UnexpectedMessage& unexpected);
// Numbers the stream that the receive will be; it goes on by itself from when its window is known.
std::uint32_t open_stream(Request& receive);
void start_stream_in(Request& receive);
void arrive_window(const Peer& peer, const WindowLine& line);
bool advance_streams_in();

// --- messages to oneself (self.cpp).
Error send_to_self(Request& send, bool synchronous);
void deliver_local(Request& send, Request& receive);

}  // namespace baton::message
