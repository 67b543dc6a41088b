#include "window/kernel_copy.hpp"

#include <time.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>

#include "base/failure_class.hpp"
#include "datatype/runs.hpp"
#include "platform/clock.hpp"
#include "transport/move/copy.hpp"
#include "transport/move/reach.hpp"
#include "transport/node.hpp"
#include "window/packed.hpp"
#include "window/pair.hpp"

namespace baton::window {

namespace {

// Sleeps for as long as mpiexec may need to notice that a rank has died. mpiexec then ends the job
// and says which rank it was, which an error of this rank would hide.
void wait_for_the_end() {
  constexpr std::int64_t enough_ns = 10'000'000'000, nap_ns = 10'000'000;  // guess
  const std::int64_t end = platform::now_ns() + enough_ns;
  const timespec nap{0, nap_ns};
  while (platform::now_ns() < end) ::nanosleep(&nap, nullptr);
}

// Explains why the kernel has refused a copy. It is called right after the copy, while errno has
// the reason.
BATON_COLD Error kernel_refuses(const Window& window, const Spot& spot) {
  const int cause = errno, rank = window.rank_of(*spot.target);
  if (cause == EFAULT)
    return fail(MPI_ERR_RMA_RANGE,
                "at rank %d of the window some of the memory that the operation reaches is not "
                "mapped, though it is, or was, part of the window; keep it until nobody uses it",
                rank);
  if (cause == ESRCH && transport::job().continues)
    return fail(error_process_failed, "rank %d of the window, whose memory is reached, has died",
                rank);
  if (cause == ESRCH) {
    wait_for_the_end();
    return fail(MPI_ERR_PROC_ABORTED, "rank %d of the window, whose memory is reached, has ended",
                rank);
  }
  return fail(
      MPI_ERR_UNSUPPORTED_OPERATION,
      "the kernel does not let this rank reach memory of rank %d of the window (it is not "
      "of MPI_Win_allocate or MPI_Alloc_mem, and cross-memory attach is not permitted); use "
      "MPI_Win_allocate, or permit it",
      rank);
}

}  // namespace

Error copy_spot(Direction direction, const Window& window, const Spot& spot, std::uint64_t address,
                void* here, std::int64_t bytes) {
  const LocalRank owner = window.targets[spot.target->owner].local_rank;
  auto* there = reinterpret_cast<void*>(address);
  const bool done = direction == Direction::put
                        ? transport::kernel_copy_to({owner, there}, here, bytes)
                        : transport::kernel_copy_from({owner, there}, here, bytes);
  return done ? MPI_SUCCESS : kernel_refuses(window, spot);
}

Error copy_spot(Direction direction, const Window& window, const Spot& spot,
                const platform::ProcessRuns& runs, void* here) {
  const LocalRank owner = window.targets[spot.target->owner].local_rank;
  const bool done = direction == Direction::put
                        ? transport::kernel_copy_runs_to(owner, runs, here)
                        : transport::kernel_copy_runs_from(owner, runs, here);
  return done ? MPI_SUCCESS : kernel_refuses(window, spot);
}

namespace {

// This is applied to the runs of the target one after another, and does to each what the accumulate
// asks. `in` and `old` are packed, or null.
class KernelChange {
 public:
  KernelChange(Window& window, const Spot& spot, const Elements& elements, const char* in,
               char* old)
      : window_(window), spot_(spot), elements_(elements), in_(in), old_(old) {}

  // Reads runs, changes them in a copy and writes them back, as many together as fit into the copy.
  Error run(const Place& at) {
    constexpr std::int64_t copy_bytes_max = 1 << 16;  // guess: stays in cache
    char short_copy[512];
    const std::int64_t space = std::min(at.bytes(), copy_bytes_max);
    const bool is_short = space <= static_cast<std::int64_t>(sizeof short_copy);
    char* copy = is_short ? short_copy : static_cast<char*>(std::malloc(copy_bytes_max));
    if (!copy) return fail(MPI_ERR_NO_MEM, "no memory for a copy of what is accumulated");
    platform::ProcessRuns runs;
    Error error = MPI_SUCCESS;
    auto add = [&](char* place, std::int64_t bytes) {
      while (bytes > 0 && !error) {
        const std::int64_t left = space - static_cast<std::int64_t>(runs.bytes());
        const std::int64_t here = std::min(bytes, left / elements_.bytes * elements_.bytes);
        if (here == 0 || !runs.has_space()) {
          error = change_copy(runs, copy);
          continue;
        }
        runs.add(place, static_cast<std::size_t>(here));
        place += here;
        bytes -= here;
      }
      return error == MPI_SUCCESS;
    };
    datatype::for_each_run(*at.type, reinterpret_cast<void*>(spot_.address), at.count, add);
    if (!error) error = change_copy(runs, copy);
    if (!is_short) std::free(copy);
    return error;
  }

  // Changes each pair by itself, in the form of a C struct.
  Error run_pairs(const Place& at) {
    const Datatype& pair = *elements_.type;
    Error error = MPI_SUCCESS;
    for_each_pair(pair, *at.type, reinterpret_cast<char*>(spot_.address), at.count,
                  [&](char* place) {
                    error = change_one_pair(place);
                    step(pair.size);
                    return error == MPI_SUCCESS;
                  });
    return error;
  }

 private:
  void step(std::int64_t bytes) {
    if (in_) in_ += bytes;
    if (old_) old_ += bytes;
  }

  Error change_copy(platform::ProcessRuns& runs, char* copy) {
    if (Error error = copy_spot(Direction::get, window_, spot_, runs, copy)) return error;
    const auto bytes = static_cast<std::int64_t>(runs.bytes());
    change_plainly(elements_.change, elements_.bytes, in_, copy, old_, bytes / elements_.bytes);
    step(bytes);
    Error error = MPI_SUCCESS;
    if (elements_.change.kind != Change::Kind::nothing)
      error = copy_spot(Direction::put, window_, spot_, runs, copy);
    runs.clear();
    return error;
  }

  Error change_one_pair(char* place) {
    const Datatype& pair = *elements_.type;
    alignas(16) char there[element_bytes_max] = {};
    const auto address = reinterpret_cast<std::uint64_t>(place);
    Error error = copy_spot(Direction::get, window_, spot_, address, there, pair.extent);
    if (error) return error;
    change_pair(elements_.change, pair, in_, there, old_);
    if (elements_.change.kind == Change::Kind::nothing) return MPI_SUCCESS;
    datatype::for_each_run(pair, place, 1, [&](char* run, std::int64_t bytes) {
      error = copy_spot(Direction::put, window_, spot_, reinterpret_cast<std::uint64_t>(run),
                        there + (run - place), bytes);
      return error == MPI_SUCCESS;
    });
    return error;
  }

  Window& window_;
  const Spot& spot_;
  const Elements& elements_;
  const char* in_;
  char* old_;
};

}  // namespace

Error change_by_kernel(Window& window, const Spot& spot, const Accumulate& what) {
  const Elements& elements = what.elements;
  Packed in(what.from, true), old(what.result, false);
  if (!in.has_memory() || !old.has_memory()) return no_memory_for(what.at.bytes());
  {
    ElementHold hold(window, *spot.target, what.at.bytes() / elements.bytes, false);
    if (hold.error()) return hold.error();
    hold.keep_locked();
    KernelChange change(window, spot, elements, in.bytes(), old.bytes());
    if (Error error = elements.is_padded() ? change.run_pairs(what.at) : change.run(what.at))
      return error;
  }
  old.unpack();
  note_stores(window);
  return MPI_SUCCESS;
}

}  // namespace baton::window
