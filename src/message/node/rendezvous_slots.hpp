// The slots of our rendezvous entries: sends whose data stays here until their receivers have come.
// Used by the rendezvous and the deposit models. Invariant: a slot is open from `open_slot` until
// both sides need it no more.
#pragma once

#include "message/node/node_messages.hpp"

namespace baton::message {

inline constexpr int no_memory = -2;
// Opens a slot for a send; no_slot, or no_memory, explained; gives it up again. The send can be
// withdrawn while its stage is `offered`.
int open_slot(Request& send, Stage stage = Stage::offered);
void abandon_slot(NodeMessages& node, std::uint32_t slot);
// The stream of an offered message is over: its slot is free.
void end_streamed_entry(Request& send);

// --- for who holds the slots' lock.
// The send of an open slot; null: it was withdrawn.
Request*& send_of(NodeMessages& node, std::uint32_t slot);
void close_slot(NodeMessages& node, std::uint32_t slot);
inline transport::RendezvousEntry& own_entry(const NodeMessages& node, std::uint32_t slot) {
  return transport::rendezvous_entry(node.own_slot, slot);
}
inline transport::RendezvousEntry& own_entry(const Request& send) {
  return own_entry(node_of(send), node_part(send).slot);
}

}  // namespace baton::message
