#include "window/transfer_target.hpp"

#include <cstdlib>
#include <new>

#include "message/core/point_to_point.hpp"
#include "message/core/progress.hpp"
#include "message/core/wait.hpp"
#include "platform/device/device_reduce.hpp"
#include "platform/memory_kind.hpp"
#include "window/change.hpp"

namespace baton::window {

namespace {

Datatype& bytes_type() {
  return *datatype::datatypes.find(MPI_BYTE);
}

void apply(Transfer& transfer) {
  const RemoteHeader& header = transfer.announcement.header;
  const RemoteRange& range = transfer.announcement.range;
  if (Error error = change_own(*transfer.window, reinterpret_cast<char*>(range.address),
                               header.type, static_cast<std::int64_t>(range.bytes),
                               header.operation, transfer.data, nullptr))
    transfer.window->targets[transfer.rank].refused = error;
}

// Takes memory for the data of an accumulate: where the elements are if a device changes them.
void take_data(Transfer& transfer) {
  const RemoteHeader& header = transfer.announcement.header;
  const RemoteRange& range = transfer.announcement.range;
  const auto* elements = reinterpret_cast<const void*>(range.address);
  const Datatype* type = datatype::datatypes.find(datatype::datatypes.from_int(header.type));
  const Operation* operation =
      datatype::operations.find(datatype::operations.from_int(header.operation));
  const bool may_be_foreign = BATON_UNLIKELY(platform::memory_kinds.any()) &&
                              !transfer.announcement.window->comm->point_to_point.is_host();
  if (may_be_foreign && type && operation && changes_on_device(*operation, *type) &&
      platform::memory_kinds.find(elements) != nullptr)
    transfer.data = static_cast<char*>(platform::device_scratch.take(elements, range.bytes));
  transfer.is_scratch = transfer.data != nullptr;
  if (!transfer.data) transfer.data = static_cast<char*>(std::malloc(range.bytes));
}
void give_data_back(Transfer& transfer) {
  if (transfer.is_scratch)
    platform::device_scratch.give_back(transfer.data);
  else
    std::free(transfer.data);
}

void receive_into(Transfer& transfer, void* memory, std::uint64_t bytes) {
  message::begin_receive(transfer.window->comm->point_to_point, memory,
                         static_cast<std::int64_t>(bytes), bytes_type(), transfer.rank,
                         tag_of(transfer.announcement.header.number, false), transfer.request);
}

}  // namespace

// Returns whether an earlier accumulate of the same origin waits for its data.
bool AcceptedTransfers::is_behind_another(const Transfer& transfer) const {
  for (Transfer* other = list_.first; other != &transfer; other = other->next)
    if (other->data && other->window == transfer.window && other->rank == transfer.rank)
      return true;
  return false;
}

bool AcceptedTransfers::end_what_is_idle() {
  bool any = false;
  for (WaitingEnd** link = &ends_; *link;) {
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

bool AcceptedTransfers::advance() {
  bool any = false;
  Transfer* before = nullptr;
  while (Transfer* transfer = before ? before->next : list_.first) {
    if (!message::is_complete(transfer->request) ||
        (transfer->data && is_behind_another(*transfer))) {
      before = transfer;
      continue;
    }
    if (transfer->data) apply(*transfer);
    list_.take_after(before);
    give_data_back(*transfer);
    // ORDER window.accepted: release here, acquire in are_accepted_over.
    transfer->window->accepted_transfers.fetch_sub(1, std::memory_order_release);
    delete transfer;
    any = true;
  }
  any |= end_what_is_idle();
  if (!list_.first && !ends_) message::set_active(*this, false);
  return any;
}

Transfer& AcceptedTransfers::accept(const Announcement& announcement) {
  Transfer* transfer = new_transfer(*announcement.window, announcement.rank);
  BATON_INVARIANT(transfer != nullptr);  // the origin would wait for ever
  transfer->announcement = announcement;
  // relaxed: the origin's next step, which ends the epoch, comes after this announcement.
  announcement.window->accepted_transfers.fetch_add(1, std::memory_order_relaxed);
  list_.push(transfer);
  message::set_active(*this, true);
  return *transfer;
}

Error AcceptedTransfers::receive_put(const Announcement& announcement, bool refuse) {
  const RemoteRange& range = announcement.range;
  // Data that has no place is cut off (received with length 0).
  receive_into(accept(announcement), reinterpret_cast<void*>(refuse ? 0 : range.address),
               refuse ? 0 : range.bytes);
  return refuse ? MPI_ERR_RMA_RANGE : MPI_SUCCESS;
}

Error AcceptedTransfers::receive_accumulate(const Announcement& announcement, bool refuse) {
  const RemoteRange& range = announcement.range;
  Transfer& transfer = accept(announcement);
  if (!refuse) take_data(transfer);
  receive_into(transfer, transfer.data, transfer.data ? range.bytes : 0);
  if (refuse) return MPI_ERR_RMA_RANGE;
  return transfer.data ? MPI_SUCCESS : MPI_ERR_NO_MEM;
}

void AcceptedTransfers::send_got(const Announcement& announcement, bool refuse) {
  const RemoteRange& range = announcement.range;
  Transfer& transfer = accept(announcement);
  message::begin_send(
      transfer.window->comm->point_to_point, reinterpret_cast<const void*>(range.address),
      static_cast<std::int64_t>(refuse ? 0 : range.bytes), bytes_type(), transfer.rank,
      tag_of(announcement.header.number, true), false, transfer.request);
}

void await_accepted(const Window& window) {
  if (BATON_LIKELY(are_accepted_over(window))) return;
  message::wait_until([&] { return are_accepted_over(window); });
}

bool AcceptedTransfers::is_idle(const Window& window, int rank) const {
  for (Transfer* transfer = list_.first; transfer; transfer = transfer->next)
    if (transfer->window == &window && transfer->rank == rank) return false;
  return true;
}

void AcceptedTransfers::await_idle(const Incoming& incoming, void (*end)(const Incoming&)) {
  auto* waiting = new (std::nothrow) WaitingEnd{incoming, end, ends_};
  BATON_INVARIANT(waiting != nullptr);  // the origin would wait for ever
  ends_ = waiting;
  message::set_active(*this, true);
}

}  // namespace baton::window
