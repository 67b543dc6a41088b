// Messages that came before their receives: memory, what is kept of them for their senders, and
// those whose senders have cancelled them. Used by arrivals, receives, probes, and protocols.
#pragma once

#include "message/core/engine.hpp"

namespace baton::message {

// Messages taken out of matching by MPI_Mprobe.
using MessageTable = HandleTable<UnexpectedMessage, HandleTag::message>;
extern MessageTable messages;

// Memory of unexpected messages; `payload_bytes` follow the head. Null when memory is short.
UnexpectedMessage* new_unexpected(std::int64_t payload_bytes);
void free_unexpected(UnexpectedMessage* unexpected);

// Matches a message for good: from now on its sender cannot cancel it. False, and it is
// gone, when the sender has cancelled it. (deliver.cpp)
bool claim(UnexpectedMessage& unexpected);
// Returns whether its sender has cancelled it by now.
bool is_withdrawn(const UnexpectedMessage& unexpected);

// The first unexpected message that a probe matches; null when none. Drops those that their senders
// have cancelled. Under the queue's lock.
UnexpectedMessage* find_unexpected(MatchQueue& queue, std::int32_t source, std::int32_t tag);

// --- for who makes progress
// A message of a peer, with space for so many bytes of it; ends the job without memory. It is
// counted as unexpected by who keeps it.
UnexpectedMessage& make_unexpected(Peer& peer, Account& account, std::int32_t source,
                                   lockfree::Envelope envelope, std::int64_t payload_bytes);
// Counts so many more bytes of it as kept. Beyond the bound its senders are asked to send envelopes
// only; below half of it, anything again.
void account_unexpected(UnexpectedMessage& unexpected, std::int64_t bytes);
// Frees it with all that was kept.
void drop_unexpected(UnexpectedMessage& unexpected);
// There is no space left to keep a message in: nothing sensible can go on.
[[noreturn]] BATON_COLD void out_of_memory_for_unexpected();

}  // namespace baton::message
