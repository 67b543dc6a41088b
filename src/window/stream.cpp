#include "window/stream.hpp"

#include <algorithm>
#include <cstring>

#include "base/settings.hpp"
#include "platform/clock.hpp"
#include "platform/copy.hpp"
#include "window/batch.hpp"
#include "window/kernel_copy.hpp"
#include "window/one_sided.hpp"
#include "window/refusal.hpp"

namespace baton::window {

namespace {

constexpr Delegation& delegation = one_sided.delegation;

// The target takes part in at most this many bytes before it looks for its own messages. Guess.
constexpr std::int64_t bytes_at_once_max = 1 << 22;

// Returns how much each rank copies at a time where both copy by the kernel. Guesses: each copy is
// a system call, and at the end one rank waits for the other's.
std::int64_t copied_bytes_for(std::int64_t bytes) {
  constexpr std::int64_t least = 1 << 13, most = 1 << 16;
  return std::clamp(bytes / 8, least, most) / page_bytes * page_bytes;
}

struct LongRun {
  Window& window;
  const Spot& spot;
  WorkKind kind;
  const char* memory;  // at this rank
  std::int64_t bytes;
  const Elements* elements = nullptr;  // for accumulates
  const Operation* operation = nullptr;

  std::int64_t element_bytes() const { return elements ? elements->bytes : 1; }
  // Both ranks can copy by the kernel if no element has to be changed.
  int ways() const { return elements ? stream_ways - 1 : stream_ways; }
  int kind_number() const {
    return static_cast<int>(kind) - static_cast<int>(WorkKind::put_stream);
  }
};

// Returns the measurements for runs of this length; null: no memory.
StreamChoice* choice_of(const LongRun& run) {
  StreamChoices* its = delegation.streams.choices_of(run.spot.target->local_rank);
  return its ? &its->at(run.kind_number(), run.bytes) : nullptr;
}

// Describes `bytes` of the run from a position on, with what the target needs for its side.
void describe_stream(Work& work, const LongRun& run, StreamWay way, std::int64_t position,
                     std::int64_t bytes) {
  describe_work(work, run.window, run.kind, run.elements ? run.elements->type : nullptr,
                run.operation);
  work.ranges = 1;
  work.first = {run.spot.address + static_cast<std::uint64_t>(position),
                static_cast<std::uint64_t>(bytes)};
  work.stream = {delegation.streams.own_buffer(),
                 static_cast<std::int32_t>(copied_bytes_for(bytes)), way};
  const char* memory = run.memory + position;
  std::memcpy(work.data, &memory, sizeof memory);
  open_staging_buffer(transport::staging_progress(transport::own_rank(), work.stream.buffer));
  // relaxed: as in open_staging_buffer.
  work.claimed.store(0, std::memory_order_relaxed);
  work.left = {0, 0};
}

// Moves as much of a run as the target takes part in, and stores that in `done`. `own_side` does
// this rank's part of a stream from a position on, `alone` moves bytes by the kernel. The caller
// holds the lock of the slot.
template <class OwnSide, class Alone>
Error stream(const LongRun& run, StreamWay way, OwnSide own_side, Alone alone, std::int64_t* done) {
  Work& work = *delegation.own_work();
  const std::int64_t element = run.element_bytes(), most = bytes_at_once_max / element * element;
  for (; *done < run.bytes; *done += static_cast<std::int64_t>(work.first.bytes)) {
    describe_stream(work, run, way, *done, std::min(run.bytes - *done, most));
    StreamSide side(work, transport::own_rank(), run.spot.target->local_rank);
    Error error = MPI_SUCCESS;
    const bool together = delegation.delegate_together(*run.spot.target, work, [&] {
      if (way != StreamWay::both_by_kernel) return own_side(side, *done);
      side.copy_by_kernel([&](std::int64_t position, std::int64_t bytes) {
        return (error = alone(*done + position, bytes)) == MPI_SUCCESS;
      });
    });
    if (!together || error) return error;
    if (work.error) return refused(run.window.rank_of(*run.spot.target), work.error);
    if (const WorkRange left = work.left; left.bytes > 0)
      if ((error = alone(*done + static_cast<std::int64_t>(left.address),
                         static_cast<std::int64_t>(left.bytes))))
        return error;
  }
  return MPI_SUCCESS;
}

template <class OwnSide, class Alone>
Error do_long_run(const LongRun& run, OwnSide own_side, Alone alone) {
  // A stream would hold the slot this long while other threads wait for it, and elements must not
  // lie in two chunks of staging.
  if (platform::threads_multiple || lockfree::chunk_bytes % run.element_bytes() != 0)
    return alone(0, run.bytes);
  platform::Guard guard(delegation.slot_lock);
  StreamChoice* choice =
      delegation.own_work() && !delegation.streams.own_buffer().empty() ? choice_of(run) : nullptr;
  if (!choice) return alone(0, run.bytes);
  if (Error error = empty_slot()) return error;
  const std::int64_t start = platform::now_ticks();
  const auto chosen = static_cast<StreamWay>(choice->now());
  const StreamWay way = chosen == StreamWay::around_cache && !settings.non_temporal_stores
                            ? StreamWay::through_cache
                            : chosen;
  std::int64_t done = 0;
  Error error = way == StreamWay::kernel ? MPI_SUCCESS : stream(run, way, own_side, alone, &done);
  if (!error && done < run.bytes) error = alone(done, run.bytes - done);
  // If the target has not come, the time contains both ways and says nothing.
  if (way == StreamWay::kernel || done == run.bytes) {
    constexpr int runs_in_trial = 2;  // guess: the first time pages and lines are new
    const std::int64_t end = platform::now_ticks();
    choice->took(static_cast<int>(chosen), {end - start}, end, runs_in_trial, run.ways());
  }
  return error;
}

}  // namespace

Error move_long_run(Direction direction, Window& window, const Spot& spot, char* here,
                    std::int64_t bytes) {
  const bool is_put = direction == Direction::put;
  return do_long_run(
      {window, spot, is_put ? WorkKind::put_stream : WorkKind::get_stream, here, bytes},
      [=](StreamSide& side, std::int64_t start) {
        if (is_put) return side.fill(here + start);
        side.empty([&](const char* there, std::int64_t position, std::int64_t segment) {
          platform::copy_run(here + start + position, there, static_cast<std::size_t>(segment));
          return true;
        });
      },
      [&](std::int64_t start, std::int64_t segment) {
        return copy_spot(direction, window, spot, spot.address + static_cast<std::uint64_t>(start),
                         here + start, segment);
      });
}

Error accumulate_long_run(Window& window, const Spot& spot, const Accumulate& what) {
  char* const from = static_cast<char*>(what.from->buffer);
  const Elements& elements = what.elements;
  return do_long_run(
      {window, spot, WorkKind::accumulate_stream, from, what.at.bytes(), &elements,
       &what.operation},
      [from](StreamSide& side, std::int64_t start) { side.fill(from + start); },
      [&](std::int64_t start, std::int64_t here) {
        const Spot rest{spot.target, nullptr, spot.address + static_cast<std::uint64_t>(start)};
        const Data data{from + start, here / elements.bytes, elements.type, what.from->is_host};
        const Place at{what.at.rank, 0, data.count, elements.type};
        return change_by_kernel(window, rest, {what.operation, elements, &data, nullptr, at});
      });
}

}  // namespace baton::window
