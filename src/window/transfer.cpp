#include "window/transfer.hpp"

#include <new>

#include "message/core/point_to_point.hpp"
#include "message/core/progress.hpp"
#include "message/core/wait.hpp"
#include "window/refusal.hpp"

namespace baton::window {

namespace {

// Returns whether the other rank of a transfer is lost: what it has not answered, it never will.
bool is_lost(const Transfer& transfer) {
  return BATON_UNLIKELY(message::has_lost_peers()) &&
         message::loss_of(transfer.window->comm->point_to_point.process(transfer.rank)) != 0;
}

}  // namespace

bool Transfer::is_over() const {
  if (type) return message::is_complete(request);
  // ORDER window.answer: acquire here, release in take_answer; the data is there.
  const std::uint32_t answers = expected.answers.load(std::memory_order_acquire);
  return answers == 0 || (answers < Expected::asking && is_lost(*this));
}

Error Transfer::error() const {
  // relaxed: is_over has acquired it.
  const bool is_answered = type || expected.answers.load(std::memory_order_relaxed) == 0;
  if (!is_answered && is_lost(*this))
    return message::explain_loss(window->comm->point_to_point.process(rank));
  if (request.error) return request.error;
  if (expected.error) return refused(rank, expected.error);
  const bool got = type && request.kind == message::RequestKind::receive;
  return got && request.bytes != bytes ? refused(rank, MPI_ERR_RMA_RANGE) : MPI_SUCCESS;
}

void BegunTransfers::note(Transfer& transfer) {
  platform::Guard guard(lock_);
  transfer.number = ++last_;
  list_.push(&transfer);
  platform::add_shared(count_, 1u);
}

Error BegunTransfers::begin(Window& window, int rank, std::uint32_t number, const Data& data,
                            bool gets) {
  Transfer* transfer = new_transfer(window, rank);
  if (!transfer) return fail(MPI_ERR_NO_MEM, "no memory for a transfer between ranks of a window");
  auto& type = const_cast<Datatype&>(*data.type);
  transfer->type = &type;
  transfer->bytes = data.bytes();
  datatype::retain(type);
  note(*transfer);
  const message::Context& context = window.comm->point_to_point;
  if (gets)
    message::begin_receive(context, data.buffer, data.count, type, rank, tag_of(number, true),
                           transfer->request);
  else
    message::begin_send(context, data.buffer, data.count, type, rank, tag_of(number, false), false,
                        transfer->request);
  return MPI_SUCCESS;
}

void BegunTransfers::await_accesses(const Window& window, const Target& target) {
  if (BATON_LIKELY(!any())) return;
  const TransfersUntilNow accesses(*this, window, &target, true);
  message::wait_until([&] { return accesses.are_over(); });
}

Expected* BegunTransfers::expect_answer(Window& window, int rank, bool scattered) {
  Transfer* transfer = new_transfer(window, rank);
  if (!transfer) return nullptr;
  if (scattered) {
    transfer->expected.places = new (std::nothrow) AnswerPlaces;
    if (!transfer->expected.places) {
      delete transfer;
      return nullptr;
    }
  }
  // relaxed: nobody knows of it yet.
  transfer->expected.answers.store(Expected::asking, std::memory_order_relaxed);
  note(*transfer);
  return &transfer->expected;
}

TransfersUntilNow::TransfersUntilNow(BegunTransfers& all, const Window& window,
                                     const Target* target, bool accesses_only)
    : all_(all), window_(window), target_(target), accesses_only_(accesses_only) {
  platform::Guard guard(all.lock_);
  last_ = all.last_;
}

bool TransfersUntilNow::has(const Transfer& transfer) const {
  return transfer.window == &window_ && (!target_ || transfer.rank == window_.rank_of(*target_)) &&
         (transfer.is_access || !accesses_only_) &&
         static_cast<std::int32_t>(transfer.number - last_) <= 0;  // numbers wrap around
}

bool TransfersUntilNow::are_over() const {
  platform::Guard guard(all_.lock_);
  for (Transfer* transfer = all_.list_.first; transfer; transfer = transfer->next)
    if (has(*transfer) && !transfer->is_over()) return false;
  return true;
}

Error TransfersUntilNow::forget() const {
  platform::Guard guard(all_.lock_);
  Error error = MPI_SUCCESS;
  Transfer* before = nullptr;
  while (Transfer* transfer = before ? before->next : all_.list_.first) {
    if (!has(*transfer)) {
      before = transfer;
      continue;
    }
    if (Error failed = transfer->error()) error = failed;
    if (transfer->type) datatype::release(const_cast<Datatype&>(*transfer->type));
    all_.list_.take_after(before);
    platform::add_shared(all_.count_, ~0u);
    delete transfer->expected.places;
    delete transfer;
  }
  return error;
}

}  // namespace baton::window
