// This reads the status board of a job as it is at one moment: the state that each rank publishes,
// and the state of its process in the kernel. Invariant: the board may hold anything, since ranks
// can write to it; all values are bounded here.
#pragma once

#include <expected>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lockfree/job.hpp"
#include "status/process.hpp"
#include "status/times.hpp"

namespace baton::status {

struct RankStatus {
  bool elsewhere = false;  // on another node: nothing is known of it here
  pid_t process = 0;       // 0: not started
  lockfree::Phase phase = lockfree::Phase::unborn;
  bool waits = false;
  lockfree::WaitDescription wait;  // valid if the rank waits
  double wait_seconds = 0;
  ProcessLook look;
  double cpu_share = -1;           // of one CPU, lately; -1: not measured
  std::optional<RankTimes> times;  // in a job that is timed
};

// This is the mapped board of a job, read only.
struct Board {
  const lockfree::RankRow* rows = nullptr;
  std::uint32_t ranks = 0;       // on this node
  std::uint32_t first_rank = 0;  // the first of these
  std::uint32_t all_ranks = 0;   // of the job
};

// Reads all ranks of the job. `processes` are this node's where the caller knows them, else as
// ranks say.
std::vector<RankStatus> read_board(const Board& board, std::span<const pid_t> processes);

// Looks at the processes. Called twice, some time apart, it tells how much of a CPU they use.
void look_at_processes(std::vector<RankStatus>& ranks);
void measure_cpu(std::vector<RankStatus>& ranks, double seconds);

// This is a job that runs on this node.
struct JobFound {
  pid_t manager = 0;
  pid_t launcher = 0;   // the mpiexec that people see
  std::string program;  // rank 0's, as far as it can be told
  pid_t spawned_by = 0;  // the mpiexec of the job whose rank has spawned this one; 0: nobody
};
// Finds all jobs whose manager this user may inspect, ordered by process id.
std::vector<JobFound> find_jobs();

// Returns the processes that the manager has started on this node, in the order of their ranks, as
// their environment says; 0: not found. Where a shell starts the program, it is the shell's
// process.
std::vector<pid_t> started_processes(pid_t manager, const Board& board);

// Maps the board, which stays mapped. The error says why that is not possible.
std::expected<Board, std::string> open_board(pid_t manager);

// Adds the time in MPI that ranks have recorded so far; nothing in a job that is not timed.
void take_times(pid_t manager, const TickLength& clock, std::vector<RankStatus>& ranks);

}  // namespace baton::status
