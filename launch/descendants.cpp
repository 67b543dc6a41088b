#include "launch/descendants.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>

namespace baton::launch {

namespace {

// The parent in /proc/PID/stat stands behind the name, which may hold anything, so search from the
// end. -1 for a process that is gone or already dead.
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

}  // namespace

void become_subreaper() {
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
}

std::vector<pid_t> descendants() {
  std::multimap<pid_t, pid_t> tree = children_by_parent();
  std::vector<pid_t> found{::getpid()};
  for (std::size_t i = 0; i < found.size(); ++i) {
    auto [first, last] = tree.equal_range(found[i]);
    for (auto child = first; child != last; ++child) found.push_back(child->second);
  }
  found.erase(found.begin());
  return found;
}

void signal_descendants(int signal) {
  for (pid_t pid : descendants()) ::kill(pid, signal);
}

void kill_descendants() {
  while (true) {
    signal_descendants(SIGKILL);
    pid_t reaped = ::waitpid(-1, nullptr, WNOHANG);
    while (reaped > 0) reaped = ::waitpid(-1, nullptr, WNOHANG);
    if (reaped < 0 && errno == ECHILD) return;
    ::usleep(1000);  // the killed are on their way
  }
}

}  // namespace baton::launch
