#include "window/stream.hpp"

#include <algorithm>
#include <cstring>

#include "lockfree/slot_stream.hpp"
#include "message/engine.hpp"
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
  Side(const Work& work, Slots& its_slots, Process other, bool is_origin)
      : work_(work), slots_(its_slots), other_(other), is_origin_(is_origin) {}

  // Through the cache or around it, whichever is quicker between the two.
  void fill(const char* from) {
    auto& stores = message::peer_of(other_).stores;
    const bool around = stores.around_cache();
    std::int64_t ticks = 0;
    run([&](std::uint32_t piece) { return may_fill(slots_.progress, piece, slot_count); },
        [&](std::uint32_t piece, std::int64_t position, std::int64_t bytes) {
          const std::int64_t start = platform::now_ticks();
          copy_in(piece, from + position, bytes, around);
          note_filled(slots_.progress, piece);
          ticks += platform::now_ticks() - start;
          return true;
        });
    stores.took(around, (ticks << 20) / static_cast<std::int64_t>(work_.first.bytes));
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
  Process other_;
  bool is_origin_;
};

std::int64_t piece_bytes_for(std::int64_t bytes, std::int64_t element_bytes) {
  const std::int64_t wanted = std::clamp(bytes / 4, piece_bytes_min, piece_bytes_max);
  return wanted / element_bytes * element_bytes;
}

// What all three have in common. `side` does this rank's part of what begins at a position.
template <class OwnSide>
Error run_streams(Window& window, const Spot& spot, WorkKind kind, const Elements* elements,
                  const Operation* operation, std::int64_t bytes, std::int64_t* done,
                  OwnSide own_side) {
  platform::Guard guard(delegation_lock);
  Work* work = own_work();
  *done = 0;
  if (!work || !slots()) return MPI_SUCCESS;
  if (Error error = empty_slot()) return error;
  const std::int64_t element_bytes = elements ? elements->bytes : 1;
  while (*done < bytes) {
    describe_work(*work, window, kind, elements ? elements->type : nullptr, operation);
    const std::int64_t here =
        std::min(bytes - *done, bytes_at_once_max / element_bytes * element_bytes);
    work->pieces = 1;
    work->first = {spot.address + static_cast<std::uint64_t>(*done),
                   static_cast<std::uint64_t>(here)};
    work->stream = {reinterpret_cast<std::uint64_t>(own_slots),
                    piece_bytes_for(here, element_bytes)};
    begin_stream(own_slots->progress);
    const bool shared = delegate_together(*spot.target, *work, [&] {
      own_side(Side(*work, *own_slots, spot.target->process, true), *done);
    });
    if (!shared) return MPI_SUCCESS;
    if (work->error) return refused(window.rank_of(*spot.target), work->error);
    *done += here;
  }
  return MPI_SUCCESS;
}

}  // namespace

Error stream_put(Window& window, const Spot& spot, const char* from, std::int64_t bytes,
                 std::int64_t* done) {
  return run_streams(window, spot, WorkKind::put_stream, nullptr, nullptr, bytes, done,
                     [from](Side side, std::int64_t start) { side.fill(from + start); });
}

Error stream_get(Window& window, const Spot& spot, char* to, std::int64_t bytes,
                 std::int64_t* done) {
  return run_streams(window, spot, WorkKind::get_stream, nullptr, nullptr, bytes, done,
                     [to](Side side, std::int64_t start) {
                       side.empty([&](const char* slot, std::int64_t position, std::int64_t here) {
                         platform::copy_run(to + start + position, slot,
                                            static_cast<std::size_t>(here));
                         return true;
                       });
                     });
}

Error stream_accumulate(Window& window, const Spot& spot, const Elements& elements,
                        const Operation& operation, const char* from, std::int64_t bytes,
                        std::int64_t* done) {
  return run_streams(window, spot, WorkKind::accumulate_stream, &elements, &operation, bytes, done,
                     [from](Side side, std::int64_t start) { side.fill(from + start); });
}

void stream_for(Work& work, LocalRank asker, Window& window, const Datatype* type,
                const Operation* operation) {
  char* there = transport::reach_exported(asker, reinterpret_cast<void*>(work.stream.slots));
  if (!there) {
    work.error = MPI_ERR_NO_MEM;
    return;
  }
  Side side(work, *reinterpret_cast<Slots*>(there), transport::process_at(asker), false);
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

void free_stream() {
  if (own_slots) (void)transport::release_exported(own_slots);
  own_slots = nullptr;
}

}  // namespace baton::window
