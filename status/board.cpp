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
#include <fstream>
#include <iterator>
#include <optional>
#include <thread>

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

// Only ranks that there are, and only what can be printed.
void make_safe(lockfree::WaitDescription& wait, std::uint32_t ranks) {
  AwaitedRanks known;
  known.more = wait.awaited.more;
  for (std::uint32_t i = 0; i < wait.awaited.count; ++i) {
    const std::uint32_t first = AwaitedRanks::first_of(wait.awaited.ranges[i]);
    const std::uint32_t last = std::min(AwaitedRanks::last_of(wait.awaited.ranges[i]), ranks - 1);
    if (first <= last) known.ranges[known.count++] = first << 16 | last;
  }
  wait.awaited = known;
  auto printable = [](char* text) {
    for (; *text; ++text)
      if (static_cast<unsigned char>(*text) < ' ' || *text == 127) *text = '?';
  };
  printable(wait.procedure);
  printable(wait.words);
}

std::string file_text(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
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

// The manager's descriptor of the job's memory; -1: it has none, or may not be looked at.
int job_descriptor(pid_t manager) {
  const std::string folder = "/proc/" + std::to_string(manager) + "/fd";
  DIR* entries = ::opendir(folder.c_str());
  if (!entries) return -1;
  int found = -1;
  while (dirent* entry = ::readdir(entries)) {
    char target[64] = {};
    const std::string link = folder + "/" + entry->d_name;
    if (::readlink(link.c_str(), target, sizeof target - 1) <= 0) continue;
    const std::string_view name = target;
    if (name.starts_with("/memfd:baton-job") || name.starts_with("/dev/shm/#"))
      found = ::open(link.c_str(), O_RDONLY | O_CLOEXEC);
    if (found >= 0) break;
  }
  ::closedir(entries);
  return found;
}

std::string program_of(pid_t process) {
  std::string words = file_text("/proc/" + std::to_string(process) + "/cmdline");
  std::ranges::replace(words, '\0', ' ');
  while (!words.empty() && words.back() == ' ') words.pop_back();
  return words;
}

}  // namespace

std::vector<RankStatus> read_board(const lockfree::RankRow* rows, std::uint32_t ranks,
                                   std::span<const pid_t> processes) {
  std::vector<RankStatus> all(ranks);
  const double now = now_seconds();
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    RankStatus& status = all[rank];
    const lockfree::RankRow& row = rows[rank];
    // relaxed: a look; the launcher's own number is that of a shell where one is between.
    status.process = row.state.pid.load(std::memory_order_relaxed);
    if (status.process <= 0 && rank < processes.size()) status.process = processes[rank];
    // ORDER rank.phase: acquire here, release in the library.
    status.phase = row.state.phase.load(std::memory_order_acquire);
    status.waits = row.waits.look(&status.wait);
    if (!status.waits) continue;
    make_safe(status.wait, ranks);
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

std::vector<pid_t> started_processes(pid_t manager, std::uint32_t ranks) {
  constexpr std::string_view variable = "BATON_RANK=";
  std::vector<pid_t> found(ranks);
  each_process([&](pid_t process) {
    if (parent_of(process) != manager) return;
    const std::string text = file_text("/proc/" + std::to_string(process) + "/environ");
    for (std::size_t at = 0; at < text.size(); at = text.find('\0', at) + 1) {
      if (std::string_view(text).substr(at).starts_with(variable)) {
        const unsigned long rank = std::strtoul(text.c_str() + at + variable.size(), nullptr, 10);
        if (rank < ranks) found[rank] = process;
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
    const std::vector<pid_t> started = started_processes(process, board->ranks);
    jobs.push_back({process, parent_of(process), program_of(started.front())});
  });
  std::ranges::sort(jobs, {}, &JobFound::manager);
  return jobs;
}

std::expected<Board, std::string> open_board(pid_t manager) {
  const int file = job_descriptor(manager);
  if (file < 0)
    return std::unexpected("its memory cannot be opened: it is another user's, or has ended");
  struct stat facts {};
  lockfree::JobHeader header{};
  const bool read = ::pread(file, &header, sizeof header, 0) == sizeof header;
  const char* problem = read ? lockfree::job_header_problem(header) : "it is too short";
  const std::uint64_t bytes = header.rows_offset + header.ranks * sizeof(lockfree::RankRow);
  if (!problem &&
      (::fstat(file, &facts) != 0 || header.ranks == 0 || header.ranks > lockfree::ranks_max ||
       bytes > static_cast<std::uint64_t>(facts.st_size)))
    problem = "its sizes do not add up";
  void* memory = MAP_FAILED;
  if (!problem) memory = ::mmap(nullptr, bytes, PROT_READ, MAP_SHARED, file, 0);
  const int cause = errno;
  ::close(file);
  if (problem) return std::unexpected(std::string("its memory cannot be read: ") + problem);
  if (memory == MAP_FAILED)
    return std::unexpected(std::string("its memory cannot be mapped: ") + std::strerror(cause));
  const char* rows = static_cast<const char*>(memory) + header.rows_offset;
  return Board{reinterpret_cast<const lockfree::RankRow*>(rows), header.ranks};
}

}  // namespace baton::status
