// The deposit models' sender: a message goes into the receiver's ring in one piece, or in several
// where it meets the ring's end or is longer than the ring.
#include "datatype/pack.hpp"
#include "message/deposit_model.hpp"
#include "message/deposit_model_peer.hpp"
#include "message/protocol.hpp"

namespace baton::message {

namespace {

// The first piece of a synchronous send names a slot, through which the receiver tells that it has
// matched. A message of several pieces cannot be cancelled: we have begun. False: no slot is free.
bool open_slot_for(Request& send, bool in_one_piece, int* slot) {
  *slot = lockfree::no_deposit_slot;
  if (!send.synchronous) return true;
  *slot = open_slot(send, in_one_piece);
  return *slot != no_slot;
}

// The wire: data of the send from its position on go to the ring.
void deposit_data(DepositPeer& deposit, const Request& send, std::int64_t bytes) {
  if (!deposit_model().copies_at_sender(send.bytes)) {
    datatype::pack(*send.datatype, send.buffer, send.position, deposit.out.payload(), bytes);
    return;
  }
  datatype::pack(*send.datatype, send.buffer, send.position, deposit.message, bytes);
  std::memcpy(deposit.out.payload(), deposit.message, static_cast<std::size_t>(bytes));
}

// Of the last piece: the send may be gone when it is published.
void count_deposit(Peer& peer, std::int64_t bytes, bool split) {
  count_sent(peer, Way::deposit, static_cast<std::size_t>(bytes));
  if (split) count_reason(peer, Reason::deposit_split, bytes);
}

}  // namespace

bool put_deposit(Peer& peer, Request& send) {
  DepositPeer& deposit = deposit_peer(peer);
  bool synchronous = send.synchronous;
  for (std::int64_t position = send.position;;) {
    std::uint64_t piece = 0;
    if (!deposit.out.make_room(static_cast<std::uint64_t>(send.bytes - position), &piece))
      return false;
    auto bytes = static_cast<std::int64_t>(piece);
    bool first = position == 0, last = position + bytes == send.bytes;
    int slot = lockfree::no_deposit_slot;
    if (first && !open_slot_for(send, last, &slot)) return false;
    if (slot == no_memory) {
      complete(send, MPI_ERR_NO_MEM);
      return true;
    }
    lockfree::DepositHeader header{
        send.context, send.tag, send.source, slot, static_cast<std::uint64_t>(send.bytes), piece};
    header.is_first = first;
    header.cancellable = slot >= 0 && last;
    deposit.out.begin(header);
    if (bytes > 0) deposit_data(deposit, send, bytes);
    position += bytes;
    send.position = position;
    if (last) count_deposit(peer, send.bytes, !first);
    deposit.out.end(header);
    notify(*peer.doorbell, peer.rank);
    if (last) break;
  }
  if (!synchronous) complete(send, MPI_SUCCESS);
  return true;
}

}  // namespace baton::message
