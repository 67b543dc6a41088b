#include "launch/run/descendants.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>

namespace baton::launch {

namespace {

// Returns the parent from /proc/PID/stat. It stands behind the name, which may hold anything, so
// this searches from the end. -1: the process is gone or already dead.
pid_t living_parent(pid_t pid) {
  char path[40];
  std::snprintf(path, sizeof path, "/proc/%d/stat", static_cast<int>(pid));
  int file = ::open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return -1;
  char text[512];
  ssize_t length = ::read(file, text, sizeof text - 1);
  ::close(file);
  if (length <= 0) return -1;
  text[length] = '\0';
  const char* name_end = std::strrchr(text, ')');
  char state = 0;
  int parent = -1;
  if (!name_end || std::sscanf(name_end + 1, " %c %d", &state, &parent) != 2) return -1;
  return state == 'Z' || state == 'X' ? -1 : parent;
}

// Returns all processes by parent; empty where /proc is not mounted.
std::multimap<pid_t, pid_t> children_by_parent() {
  std::multimap<pid_t, pid_t> tree;
  DIR* processes = ::opendir("/proc");
  if (!processes) return tree;
  while (dirent* entry = ::readdir(processes)) {
    int pid = std::atoi(entry->d_name);
    if (pid <= 0) continue;
    pid_t parent = living_parent(pid);
    if (parent > 0) tree.emplace(parent, pid);
  }
  ::closedir(processes);
  return tree;
}

// The process is not reaped yet and a child of ours, so its number cannot be another's.
bool is_our_child(pid_t pid) {
  siginfo_t info{};
  return ::waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
         info.si_pid == 0;
}

// Returns whether anything was reaped; sets `none` when there was no child at all.
bool reap_all(bool& none) {
  bool reaped = false;
  pid_t pid = 0;
  while ((pid = ::waitpid(-1, nullptr, WNOHANG)) > 0) reaped = true;
  none = pid < 0 && errno == ECHILD;
  return reaped;
}

// Describes processes that outlive SIGKILL.
std::string survivors_text(const std::vector<pid_t>& left) {
  if (left.empty())
    return "processes that ranks started are still running; they cannot be found, since /proc is "
           "not mounted or hides them";
  std::string numbers;
  bool forbidden = false;
  for (pid_t pid : left) {
    numbers += (numbers.empty() ? "" : ", ") + std::to_string(pid);
    forbidden |= ::kill(pid, 0) != 0 && errno == EPERM;
  }
  return "could not end process " + numbers +
         (forbidden ? ", which became another user's; end it as that user"
                    : ", which is in a system call that the kernel does not interrupt");
}

}  // namespace

void become_subreaper() {
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
}

std::vector<pid_t> descendants(std::span<const pid_t> known) {
  std::multimap<pid_t, pid_t> tree = children_by_parent();
  std::vector<pid_t> found{::getpid()};
  for (std::size_t i = 0; i < found.size(); ++i) {
    auto [first, last] = tree.equal_range(found[i]);
    for (auto child = first; child != last; ++child) found.push_back(child->second);
  }
  found.erase(found.begin());
  if (!tree.empty()) return found;
  for (pid_t pid : known)
    if (pid > 0 && is_our_child(pid)) found.push_back(pid);
  return found;
}

void signal_descendants(int signal, std::span<const pid_t> known) {
  for (pid_t pid : descendants(known)) ::kill(pid, signal);
}

std::string kill_descendants(std::span<const pid_t> known) {
  constexpr auto patience = std::chrono::seconds(3);  // guess: large processes are freed slowly
  auto last_death = std::chrono::steady_clock::now();
  while (true) {
    const std::vector<pid_t> left = descendants(known);
    bool refused = !left.empty();  // by the kernel, for all of them
    for (pid_t pid : left) refused &= ::kill(pid, SIGKILL) != 0 && errno == EPERM;
    bool none = false;
    const auto now = std::chrono::steady_clock::now();
    if (reap_all(none)) last_death = now;
    if (none) return {};
    if (now - last_death > (refused ? patience / 10 : patience)) return survivors_text(left);
    ::usleep(1000);  // the killed processes are about to end
  }
}

}  // namespace baton::launch
