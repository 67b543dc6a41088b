#include "transport/next_program.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "platform/memory_file.hpp"

namespace baton::transport {

namespace {

using lockfree::Phase;
using lockfree::RankRow;

constexpr useconds_t look_again_us = 1000;  // guess: another rank's program takes longer to end

std::uint32_t own_pid_namespace() {
  struct stat facts{};
  return ::stat("/proc/self/ns/pid", &facts) == 0 ? static_cast<std::uint32_t>(facts.st_ino) : 0;
}

// relaxed: the rank writes it before `programs` says that there is a program.
bool counts_here(RankRow& row) {
  return std::atomic_ref(row.state.pid_namespace).load(std::memory_order_relaxed) ==
         own_pid_namespace();
}

// Returns whether the process can store nothing any more, because it has ended.
bool has_ended(std::int32_t process) {
  if (::kill(process, 0) != 0 && errno == ESRCH) return true;
  char name[32], text[512];
  std::snprintf(name, sizeof name, "/proc/%d/stat", process);
  const int file = ::open(name, O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  const ssize_t length = ::read(file, text, sizeof text - 1);
  ::close(file);
  text[length > 0 ? length : 0] = '\0';
  const char* name_end = std::strrchr(text, ')');  // the name may contain anything
  return name_end && (name_end[1] == ' ' && (name_end[2] == 'Z' || name_end[2] == 'X'));
}

// Returns whether the rank has left program `number` for good, or is the next one already.
bool has_left(RankRow& row, std::uint32_t number) {
  const auto& state = row.state;
  // ORDER programs.claim: acquire here, release in become_rank; the row is the next program's.
  const std::uint32_t programs = state.programs.load(std::memory_order_acquire);
  if (programs != number + 1) return programs > number + 1;
  // ORDER rank.phase: acquire here, release in the library of the other process.
  if (state.phase.load(std::memory_order_acquire) != Phase::finalized) return false;
  // relaxed: this number is only used to ask the kernel.
  const std::int32_t process = state.pid.load(std::memory_order_relaxed);
  return has_ended(process);
}

// Returns whether another rank's process ids mean nothing here, since it has another namespace.
bool is_out_of_sight(RankRow& row) {
  // ORDER programs.claim: acquire here, release in become_rank; its namespace is known.
  return row.state.programs.load(std::memory_order_acquire) > 0 && !counts_here(row);
}

// Clears what the rank's last program has left in its row, but not what the launcher has written
// there.
void clear(RankRow& row, std::uint32_t number) {
  auto& state = row.state;
  // relaxed, all: they are ordered by the header's word.
  constexpr auto relaxed = std::memory_order_relaxed;
  if (state.programs.load(relaxed) == number) {
    std::int32_t last = state.pid.load(relaxed);
    // This is for a rank that is not here yet: a rank that waits for it must not take it for
    // finalized.
    if (last != 0 && has_ended(last) && state.pid.compare_exchange_strong(last, 0, relaxed))
      state.phase.store(Phase::unborn, relaxed);
  }
  state.abort_code.store(0, relaxed);
  state.abort_cause.store(lockfree::AbortCause::none, relaxed);
  state.probe_address.store(0, relaxed);
  state.probe_value.store(0, relaxed);
  state.heap_address.store(0, relaxed);
  state.xpmem_segment.store(0, relaxed);
  state.wake_pipe.store(0, relaxed);
  constexpr std::size_t behind = offsetof(RankRow, counters);
  std::memset(reinterpret_cast<char*>(&row) + behind, 0, sizeof row - behind);
}

bool make_new(lockfree::JobHeader* job, int descriptor, std::uint32_t number) {
  for (std::uint32_t rank = 0; rank < job->ranks; ++rank)
    clear(*lockfree::rank_row(job, rank), number);
  job->notes_given = 0;
  job->lost_process = 0;
  job->rooms = {};
  const std::uint64_t start = job->mailboxes_offset;
  return platform::clear_memory(descriptor, start, platform::memory_file_bytes(descriptor) - start);
}

// Waits until the memory is new for program `number`; the first rank to see that all have left the
// program before makes it new.
Error wait_for_new_memory(lockfree::JobHeader* job, int descriptor, std::uint32_t number) {
  std::atomic_ref new_for(job->new_for);
  while (true) {
    // ORDER memory.new: acquire here, release below; all is as in a job that has just begun.
    std::uint32_t now = new_for.load(std::memory_order_acquire);
    if (now >= 2 * number) return MPI_SUCCESS;
    bool all_left = now == 2 * (number - 1);
    for (std::uint32_t rank = 0; all_left && rank < job->ranks; ++rank) {
      RankRow& row = *lockfree::rank_row(job, rank);
      if (is_out_of_sight(row))
        return fail(MPI_ERR_OTHER,
                    "rank %u runs in another process namespace (a container), where nobody sees "
                    "from here whether its last program has ended; give each program an mpiexec",
                    rank);
      all_left = has_left(row, number - 1);
    }
    // relaxed: the word was acquired above, and only one rank wins the exchange.
    if (all_left && new_for.compare_exchange_strong(now, now + 1, std::memory_order_relaxed)) {
      if (!make_new(job, descriptor, number))
        return fail(MPI_ERR_OTHER,
                    "the kernel does not let the job's memory be emptied for another program of "
                    "this rank (fallocate: %s); give it an mpiexec of its own, or permit that in "
                    "the container's system call filter",
                    std::strerror(errno));
      // ORDER memory.new: release here, acquire above.
      new_for.store(2 * number, std::memory_order_release);
      return MPI_SUCCESS;
    }
    ::usleep(look_again_us);
  }
}

Error refuse(const lockfree::JobHeader& job, LocalRank rank, std::int32_t before, Phase phase) {
  const char* why = phase == Phase::finalized && job.processes_offset != 0
                        ? "in a job on several nodes a rank is one program"
                    : phase == Phase::finalized ? "it has not ended"
                    : phase == Phase::aborted   ? "it ended the job"
                                                : "it did not call MPI_Finalize";
  return fail(MPI_ERR_OTHER,
              "rank %u of this job was process %d already, and %s; a program that runs beside a "
              "rank, or after one that failed, is no rank: give it an mpiexec of its own, or unset "
              "BATON_RANK",
              number_of(rank), static_cast<int>(before), why);
}

}  // namespace

Error become_rank(lockfree::JobHeader* job, int descriptor, LocalRank rank) {
  RankRow& row = *lockfree::rank_row(job, number_of(rank));
  auto& state = row.state;
  // relaxed: earlier processes of this rank wrote it; the exchange below decides.
  std::int32_t before = state.pid.load(std::memory_order_relaxed);
  // ORDER rank.phase: acquire here, release in the process before.
  const Phase phase = state.phase.load(std::memory_order_acquire);
  const bool may_follow = phase == Phase::finalized && job->processes_offset == 0 &&
                          counts_here(row) && has_ended(before);
  if (before != 0 && !may_follow) return refuse(*job, rank, before, phase);
  // relaxed: one of two processes gets the row; no other data depends on it.
  if (!state.pid.compare_exchange_strong(before, ::getpid(), std::memory_order_relaxed) &&
      !(before == 0 &&
        state.pid.compare_exchange_strong(before, ::getpid(), std::memory_order_relaxed)))
    return refuse(*job, rank, before, Phase::initialized);
  std::atomic_ref(state.pid_namespace).store(own_pid_namespace(), std::memory_order_relaxed);
  // relaxed: it is ordered by the number.
  state.phase.store(Phase::started, std::memory_order_relaxed);
  // ORDER programs.claim: release here, acquire in has_left; the row is ours.
  const std::uint32_t number = state.programs.fetch_add(1, std::memory_order_release);
  return number == 0 ? MPI_SUCCESS : wait_for_new_memory(job, descriptor, number);
}

}  // namespace baton::transport
