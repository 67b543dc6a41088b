#include "message/core/unexpected.hpp"

#include <cstdlib>
#include <new>

#include "base/settings.hpp"
#include "message/core/protocol.hpp"

namespace baton::message {

MessageTable messages;

UnexpectedMessage* new_unexpected(std::int64_t payload_bytes) {
  void* memory = std::malloc(sizeof(UnexpectedMessage) + static_cast<std::size_t>(payload_bytes));
  return memory ? new (memory) UnexpectedMessage : nullptr;
}

void free_unexpected(UnexpectedMessage* unexpected) {
  std::free(unexpected);
}

void out_of_memory_for_unexpected() {
  BATON_INVARIANT(!"memory for a message that arrived before its receive; raise the memory limit or "
                   "lower BATON_UNEXPECTED_BYTES_MAX");
  __builtin_unreachable();
}

UnexpectedMessage& make_unexpected(Peer& peer, Account& account, std::int32_t source,
                                   lockfree::Envelope envelope, std::int64_t payload_bytes) {
  UnexpectedMessage* unexpected = new_unexpected(payload_bytes);
  if (!unexpected) out_of_memory_for_unexpected();
  unexpected->context = envelope.context;
  unexpected->source = source;
  unexpected->tag = envelope.tag;
  unexpected->process = peer.process;
  unexpected->account = &account;
  return *unexpected;
}

void account_unexpected(UnexpectedMessage& unexpected, std::int64_t bytes) {
  Account& account = *unexpected.account;
  platform::Guard guard(account.lock);
  unexpected.kept_bytes += bytes;
  account.unexpected_bytes += bytes;
  const bool full = account.unexpected_bytes > settings.unexpected_bytes_max;
  const bool relaxed = account.unexpected_bytes <= settings.unexpected_bytes_max / 2;
  if (full == account.envelopes_only || (account.envelopes_only && !relaxed)) return;
  account.envelopes_only = full;
  if (account.tell) account.tell(account.senders, full);
}

void drop_unexpected(UnexpectedMessage& unexpected) {
  if (unexpected.kept_bytes) account_unexpected(unexpected, -unexpected.kept_bytes);
  free_unexpected(&unexpected);
}

namespace {

// Returns whether its sender may still cancel it.
bool may_be_cancelled(const UnexpectedMessage& unexpected) {
  return unexpected.offered && !unexpected.claimed;
}

}  // namespace

bool claim(UnexpectedMessage& unexpected) {
  return !may_be_cancelled(unexpected) || peer_of(unexpected.process).protocol->claim(unexpected);
}

bool is_withdrawn(const UnexpectedMessage& unexpected) {
  return may_be_cancelled(unexpected) &&
         peer_of(unexpected.process).protocol->is_withdrawn(unexpected);
}

UnexpectedMessage* find_unexpected(MatchQueue& queue, std::int32_t source, std::int32_t tag) {
  for (;;) {
    UnexpectedMessage* unexpected = look_for_unexpected(queue, source, tag);
    if (!unexpected || !is_withdrawn(*unexpected)) return unexpected;
    (void)claim(*take_unexpected(queue, source, tag));  // drops it
  }
}

}  // namespace baton::message
