#include "transport/sleep.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "platform/futex.hpp"
#include "platform/memory_file.hpp"
#include "transport/node.hpp"

namespace baton::transport {

namespace {

// Returns the end of the pipe by which we wake another rank; -1: it cannot be opened. The table
// keeps descriptors plus 1; 0: not opened yet.
int pipe_to(LocalRank rank) {
  int& pipe = arena.pipes_to_others[number_of(rank)];
  if (pipe == 0) {
    const auto& state = status_row(rank).state;
    // relaxed: it was written before the rank announced that it sleeps, which we have seen.
    const int number = state.wake_pipe.load(std::memory_order_relaxed);
    const int process = state.pid.load(std::memory_order_relaxed);
    const int opened = number > 0 ? platform::open_from_process(process, number - 1) : -1;
    if (opened >= 0) ::fcntl(opened, F_SETFL, O_NONBLOCK);
    pipe = opened >= 0 ? opened + 1 : -1;
  }
  return pipe - 1;
}

void empty_own_pipe() {
  char bytes[64];
  while (::read(arena.wake_pipe[0], bytes, sizeof bytes) == static_cast<ssize_t>(sizeof bytes)) {
  }
}

}  // namespace

Error open_wake_pipe() {
  arena.pipes_to_others = static_cast<int*>(std::calloc(rank_count(), sizeof(int)));
  if (!arena.pipes_to_others || ::pipe2(arena.wake_pipe, O_CLOEXEC | O_NONBLOCK) != 0)
    return fail(MPI_ERR_NO_MEM, "no pipe to be woken by: %s; raise the limit on open files",
                std::strerror(errno));
  for (int& end : arena.wake_pipe) end = platform::move_to_high_number(end);
  // relaxed: see pipe_to.
  status_row(own_rank()).state.wake_pipe.store(arena.wake_pipe[1] + 1, std::memory_order_relaxed);
  return MPI_SUCCESS;
}

void close_wake_pipe() {
  for (int& end : arena.wake_pipe) {
    if (end >= 0) ::close(end);
    end = -1;
  }
  for (std::uint32_t i = 0; arena.pipes_to_others && i < rank_count(); ++i)
    if (arena.pipes_to_others[i] > 0) ::close(arena.pipes_to_others[i] - 1);
  std::free(arena.pipes_to_others);
  arena.pipes_to_others = nullptr;
}

namespace {

void sleep_with_descriptors(std::uint32_t expected, std::int64_t bound_us, pollfd* beside,
                            int count) {
  pollfd ends[1 + sleep_descriptors_max] = {{arena.wake_pipe[0], POLLIN, 0}};
  std::copy_n(beside, count, ends + 1);
  // relaxed: a rank that changes it after this writes to the pipe, too.
  if (doorbell(own_rank()).wake.word.load(std::memory_order_relaxed) != expected) return;
  const timespec bound{bound_us / 1000000, bound_us % 1000000 * 1000};
  ::ppoll(ends, 1 + static_cast<nfds_t>(count), &bound, nullptr);
  if (ends[0].revents) empty_own_pipe();
  std::copy_n(ends + 1, count, beside);
}

}  // namespace

void sleep_until_woken(std::uint32_t expected, std::int64_t bound_us, pollfd* beside, int count) {
  if (BATON_UNLIKELY(spans_nodes()))
    return sleep_with_descriptors(expected, bound_us, beside, count);
  constexpr std::int64_t blind_us = 200;  // guess: this wait does not watch descriptors
  if (BATON_UNLIKELY(count > 0)) bound_us = std::min(bound_us, blind_us);
  platform::futex_wait(doorbell(own_rank()).wake.word, expected, bound_us);
}

void wake_sleeper(LocalRank rank) {
  if (BATON_LIKELY(!spans_nodes())) return platform::futex_wake(doorbell(rank).wake.word);
  const int end = rank == own_rank() ? arena.wake_pipe[1] : pipe_to(rank);
  // If the pipe is full, the rank was woken already; if it cannot be opened, the rank sleeps until
  // its bound.
  if (end >= 0) (void)!::write(end, "", 1);
}

}  // namespace baton::transport
