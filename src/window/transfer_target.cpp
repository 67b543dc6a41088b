#include "window/transfer_target.hpp"

#include <cstdlib>
#include <new>

#include "message/core/point_to_point.hpp"
#include "message/core/progress.hpp"
#include "message/core/wait.hpp"
#include "window/change.hpp"

namespace baton::window {

namespace {

struct WaitingEnd {
  Incoming incoming;
  void (*end)(const Incoming&);
  WaitingEnd* next;
};

TransferList accepted;
WaitingEnd* waiting_ends = nullptr;

bool advance_transfers();
constinit message::FunctionSource source{advance_transfers};

Datatype& bytes_type() {
  return *datatype::datatypes.find(MPI_BYTE);
}

bool is_same(const Transfer& a, const Transfer& b) {
  return a.window == b.window && a.rank == b.rank;
}

// Returns whether an earlier accumulate of the same origin waits for its data.
bool is_behind_another(const Transfer& transfer) {
  for (Transfer* other = accepted.first; other != &transfer; other = other->next)
    if (other->data && is_same(*other, transfer)) return true;
  return false;
}

void apply(Transfer& transfer) {
  const RemoteHeader& header = transfer.announcement.header;
  const RemoteRange& range = transfer.announcement.range;
  const Datatype* type = datatype::datatypes.find(datatype::datatypes.from_int(header.type));
  const Operation* operation =
      datatype::operations.find(datatype::operations.from_int(header.operation));
  Error error =
      type && operation
          ? change_own(*transfer.window, reinterpret_cast<char*>(range.address), *type,
                       static_cast<std::int64_t>(range.bytes), *operation, transfer.data, nullptr)
          : MPI_ERR_OP;
  if (error) transfer.window->targets[transfer.rank].refused = error;
}

bool end_what_is_idle() {
  bool any = false;
  for (WaitingEnd** link = &waiting_ends; *link;) {
    WaitingEnd* waiting = *link;
    if (!is_idle(*waiting->incoming.window, waiting->incoming.rank())) {
      link = &waiting->next;
      continue;
    }
    *link = waiting->next;
    waiting->end(waiting->incoming);
    delete waiting;
    any = true;
  }
  return any;
}

bool advance_transfers() {
  bool any = false;
  for (Transfer** link = &accepted.first; *link;) {
    Transfer* transfer = *link;
    if (!message::is_complete(transfer->request) ||
        (transfer->data && is_behind_another(*transfer))) {
      link = &transfer->next;
      continue;
    }
    if (transfer->data) apply(*transfer);
    accepted.remove(link);
    std::free(transfer->data);
    delete transfer;
    any = true;
  }
  any |= end_what_is_idle();
  if (!accepted.first && !waiting_ends) message::set_active(source, false);
  return any;
}

Transfer* accept(const Announcement& announcement) {
  Transfer* transfer = new_transfer(*announcement.window, announcement.rank);
  BATON_INVARIANT(transfer != nullptr);  // the origin would wait for ever
  transfer->announcement = announcement;
  accepted.add(transfer);
  message::set_active(source, true);
  return transfer;
}

void receive_into(Transfer& transfer, void* memory, std::uint64_t bytes) {
  message::begin_receive(transfer.window->comm->point_to_point, memory,
                         static_cast<std::int64_t>(bytes), bytes_type(), transfer.rank,
                         tag_of(transfer.announcement.header.number, false), transfer.request);
}

}  // namespace

Error receive_put(const Announcement& announcement, bool refuse) {
  const RemoteRange& range = announcement.range;
  Transfer& transfer = *accept(announcement);
  // Data that has no place is cut off (received with length 0).
  receive_into(transfer, reinterpret_cast<void*>(refuse ? 0 : range.address),
               refuse ? 0 : range.bytes);
  return refuse ? MPI_ERR_RMA_RANGE : MPI_SUCCESS;
}

Error receive_accumulate(const Announcement& announcement, bool refuse) {
  const RemoteRange& range = announcement.range;
  Transfer& transfer = *accept(announcement);
  if (!refuse) transfer.data = static_cast<char*>(std::malloc(range.bytes));
  receive_into(transfer, transfer.data, transfer.data ? range.bytes : 0);
  if (refuse) return MPI_ERR_RMA_RANGE;
  return transfer.data ? MPI_SUCCESS : MPI_ERR_NO_MEM;
}

void send_got(const Announcement& announcement, bool refuse) {
  const RemoteRange& range = announcement.range;
  Transfer& transfer = *accept(announcement);
  message::begin_send(
      transfer.window->comm->point_to_point, reinterpret_cast<const void*>(range.address),
      static_cast<std::int64_t>(refuse ? 0 : range.bytes), bytes_type(), transfer.rank,
      tag_of(announcement.header.number, true), false, transfer.request);
}

bool is_idle(const Window& window, int rank) {
  for (Transfer* transfer = accepted.first; transfer; transfer = transfer->next)
    if (transfer->window == &window && transfer->rank == rank) return false;
  return true;
}

void await_idle(const Incoming& incoming, void (*end)(const Incoming&)) {
  auto* waiting = new (std::nothrow) WaitingEnd{incoming, end, waiting_ends};
  BATON_INVARIANT(waiting != nullptr);  // the origin would wait for ever
  waiting_ends = waiting;
  message::set_active(source, true);
}

}  // namespace baton::window
