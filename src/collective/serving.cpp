#include "collective/serving.hpp"

#include "collective/next_served.hpp"
#include "message/core/engine.hpp"
#include "message/core/outstanding.hpp"

namespace baton::collective {

namespace {

// Where ranks have a CPU each, few of them read one process's memory at a time. Where they take
// turns on CPUs, each look would be a turn of the others, and a bound holds the root up, so there
// is none (2 cores of an AMD EPYC virtual machine, 32 ranks, 2026-11-22: scatters of 256 KiB with 8
// at once took 1.2 to 1.37 times as long as with all at once).
constexpr int at_once_by_status = 8;    // guess
constexpr int patience_by_status = 32;  // guess: rounds of progress

}  // namespace

Order serving_order(const Run& run, Kind kind) {
  return resolve(world::order_of(run.call.comm->hints), kind, message::engine.oversubscribed);
}

void tell_root(const Run& run, Kind kind, const message::Context& context, int root) {
  if (transport::spans_nodes() && serving_order(run, kind) == Order::status)
    message::tell_channel(context.process(root));
}

Serving::Serving(Run& run, const message::Context& context, Order order, int first, int but)
    : run_(run), context_(context), at_(first), but_(but) {
  const int size = context.size;
  left_ = size - (but >= 0 && but < size ? 1 : 0);
  if (order == Order::blocking) at_once_ = 1;
  if (order != Order::status || left_ < 2) return;
  if (!message::engine.oversubscribed) at_once_ = at_once_by_status;
  patience_ = patience_by_status;
  auto* ranks = static_cast<int*>(run.take(static_cast<std::size_t>(size) * sizeof(int)));
  for (int i = 0, filled = 0; ranks && i < size; ++i)
    if (const int rank = (first + i) % size; rank != but) ranks[filled++] = rank;
  waiting_ = ranks;
}

int Serving::next_by_rank() {
  if (at_ == but_) at_ = (at_ + 1) % context_.size;
  const int rank = at_;
  at_ = (at_ + 1) % context_.size;
  --left_;
  return rank;
}

int Serving::next_by_status() {
  const int chosen = next_served(
      waiting_, left_, [this](int rank) { return message::channel_of(context_.process(rank)); });
  if (chosen > 0) message::count(message::engine.counters.served_earlier);
  return take_waiting(waiting_, left_, chosen);
}

}  // namespace baton::collective
