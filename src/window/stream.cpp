#include "window/stream.hpp"

#include <algorithm>
#include <cstdlib>
#include <new>

#include "lockfree/slot_stream.hpp"
#include "platform/clock.hpp"
#include "platform/copy.hpp"
#include "transport/heap.hpp"
#include "transport/node.hpp"
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

std::int64_t piece_bytes_for(std::int64_t bytes, std::int64_t element_bytes) {
  const std::int64_t wanted = std::clamp(bytes / 4, piece_bytes_min, piece_bytes_max);
  return wanted / element_bytes * element_bytes;
}

struct LongRun {
  Window& window;
  const Spot& spot;
  WorkKind kind;
  std::int64_t bytes;
  const Elements* elements = nullptr;  // of accumulates
  const Operation* operation = nullptr;

  std::int64_t element_bytes() const { return elements ? elements->bytes : 1; }
  int kind_number() const { return static_cast<int>(kind) - static_cast<int>(WorkKind::put_stream); }
};

StreamChoices** choices = nullptr;  // by local rank, where there were some; under delegation_lock

// Null: no memory.
StreamChoice* choice_of(const LongRun& run) {
  if (!choices)
    choices = static_cast<StreamChoices**>(
        std::calloc(transport::rank_count(), sizeof(StreamChoices*)));
  if (!choices) return nullptr;
  StreamChoices*& its = choices[number_of(run.spot.target->local_rank)];
  if (!its) its = new (std::nothrow) StreamChoices;
  return its ? &its->at(run.kind_number(), run.bytes) : nullptr;
}

// As far as the target takes part: `done`. `own_side` does this rank's part of what begins at a
// position. Under delegation_lock.
template <class OwnSide>
Error stream(const LongRun& run, StreamWay way, OwnSide own_side, std::int64_t* done) {
  Work& work = *own_work();
  const std::int64_t element = run.element_bytes(), most = bytes_at_once_max / element * element;
  for (; *done < run.bytes; *done += static_cast<std::int64_t>(work.first.bytes)) {
    const std::int64_t here = std::min(run.bytes - *done, most);
    describe_work(work, run.window, run.kind, run.elements ? run.elements->type : nullptr,
                  run.operation);
    work.pieces = 1;
    work.first = {run.spot.address + static_cast<std::uint64_t>(*done),
                  static_cast<std::uint64_t>(here)};
    work.stream = {reinterpret_cast<std::uint64_t>(own_slots),
                   static_cast<std::int32_t>(piece_bytes_for(here, element)), way};
    begin_stream(own_slots->progress);
    const bool together = delegate_together(*run.spot.target, work, [&] {
      own_side(Side(work, *own_slots, true), *done);
    });
    if (!together) return MPI_SUCCESS;
    if (work.error) return refused(run.window.rank_of(*run.spot.target), work.error);
  }
  return MPI_SUCCESS;
}

// `alone` does what is left from a position on.
template <class OwnSide, class Alone>
Error do_long_run(const LongRun& run, OwnSide own_side, Alone alone) {
  platform::Guard guard(delegation_lock);
  StreamChoice* choice = own_work() && slots() ? choice_of(run) : nullptr;
  if (!choice) return alone(0);
  if (Error error = empty_slot()) return error;
  const std::int64_t start = platform::now_ticks();
  const StreamWay way = choice->next();
  std::int64_t done = 0;
  Error error = way == StreamWay::kernel ? MPI_SUCCESS : stream(run, way, own_side, &done);
  if (!error && done < run.bytes) error = alone(done);
  // Where the target has not come, both ways are in it.
  if (way == StreamWay::kernel || done == run.bytes)
    choice->took(way, ((platform::now_ticks() - start) << 20) / run.bytes);
  return error;
}

}  // namespace

Error put_long_run(Window& window, const Spot& spot, const char* from, std::int64_t bytes) {
  return do_long_run(
      {window, spot, WorkKind::put_stream, bytes},
      [from](Side side, std::int64_t start) { side.fill(from + start); },
      [&](std::int64_t start) {
        return write_spot(window, spot, spot.address + static_cast<std::uint64_t>(start),
                          from + start, bytes - start);
      });
}

Error get_long_run(Window& window, const Spot& spot, char* to, std::int64_t bytes) {
  return do_long_run(
      {window, spot, WorkKind::get_stream, bytes},
      [to](Side side, std::int64_t start) {
        side.empty([&](const char* slot, std::int64_t position, std::int64_t here) {
          platform::copy_run(to + start + position, slot, static_cast<std::size_t>(here));
          return true;
        });
      },
      [&](std::int64_t start) {
        return read_spot(window, spot, spot.address + static_cast<std::uint64_t>(start), to + start,
                         bytes - start);
      });
}

Error accumulate_long_run(Window& window, const Spot& spot, const Elements& elements,
                          const Operation& operation, const char* from, std::int64_t bytes,
                          AccumulateAlone alone) {
  return do_long_run(
      {window, spot, WorkKind::accumulate_stream, bytes, &elements, &operation},
      [from](Side side, std::int64_t start) { side.fill(from + start); },
      [&](std::int64_t start) {
        const Spot rest{spot.target, nullptr, spot.address + static_cast<std::uint64_t>(start)};
        return alone(window, rest, elements, from + start, bytes - start);
      });
}

void stream_for(Work& work, LocalRank asker, Window& window, const Datatype* type,
                const Operation* operation) {
  char* there = transport::reach_exported(asker, reinterpret_cast<void*>(work.stream.slots));
  if (!there) {
    work.error = MPI_ERR_NO_MEM;
    return;
  }
  Side side(work, *reinterpret_cast<Slots*>(there), false);
  char* memory = reinterpret_cast<char*>(work.first.address);
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
