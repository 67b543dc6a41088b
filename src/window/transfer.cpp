#include "window/transfer.hpp"

#include <new>

#include "message/core/point_to_point.hpp"
#include "message/core/progress.hpp"
#include "message/core/wait.hpp"
#include "window/refusal.hpp"

namespace baton::window {

namespace {

Error no_memory() {
  return fail(MPI_ERR_NO_MEM, "no memory for a transfer between ranks of a window");
}

platform::Lock begun_lock;  // protects the list of what this rank has begun
TransferList begun;
std::uint32_t begun_count = 0;
std::uint32_t last_begun = 0;  // the number of the last transfer
std::uint32_t numbers_given = 0;

Transfer* begin(Window& window, int rank, const Data& data) {
  Transfer* transfer = new_transfer(window, rank);
  if (!transfer) return nullptr;
  transfer->type = data.type;
  transfer->bytes = data.bytes();
  datatype::retain(const_cast<Datatype&>(*data.type));
  note_begun(*transfer);
  return transfer;
}

}  // namespace

bool Transfer::is_over() const {
  // ORDER window.answer: acquire here, release in take_answer; the data is there.
  return type ? message::is_complete(request)
              : expected.answers.load(std::memory_order_acquire) == 0;
}

Error Transfer::error() const {
  if (request.error) return request.error;
  if (expected.error) return refused(rank, expected.error);
  const bool got = type && request.kind == message::RequestKind::receive;
  return got && request.bytes != bytes ? refused(rank, MPI_ERR_RMA_RANGE) : MPI_SUCCESS;
}

void note_begun(Transfer& transfer) {
  platform::Guard guard(begun_lock);
  transfer.number = ++last_begun;
  begun.add(&transfer);
  platform::add_shared(begun_count, 1u);
}

BegunTransfers::BegunTransfers(const Window& window, const Target* target, bool accesses_only)
    : window_(window), target_(target), accesses_only_(accesses_only) {
  platform::Guard guard(begun_lock);
  last_ = last_begun;
}

bool BegunTransfers::has(const Transfer& transfer) const {
  return transfer.window == &window_ && (!target_ || transfer.rank == window_.rank_of(*target_)) &&
         (transfer.is_access || !accesses_only_) &&
         static_cast<std::int32_t>(transfer.number - last_) <= 0;  // numbers wrap around
}

bool BegunTransfers::are_over() const {
  platform::Guard guard(begun_lock);
  for (Transfer* transfer = begun.first; transfer; transfer = transfer->next)
    if (has(*transfer) && !transfer->is_over()) return false;
  return true;
}

Error BegunTransfers::forget() const {
  platform::Guard guard(begun_lock);
  Error error = MPI_SUCCESS;
  for (Transfer** link = &begun.first; *link;) {
    Transfer* transfer = *link;
    if (!has(*transfer)) {
      link = &transfer->next;
      continue;
    }
    if (Error failed = transfer->error()) error = failed;
    if (transfer->type) datatype::release(const_cast<Datatype&>(*transfer->type));
    begun.remove(link);
    platform::add_shared(begun_count, ~0u);
    delete transfer->expected.places;
    delete transfer;
  }
  return error;
}

bool has_begun_transfers() {
  return platform::threads_multiple || begun.first;
}

std::uint32_t transfers_begun() {
  return platform::load_shared(begun_count);
}

std::uint32_t next_transfer() {
  return platform::add_shared(numbers_given, 1u);
}

Error begin_transfer(Window& window, int rank, std::uint32_t number, const Data& data, bool gets) {
  Transfer* transfer = begin(window, rank, data);
  if (!transfer) return no_memory();
  const message::Context& context = window.comm->point_to_point;
  auto& type = const_cast<Datatype&>(*data.type);
  if (gets)
    message::begin_receive(context, data.buffer, data.count, type, rank, tag_of(number, true),
                           transfer->request);
  else
    message::begin_send(context, data.buffer, data.count, type, rank, tag_of(number, false), false,
                        transfer->request);
  return MPI_SUCCESS;
}

void await_accesses(const Window& window, const Target& target) {
  if (BATON_LIKELY(!has_begun_transfers())) return;
  const BegunTransfers accesses(window, &target, true);
  message::wait_until([&] { return accesses.are_over(); });
}

Expected* expect_answer(Window& window, int rank, bool scattered) {
  Transfer* transfer = new_transfer(window, rank);
  if (!transfer) return nullptr;
  if (scattered) {
    transfer->expected.places = new (std::nothrow) AnswerPlaces;
    if (!transfer->expected.places) {
      delete transfer;
      return nullptr;
    }
  }
  // relaxed: nobody knows of it yet. The first answer stands for the caller, who has not asked yet.
  transfer->expected.answers.store(1, std::memory_order_relaxed);
  note_begun(*transfer);
  return &transfer->expected;
}

}  // namespace baton::window
