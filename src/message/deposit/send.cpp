// The deposit models' sender: a message goes into the receiver's ring in one piece, or in several
// where it meets the ring's end or is longer than the ring.
#include <cstring>

#include "datatype/pack.hpp"
#include "message/core/account.hpp"
#include "message/core/engine.hpp"
#include "message/core/notify.hpp"
#include "message/core/requests.hpp"
#include "message/deposit/peer.hpp"
#include "message/node/rendezvous_entries.hpp"

namespace baton::message {

namespace {

// The first fragment of a synchronous send names a slot, through which the receiver tells that it
// has matched. It cannot be cancelled before its last fragment is put. False: no slot is free.
bool open_slot_for(Request& send, int* slot) {
  *slot = lockfree::no_deposit_slot;
  if (!send.synchronous) return true;
  *slot = open_slot(send, Stage::queued);
  return *slot != no_slot;
}

// Before the last fragment of a synchronous send: now it can be cancelled. Whether that was asked
// for meanwhile, and the receiver has not matched it yet.
bool offer_at_last(Request& send) {
  bool wanted = send.cancelled;
  send.cancelled = false;
  send.stage = Stage::offered;
  return wanted && withdraw(send);
}

// The next fragment in contiguous memory: the program's own, or ours.
const char* contiguous_fragment(DepositPeer& peer, const Request& send, std::int64_t bytes) {
  if (!deposit_model().copies_at_sender(send.bytes) && send.is_run)
    return static_cast<const char*>(send.buffer) + send.position;
  datatype::pack(*send.datatype, send.buffer, send.position, peer.message, bytes, send.is_host);
  return peer.message;
}

// The wire: the data of the next fragment go to the ring.
void deposit_data(DepositPeer& peer, const Request& send, std::int64_t bytes) {
  if (!deposit_model().copies_at_sender(send.bytes))
    datatype::pack(*send.datatype, send.buffer, send.position, peer.ring_out.payload(), bytes,
                   send.is_host);
  else
    std::memcpy(peer.ring_out.payload(), contiguous_fragment(peer, send, bytes),
                static_cast<std::size_t>(bytes));
}

// The data of a message, or of its part before the ring's end, to the receive that waits for it.
bool redirect_fragment(DepositPeer& peer, const Request& send, std::int64_t bytes) {
  if (!deposit_model().redirects(send.bytes)) return false;
  Target target = claim_target(peer, send);
  return target.number > 0 &&
         push_to_target(peer, target, contiguous_fragment(peer, send, bytes), bytes);
}

// A message that is in its receive cannot be cancelled. Not with threads, so nobody has cancelled
// it meanwhile.
bool match_own_slot(int slot) {
  BATON_INVARIANT(lockfree::move_entry(transport::rendezvous_entry(engine.local_rank, slot),
                                       lockfree::RendezvousState::offered,
                                       lockfree::RendezvousState::claimed));
  return true;
}

// Before the last fragment is put: then the send may be gone.
void count_deposit(DepositPeer& peer, std::int64_t bytes, bool split, bool redirected) {
  bool whole = redirected && !split;
  count_message(peer, whole ? Way::receiver_initiated : Way::eager, bytes);
  if (split)
    count_reason(peer, Reason::deposit_split, bytes);
  else if (!redirected && deposit_model().redirects(bytes))
    count_reason(peer, Reason::not_advertised, bytes);
}

}  // namespace

bool put_deposit(DepositPeer& peer, Request& send) {
  bool synchronous = send.synchronous;
  for (std::int64_t position = send.position;;) {
    std::uint64_t fragment = 0;
    if (!peer.ring_out.make_space(static_cast<std::uint64_t>(send.bytes - position), &fragment))
      return false;
    auto bytes = static_cast<std::int64_t>(fragment);
    bool first = position == 0, last = position + bytes == send.bytes;
    int slot = lockfree::no_deposit_slot;
    if (first && !open_slot_for(send, &slot)) return false;
    if (slot == no_memory) {
      complete(send, MPI_ERR_NO_MEM);
      return true;
    }
    lockfree::DepositHeader header{
        send.context, send.tag, send.source, slot, static_cast<std::uint64_t>(send.bytes),
        fragment};
    header.is_first = first;
    header.cancellable = slot >= 0;
    header.redirected = first && redirect_fragment(peer, send, bytes);
    if (header.redirected && header.cancellable) header.cancellable = !match_own_slot(slot);
    peer.ring_out.begin(header);
    if (bytes > 0 && !header.redirected) deposit_data(peer, send, bytes);
    position += bytes;
    send.position = position;
    bool withdrawn = last && synchronous && offer_at_last(send);
    if (last) count_deposit(peer, send.bytes, !first, header.redirected);
    peer.ring_out.end(header);
    notify(peer);
    if (!last) continue;
    if (withdrawn) {
      send.cancelled = true;
      send.bytes = 0;
    }
    if (withdrawn || !synchronous) complete(send, MPI_SUCCESS);
    return true;
  }
}

}  // namespace baton::message
