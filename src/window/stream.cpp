#include "window/stream.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>

#include "base/settings.hpp"
#include "lockfree/slot_stream.hpp"
#include "platform/clock.hpp"
#include "platform/copy.hpp"
#include "transport/heap.hpp"
#include "transport/node.hpp"
#include "transport/single_copy.hpp"
#include "window/batch.hpp"
#include "window/remote.hpp"

namespace baton::window {

namespace {

using Progress = lockfree::SlotStream<lockfree::Hardware>;

// Guesses: pieces that stay in the first cache on both sides, and some of them ahead.
constexpr std::int64_t piece_bytes_min = 2048, piece_bytes_max = 1 << 12;
constexpr std::uint32_t slot_count = 32;
// So much at once the target takes part in before it looks for its own messages. Guess.
constexpr std::int64_t bytes_at_once_max = 1 << 22;

struct Slots {
  Progress progress;
  // Where both copy by the kernel: so many bytes have somebody who copies them, and what the target
  // could not.
  alignas(cache_line_bytes) std::atomic<std::uint64_t> claimed;
  WorkPiece left;
  alignas(cache_line_bytes) char bytes[slot_count][piece_bytes_max];
};
Slots* own_slots = nullptr;  // under delegation_lock

Slots* slots() {
  void* memory = own_slots;
  if (!memory &&
      !transport::allocate_exported(sizeof(Slots), alignof(Slots), nullptr, false, &memory))
    own_slots = static_cast<Slots*>(memory);
  return own_slots;
}

// Looks until `ready`, or until the other side has ended the work before time.
template <class Ready>
bool await(const Work& work, bool is_origin, Ready ready) {
  constexpr int pauses_max = 1000;  // guess
  for (int looks = 0; !ready(); ++looks) {
    if (is_origin && lockfree::is_done(work.state)) return ready();
    if (looks < pauses_max)
      platform::pause_cpu();
    else
      platform::yield_cpu();
  }
  return true;
}

// One side of a stream of as many bytes as the work has.
class Side {
 public:
  Side(const Work& work, Slots& its_slots, bool is_origin)
      : work_(work), slots_(its_slots), is_origin_(is_origin) {}

  void fill(const char* from) {
    const bool around = work_.stream.way == StreamWay::around_cache;
    run([&](std::uint32_t piece) { return may_fill(slots_.progress, piece, slot_count); },
        [&](std::uint32_t piece, std::int64_t position, std::int64_t bytes) {
          copy_in(piece, from + position, bytes, around);
          note_filled(slots_.progress, piece);
          return true;
        });
  }

  // `copy(position, bytes)` by the kernel, as long as there are pieces that nobody has claimed;
  // false: it fails. That piece is left then.
  template <class Copy>
  void copy_by_kernel(Copy copy) {
    const std::uint64_t bytes = work_.first.bytes;
    const auto step = static_cast<std::uint64_t>(work_.stream.piece_bytes);
    for (;;) {
      // relaxed: whose a piece is, is all it says.
      const std::uint64_t start = slots_.claimed.fetch_add(step, std::memory_order_relaxed);
      if (start >= bytes) return;
      const WorkPiece piece{start, std::min(step, bytes - start)};
      if (copy(static_cast<std::int64_t>(start), static_cast<std::int64_t>(piece.bytes))) continue;
      slots_.left = piece;
      return;
    }
  }

  // `take(slot, position, bytes)`; false: it fails, and the stream ends.
  template <class Take>
  void empty(Take take) {
    run([&](std::uint32_t piece) { return may_empty(slots_.progress, piece); },
        [&](std::uint32_t piece, std::int64_t position, std::int64_t bytes) {
          if (!take(slot(piece), position, bytes)) return false;
          note_emptied(slots_.progress, piece);
          return true;
        });
  }

 private:
  char* slot(std::uint32_t piece) { return slots_.bytes[piece % slot_count]; }

  void copy_in(std::uint32_t piece, const char* from, std::int64_t bytes, bool around) {
    const auto count = static_cast<std::size_t>(bytes);
    if (around) {
      platform::copy_around_cache(slot(piece), from, count);
      return platform::end_around_cache();
    }
    // What is filled next is fetched from whoever has read it last.
    for (std::int64_t i = 0; i < bytes; i += cache_line_bytes)
      platform::prefetch_for_write(slot(piece + 1) + i);
    platform::copy_run(slot(piece), from, count);
  }

  template <class MayUse, class Use>
  void run(MayUse may_use, Use use) {
    const auto bytes = static_cast<std::int64_t>(work_.first.bytes);
    const std::int64_t step = work_.stream.piece_bytes;
    std::uint32_t piece = 0;
    for (std::int64_t position = 0; position < bytes; position += step, ++piece) {
      if (!await(work_, is_origin_, [&] { return may_use(piece); })) return;
      if (!use(piece, position, std::min(step, bytes - position))) return;
    }
  }

  const Work& work_;
  Slots& slots_;
  bool is_origin_;
};

std::int64_t piece_bytes_for(std::int64_t bytes, std::int64_t element_bytes, StreamWay way) {
  // Guesses: each is a system call, and at the end one waits for the other's.
  constexpr std::int64_t copied_bytes_min = 1 << 13, copied_bytes_max = 1 << 16;
  if (way == StreamWay::both_by_kernel)
    return std::clamp(bytes / 8, copied_bytes_min, copied_bytes_max) / page_bytes * page_bytes;
  const std::int64_t wanted = std::clamp(bytes / 4, piece_bytes_min, piece_bytes_max);
  return wanted / element_bytes * element_bytes;
}

struct LongRun {
  Window& window;
  const Spot& spot;
  WorkKind kind;
  const char* memory;  // here
  std::int64_t bytes;
  const Elements* elements = nullptr;  // of accumulates
  const Operation* operation = nullptr;

  std::int64_t element_bytes() const { return elements ? elements->bytes : 1; }
  // Both can copy what nobody has to add.
  std::uint32_t ways() const { return elements ? 3 : 4; }
  int kind_number() const {
    return static_cast<int>(kind) - static_cast<int>(WorkKind::put_stream);
  }
};

StreamChoices** choices = nullptr;  // by local rank, where there were some; under delegation_lock

// Null: no memory.
StreamChoice* choice_of(const LongRun& run) {
  if (!choices)
    choices =
        static_cast<StreamChoices**>(std::calloc(transport::rank_count(), sizeof(StreamChoices*)));
  if (!choices) return nullptr;
  StreamChoices*& its = choices[number_of(run.spot.target->local_rank)];
  if (!its) its = new (std::nothrow) StreamChoices;
  return its ? &its->at(run.kind_number(), run.bytes) : nullptr;
}

// Describes `bytes` of the run from a position on, and what the target needs for its side.
void describe_stream(Work& work, const LongRun& run, StreamWay way, std::int64_t position,
                     std::int64_t bytes) {
  describe_work(work, run.window, run.kind, run.elements ? run.elements->type : nullptr,
                run.operation);
  work.pieces = 1;
  work.first = {run.spot.address + static_cast<std::uint64_t>(position),
                static_cast<std::uint64_t>(bytes)};
  const std::int64_t piece_bytes = piece_bytes_for(bytes, run.element_bytes(), way);
  work.stream = {reinterpret_cast<std::uint64_t>(own_slots), static_cast<std::int32_t>(piece_bytes),
                 way};
  const char* memory = run.memory + position;
  std::memcpy(work.data, &memory, sizeof memory);
  begin_stream(own_slots->progress);
  // relaxed: as in begin_stream.
  own_slots->claimed.store(0, std::memory_order_relaxed);
  own_slots->left = {0, 0};
}

// As far as the target takes part: `done`. `own_side` does this rank's part of a stream from a
// position on, `alone` so many bytes by the kernel. Under delegation_lock.
template <class OwnSide, class Alone>
Error stream(const LongRun& run, StreamWay way, OwnSide own_side, Alone alone, std::int64_t* done) {
  Work& work = *own_work();
  const std::int64_t element = run.element_bytes(), most = bytes_at_once_max / element * element;
  for (; *done < run.bytes; *done += static_cast<std::int64_t>(work.first.bytes)) {
    describe_stream(work, run, way, *done, std::min(run.bytes - *done, most));
    Side side(work, *own_slots, true);
    Error error = MPI_SUCCESS;
    const bool together = delegate_together(*run.spot.target, work, [&] {
      if (way != StreamWay::both_by_kernel) return own_side(side, *done);
      side.copy_by_kernel([&](std::int64_t position, std::int64_t bytes) {
        return (error = alone(*done + position, bytes)) == MPI_SUCCESS;
      });
    });
    if (!together || error || work.pieces == 0) return error;
    if (work.error) return refused(run.window.rank_of(*run.spot.target), work.error);
    if (const WorkPiece left = own_slots->left; left.bytes > 0)
      if ((error = alone(*done + static_cast<std::int64_t>(left.address),
                         static_cast<std::int64_t>(left.bytes))))
        return error;
  }
  return MPI_SUCCESS;
}

template <class OwnSide, class Alone>
Error do_long_run(const LongRun& run, OwnSide own_side, Alone alone) {
  // Other threads would wait for the slot as long as this takes.
  if (platform::threads_multiple) return alone(0, run.bytes);
  platform::Guard guard(delegation_lock);
  StreamChoice* choice = own_work() && slots() ? choice_of(run) : nullptr;
  if (!choice) return alone(0, run.bytes);
  if (Error error = empty_slot()) return error;
  const std::int64_t start = platform::now_ticks();
  StreamWay way = choice->next(run.ways());
  if (way == StreamWay::around_cache && !settings.non_temporal_stores)
    way = StreamWay::through_cache;
  std::int64_t done = 0;
  Error error = way == StreamWay::kernel ? MPI_SUCCESS : stream(run, way, own_side, alone, &done);
  if (!error && done < run.bytes) error = alone(done, run.bytes - done);
  // Where the target has not come, two ways are in it.
  if (way == StreamWay::kernel || done == run.bytes)
    choice->took(way, ((platform::now_ticks() - start) << 20) / run.bytes);
  return error;
}

}  // namespace

Error put_long_run(Window& window, const Spot& spot, const char* from, std::int64_t bytes) {
  return do_long_run(
      {window, spot, WorkKind::put_stream, from, bytes},
      [from](Side& side, std::int64_t start) { side.fill(from + start); },
      [&](std::int64_t start, std::int64_t here) {
        return write_spot(window, spot, spot.address + static_cast<std::uint64_t>(start),
                          from + start, here);
      });
}

Error get_long_run(Window& window, const Spot& spot, char* to, std::int64_t bytes) {
  return do_long_run(
      {window, spot, WorkKind::get_stream, to, bytes},
      [to](Side& side, std::int64_t start) {
        side.empty([&](const char* slot, std::int64_t position, std::int64_t here) {
          platform::copy_run(to + start + position, slot, static_cast<std::size_t>(here));
          return true;
        });
      },
      [&](std::int64_t start, std::int64_t here) {
        return read_spot(window, spot, spot.address + static_cast<std::uint64_t>(start), to + start,
                         here);
      });
}

Error accumulate_long_run(Window& window, const Spot& spot, const Elements& elements,
                          const Operation& operation, const char* from, std::int64_t bytes,
                          AccumulateAlone alone) {
  return do_long_run(
      {window, spot, WorkKind::accumulate_stream, from, bytes, &elements, &operation},
      [from](Side& side, std::int64_t start) { side.fill(from + start); },
      [&](std::int64_t start, std::int64_t here) {
        const Spot rest{spot.target, nullptr, spot.address + static_cast<std::uint64_t>(start)};
        return alone(window, rest, elements, from + start, here);
      });
}

static void copy_by_kernel(Side& side, const Work& work, LocalRank asker, char* memory) {
  char* there;
  std::memcpy(&there, work.data, sizeof there);
  side.copy_by_kernel([&](std::int64_t position, std::int64_t bytes) {
    return work.kind == WorkKind::put_stream
               ? transport::read_from(asker, there + position, memory + position, bytes)
               : transport::write_to(asker, memory + position, there + position, bytes);
  });
}

void stream_for(Work& work, LocalRank asker, Window& window, const Datatype* type,
                const Operation* operation) {
  char* there = transport::reach_exported(asker, reinterpret_cast<void*>(work.stream.slots));
  if (!there) {
    work.pieces = 0;  // nothing is done
    return;
  }
  Side side(work, *reinterpret_cast<Slots*>(there), false);
  char* memory = reinterpret_cast<char*>(work.first.address);
  if (work.stream.way == StreamWay::both_by_kernel)
    return copy_by_kernel(side, work, asker, memory);
  if (work.kind == WorkKind::get_stream) return side.fill(memory);
  side.empty([&](const char* slot, std::int64_t position, std::int64_t here) {
    if (work.kind == WorkKind::put_stream)
      platform::copy_run(memory + position, slot, static_cast<std::size_t>(here));
    else
      work.error = change_own(window, memory + position, *type, here, *operation, slot, nullptr);
    return work.error == MPI_SUCCESS;
  });
}

void free_streams() {
  if (own_slots) (void)transport::release_exported(own_slots);
  own_slots = nullptr;
  for (std::uint32_t rank = 0; choices && rank < transport::rank_count(); ++rank)
    delete choices[rank];
  std::free(choices);
  choices = nullptr;
}

}  // namespace baton::window
