#include "status/board.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <optional>
#include <thread>

#include "platform/file_text.hpp"
#include "status/printable.hpp"

namespace baton::status {

namespace {

using lockfree::AwaitedRanks;
using lockfree::Phase;

constexpr std::string_view manager_name = "baton-keeper";

double now_seconds() {
  timespec time;
  ::clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

// Keeps only ranks that exist, and only characters that can be printed.
void make_safe(lockfree::WaitDescription& wait, std::uint32_t ranks) {
  AwaitedRanks known;
  known.more = wait.awaited.more;
  for (std::uint32_t i = 0; i < wait.awaited.count; ++i) {
    const std::uint32_t first = AwaitedRanks::first_of(wait.awaited.ranges[i]);
    const std::uint32_t last = std::min(AwaitedRanks::last_of(wait.awaited.ranges[i]), ranks - 1);
    if (first <= last) known.ranges[known.count++] = first << 16 | last;
  }
  wait.awaited = known;
  make_printable(wait.procedure);
  make_printable(wait.words);
}

// Returns the text of a file of /proc; empty for a process that has ended.
std::string file_text(const std::string& path) {
  return platform::file_text(path).value_or("");
}

pid_t parent_of(pid_t process) {
  const std::string stat = file_text("/proc/" + std::to_string(process) + "/stat");
  const std::size_t name_end = stat.rfind(')');
  int parent = 0;
  if (name_end != std::string::npos) std::sscanf(stat.c_str() + name_end + 1, " %*c %d", &parent);
  return parent;
}

template <class Act>
void each_process(Act&& act) {
  DIR* processes = ::opendir("/proc");
  if (!processes) return;
  while (dirent* entry = ::readdir(processes))
    if (const pid_t process = std::atoi(entry->d_name); process > 0) act(process);
  ::closedir(processes);
}

// Returns why a file is not a job's memory; null: it is, and `header` has been read.
const char* board_problem(int file, lockfree::JobHeader* header) {
  struct stat facts{};
  if (::pread(file, header, sizeof *header, 0) != sizeof *header || ::fstat(file, &facts) != 0)
    return "it is too short";
  if (const char* problem = lockfree::job_header_problem(*header)) return problem;
  const auto size = static_cast<std::uint64_t>(facts.st_size);
  const std::uint64_t ranks = header->ranks;
  const bool fits = ranks > 0 && ranks <= lockfree::ranks_max && header->rows_offset <= size &&
                    header->rows_offset % alignof(lockfree::RankRow) == 0 &&
                    ranks * sizeof(lockfree::RankRow) <= size - header->rows_offset;
  return fits ? nullptr : "its sizes do not add up";
}

// Returns the manager's descriptor of the job's memory. Files of programs may have a similar name,
// so files that do not fit are passed over; the error says what is wrong with the last of them.
std::expected<int, std::string> job_descriptor(pid_t manager, lockfree::JobHeader* header) {
  const std::string folder = "/proc/" + std::to_string(manager) + "/fd";
  std::string problem = "its memory cannot be opened: it is another user's, or has ended";
  DIR* entries = ::opendir(folder.c_str());
  if (!entries) return std::unexpected(problem);
  int found = -1;
  while (dirent* entry = found < 0 ? ::readdir(entries) : nullptr) {
    char target[64] = {};
    const std::string link = folder + "/" + entry->d_name;
    if (::readlink(link.c_str(), target, sizeof target - 1) <= 0) continue;
    const std::string_view name = target;
    if (!name.starts_with("/memfd:baton-job") && !name.starts_with("/dev/shm/#")) continue;
    const int file = ::open(link.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0) continue;
    const char* wrong = board_problem(file, header);
    if (!wrong) {
      found = file;
      continue;
    }
    problem = std::string("its memory cannot be read: ") + wrong;
    ::close(file);
  }
  ::closedir(entries);
  if (found < 0) return std::unexpected(problem);
  return found;
}

// Makes a board of the mapped header. Ranks may write anything there, so all numbers are kept
// within bounds.
Board board_of(const lockfree::JobHeader& header, const char* rows) {
  Board board{reinterpret_cast<const lockfree::RankRow*>(rows), header.ranks, 0,
              std::clamp(header.world.processes, header.ranks, 1u << 16)};
  board.first_rank = std::min(board.rows->launcher.process, board.all_ranks - board.ranks);
  return board;
}

std::string program_of(pid_t process) {
  std::string words = file_text("/proc/" + std::to_string(process) + "/cmdline");
  std::ranges::replace(words, '\0', ' ');
  while (!words.empty() && words.back() == ' ') words.pop_back();
  return words;
}

}  // namespace

std::vector<RankStatus> read_board(const Board& board, std::span<const pid_t> processes) {
  std::vector<RankStatus> all(board.all_ranks);
  for (RankStatus& status : all) status.elsewhere = true;
  const double now = now_seconds();
  for (std::uint32_t rank = 0; rank < board.ranks; ++rank) {
    RankStatus& status = all[board.first_rank + rank];
    const lockfree::RankRow& row = board.rows[rank];
    status.elsewhere = false;
    // relaxed: a hint; the launcher's own number is that of a shell where the program runs below
    // one.
    status.process = row.state.pid.load(std::memory_order_relaxed);
    if (status.process <= 0 && rank < processes.size()) status.process = processes[rank];
    // ORDER rank.phase: acquire here, release in the library.
    status.phase = row.state.phase.load(std::memory_order_acquire);
    status.waits = row.waits.look(&status.wait);
    if (!status.waits) continue;
    make_safe(status.wait, board.all_ranks);
    status.wait_seconds = std::max(0.0, now - static_cast<double>(status.wait.since_ns) * 1e-9);
  }
  return all;
}

void look_at_processes(std::vector<RankStatus>& ranks) {
  for (RankStatus& rank : ranks)
    if (rank.process > 0) rank.look = look_at_process(rank.process);
}

void measure_cpu(std::vector<RankStatus>& ranks, double seconds) {
  look_at_processes(ranks);
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
  for (RankStatus& rank : ranks) {
    if (rank.process <= 0 || rank.look.state == 0) continue;
    const ProcessLook later = look_at_process(rank.process);
    if (later.state && later.cpu_ticks >= rank.look.cpu_ticks)
      rank.cpu_share =
          static_cast<double>(later.cpu_ticks - rank.look.cpu_ticks) / ticks_per_second() / seconds;
    rank.look = later;
  }
}

std::vector<pid_t> started_processes(pid_t manager, const Board& board) {
  constexpr std::string_view variable = "BATON_RANK=";
  std::vector<pid_t> found(board.ranks);
  each_process([&](pid_t process) {
    if (parent_of(process) != manager) return;
    const std::string text = file_text("/proc/" + std::to_string(process) + "/environ");
    for (std::size_t at = 0; at < text.size(); at = text.find('\0', at) + 1) {
      if (std::string_view(text).substr(at).starts_with(variable)) {
        // A rank below the first one gives a very large number.
        const unsigned long rank =
            std::strtoul(text.c_str() + at + variable.size(), nullptr, 10) - board.first_rank;
        if (rank < board.ranks) found[rank] = process;
      }
      if (text.find('\0', at) == std::string::npos) break;
    }
  });
  return found;
}

std::vector<JobFound> find_jobs() {
  std::vector<JobFound> jobs;
  each_process([&](pid_t process) {
    const std::string name = file_text("/proc/" + std::to_string(process) + "/comm");
    if (!name.starts_with(manager_name)) return;
    auto board = open_board(process);
    if (!board) return;
    const std::vector<pid_t> started = started_processes(process, *board);
    jobs.push_back({process, parent_of(process), program_of(started.front())});
  });
  // A spawned job's mpiexec is a child of the manager whose rank has started it.
  for (JobFound& job : jobs) {
    const auto parent = std::ranges::find(jobs, parent_of(job.launcher), &JobFound::manager);
    if (parent != jobs.end()) job.spawned_by = parent->launcher;
  }
  std::ranges::sort(jobs, {}, &JobFound::manager);
  return jobs;
}

std::expected<Board, std::string> open_board(pid_t manager) {
  lockfree::JobHeader header{};
  auto file = job_descriptor(manager, &header);
  if (!file) return std::unexpected(file.error());
  const std::uint64_t bytes = header.rows_offset + header.ranks * sizeof(lockfree::RankRow);
  void* memory = ::mmap(nullptr, bytes, PROT_READ, MAP_SHARED, *file, 0);
  const int cause = errno;
  ::close(*file);
  if (memory == MAP_FAILED)
    return std::unexpected(std::string("its memory cannot be mapped: ") + std::strerror(cause));
  return board_of(header, static_cast<const char*>(memory) + header.rows_offset);
}

void take_times(pid_t manager, const TickLength& clock, std::vector<RankStatus>& ranks) {
  lockfree::JobHeader header{};
  auto file = job_descriptor(manager, &header);
  if (!file) return;
  const lockfree::TimingPlan& plan = header.timing;
  const std::uint32_t all = header.world.processes;
  if (plan.bytes != 0 && all == ranks.size() &&
      plan.bytes == lockfree::timing_layout(all, plan.event_bytes).bytes) {
    const auto first = std::ranges::find(ranks, false, &RankStatus::elsewhere) - ranks.begin();
    JobTimes times =
        read_times({*file, all, header.ranks, static_cast<std::uint32_t>(first), plan}, clock);
    for (std::size_t rank = 0; rank < ranks.size(); ++rank)
      if (times.ranks[rank].began) ranks[rank].times = std::move(times.ranks[rank]);
  }
  ::close(*file);
}

}  // namespace baton::status
