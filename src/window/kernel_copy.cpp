#include "window/kernel_copy.hpp"

#include <time.h>

#include <cerrno>

#include "platform/clock.hpp"
#include "transport/single_copy.hpp"

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

LocalRank owner_of(const Window& window, const Target& target) {
  return window.targets[target.owner].local_rank;
}

}  // namespace

Error copy_spot(Direction direction, const Window& window, const Spot& spot, std::uint64_t address,
                void* here, std::int64_t bytes) {
  const LocalRank owner = owner_of(window, *spot.target);
  auto* there = reinterpret_cast<void*>(address);
  const bool done = direction == Direction::put
                        ? transport::write_by_kernel(owner, here, there, bytes)
                        : transport::read_by_kernel(owner, there, here, bytes);
  return done ? MPI_SUCCESS : kernel_refuses(window, spot);
}

Error copy_spot(Direction direction, const Window& window, const Spot& spot,
                const platform::ProcessRuns& runs, void* here) {
  const LocalRank owner = owner_of(window, *spot.target);
  const bool done = direction == Direction::put ? transport::write_runs_to(owner, here, runs)
                                                : transport::read_runs_from(owner, runs, here);
  return done ? MPI_SUCCESS : kernel_refuses(window, spot);
}

}  // namespace baton::window
