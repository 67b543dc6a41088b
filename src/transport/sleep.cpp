#include "transport/sleep.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "platform/futex.hpp"
#include "platform/memory_file.hpp"
#include "transport/arena.hpp"

namespace baton::transport {

namespace {

// Returns the end of the pipe by which we wake another process; -1: it cannot be opened. The table
// keeps descriptors plus 1; 0: not opened yet.
int pipe_to(Slot slot, int number) {
  int*& pipes = slot.arena->pipes_to_others;
  if (!pipes) pipes = static_cast<int*>(std::calloc(slot.arena->slots, sizeof(int)));
  if (!pipes) return -1;
  int& pipe = pipes[slot.index];
  if (pipe == 0) {
    // relaxed: as the number of the pipe.
    const int process = slot.row().state.pid.load(std::memory_order_relaxed);
    const int opened = platform::open_from_process(process, number - 1);
    if (opened >= 0) ::fcntl(opened, F_SETFL, O_NONBLOCK);
    pipe = opened >= 0 ? opened + 1 : -1;
  }
  return pipe - 1;
}

void empty_own_pipe() {
  char bytes[64];
  while (::read(job_arena.wake_pipe[0], bytes, sizeof bytes) ==
         static_cast<ssize_t>(sizeof bytes)) {
  }
}

// Returns whether any arena's word has changed.
bool is_woken(std::uint32_t expected) {
  platform::Guard guard(arenas_lock);
  // relaxed: who changes a word writes to the pipe afterwards.
  for (Arena* arena = &job_arena; arena; arena = arena->next)
    if (arena->own_slot().doorbell().wake.word.load(std::memory_order_relaxed) != expected)
      return true;
  return false;
}

void sleep_with_descriptors(std::uint32_t expected, std::int64_t bound_us, pollfd* beside,
                            int count) {
  pollfd ends[1 + sleep_descriptors_max] = {{job_arena.wake_pipe[0], POLLIN, 0}};
  std::copy_n(beside, count, ends + 1);
  if (is_woken(expected)) return;
  const timespec bound{bound_us / 1000000, bound_us % 1000000 * 1000};
  ::ppoll(ends, 1 + static_cast<nfds_t>(count), &bound, nullptr);
  if (ends[0].revents) empty_own_pipe();
  std::copy_n(ends + 1, count, beside);
}

}  // namespace

Error open_wake_pipe() {
  if (job_arena.wake_pipe[0] >= 0) return MPI_SUCCESS;
  if (::pipe2(job_arena.wake_pipe, O_CLOEXEC | O_NONBLOCK) != 0)
    return fail(MPI_ERR_NO_MEM, "no pipe to be woken by: %s; raise the limit on open files",
                std::strerror(errno));
  for (int& end : job_arena.wake_pipe) end = platform::move_to_high_number(end);
  platform::Guard guard(arenas_lock);
  for (Arena* arena = &job_arena; arena; arena = arena->next) publish_wake_pipe(*arena);
  return MPI_SUCCESS;
}

void publish_wake_pipe(Arena& arena) {
  // relaxed: see wake_sleeper.
  arena.own_slot().row().state.wake_pipe.store(job_arena.wake_pipe[1] + 1,
                                               std::memory_order_relaxed);
}

void forget_pipes(Arena& arena) {
  for (std::uint32_t i = 0; arena.pipes_to_others && i < arena.slots; ++i)
    if (arena.pipes_to_others[i] > 0) ::close(arena.pipes_to_others[i] - 1);
  std::free(arena.pipes_to_others);
  arena.pipes_to_others = nullptr;
}

void close_wake_pipe() {
  for (int& end : job_arena.wake_pipe) {
    if (end >= 0) ::close(end);
    end = -1;
  }
}

void sleep_until_woken(std::uint32_t expected, std::int64_t bound_us, pollfd* beside, int count) {
  if (BATON_UNLIKELY(job_arena.wake_pipe[0] >= 0))
    return sleep_with_descriptors(expected, bound_us, beside, count);
  constexpr std::int64_t blind_us = 200;  // guess: this wait does not watch descriptors
  if (BATON_UNLIKELY(count > 0)) bound_us = std::min(bound_us, blind_us);
  platform::futex_wait(job_arena.own_slot().doorbell().wake.word, expected, bound_us);
}

void wake_sleeper(Slot slot) {
  // relaxed: it was written before the process announced that it sleeps, which we have seen.
  const int number = slot.row().state.wake_pipe.load(std::memory_order_relaxed);
  if (BATON_LIKELY(number == 0)) return platform::futex_wake(slot.doorbell().wake.word);
  const int end = slot.is_own() ? job_arena.wake_pipe[1] : pipe_to(slot, number);
  // If the pipe is full, the process was woken already; if it cannot be opened, the process sleeps
  // until its bound.
  if (end >= 0) (void)!::write(end, "", 1);
}

}  // namespace baton::transport
