// Rendezvous entries: sends whose data stays with the sender until its receiver has come. Each has
// a slot in the sender's part of the node's memory, through which the two agree who does what. Used
// by the rendezvous and the deposit models.
#pragma once

#include "message/node/node_messages.hpp"

namespace baton::message {

// --- the sender
// Entries that are done, and those whose receivers share the copying; whether there were any.
bool poll_entries(NodeMessages& node);
// A receiver has asked for a stream.
void arrive_cts(NodePeer& peer, const CtsLine& line);
// Withdraws the entry of a send that nobody has matched. False when it was claimed.
bool withdraw(Request& send);
// Withdraws those that are doomed, into the list.
void withdraw_all(NodeMessages& node, bool (*is_doomed)(const Request& send), List<Request>& taken);
// A receiver is lost: what was offered to it, or streams there, ends with this error.
void fail_entries(NodePeer& receiver, Error error);
// Returns whether its receiver has begun to take it.
bool is_entry_taken(const Request& send);

// --- the receiver
// `claim` and `is_withdrawn` of the protocol.
bool claim_entry(UnexpectedMessage& unexpected);
bool is_entry_withdrawn(const UnexpectedMessage& unexpected);
// The claimed entry is served: its sender may go on.
void end_entry(const NodePeer& sender, std::int32_t slot);

}  // namespace baton::message
