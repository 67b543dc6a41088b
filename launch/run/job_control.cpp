#include "launch/run/job_control.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <span>
#include <string_view>

namespace baton::launch {

namespace {

// The array is made once, and never freed: the handler may read it at any time.
std::span<std::atomic<pid_t>> sessions;

// Reads a line "NAME:\tHEX" of /proc/PID/status.
bool has_signal(std::string_view status, std::string_view line, int signal) {
  const std::size_t at = status.find(line);
  if (at == std::string_view::npos) return false;
  status.remove_prefix(at + line.size());
  std::uint64_t set = 0;
  std::from_chars(status.data(), status.data() + status.size(), set, 16);
  return (set >> (signal - 1)) & 1;
}

// Returns whether the process handles or ignores SIGTSTP. It calls only functions that are safe in
// a signal handler.
bool wants_to_be_asked(pid_t process) {
  char name[] = "/proc/0000000000/status";
  char* const digits = name + sizeof "/proc/" - 1;
  const auto end = std::to_chars(digits, digits + 10, process);
  std::memcpy(end.ptr, "/status", sizeof "/status");
  const int file = ::open(name, O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  char text[4096];
  const ssize_t length = ::read(file, text, sizeof text);
  ::close(file);
  const std::string_view status(text, static_cast<std::size_t>(std::max<ssize_t>(length, 0)));
  return has_signal(status, "SigIgn:\t", SIGTSTP) || has_signal(status, "SigCgt:\t", SIGTSTP);
}

// The kernel ignores SIGTSTP in a session that has no other process group, unless a program handles
// it, so SIGSTOP replaces it.
void stop_sessions() {
  for (const auto& session : sessions) {
    const pid_t process = session.load(std::memory_order_relaxed);  // relaxed: the same thread
    if (process > 0) ::kill(-process, wants_to_be_asked(process) ? SIGTSTP : SIGSTOP);
  }
}

std::atomic<bool> stopped = false;

// A stop discards a pending SIGCONT, and SIGCONT discards a pending stop, so the last one counts.
void handle(int signal) {
  const int error = errno;
  stopped.store(signal != SIGCONT, std::memory_order_relaxed);  // relaxed: the same thread
  if (signal == SIGCONT)
    signal_sessions(SIGCONT);
  else
    stop_sessions();
  errno = error;
}

}  // namespace

bool share_sessions(std::size_t ranks) {
  void* const shared = ::mmap(nullptr, ranks * sizeof(std::atomic<pid_t>), PROT_READ | PROT_WRITE,
                              MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  const bool is_shared = shared != MAP_FAILED;
  sessions = {
      is_shared ? static_cast<std::atomic<pid_t>*>(shared) : new std::atomic<pid_t>[ranks] {},
      ranks};
  return is_shared;
}

void follow_stops() {
  for (int signal : {SIGTSTP, SIGTTIN, SIGTTOU, SIGCONT}) {
    struct sigaction action {};
    if (::sigaction(signal, nullptr, &action) != 0 || action.sa_handler == SIG_IGN) continue;
    action.sa_handler = handle;
    action.sa_flags = 0;  // an interrupted read of the terminal is repeated after SIGCONT
    ::sigfillset(&action.sa_mask);
    ::sigaction(signal, &action, nullptr);
  }
}

bool is_stopped() {
  return stopped.load(std::memory_order_relaxed);  // relaxed: the same thread
}

void set_session(std::size_t rank, pid_t process) {
  // relaxed: a handler in this thread reads it, and the sweeper once this process is dead.
  sessions[rank].store(process, std::memory_order_relaxed);
}

void forget_sessions() {
  for (std::size_t rank = 0; rank < sessions.size(); ++rank) set_session(rank, 0);
}

void signal_sessions(int signal) {
  for (const auto& session : sessions) {
    const pid_t process = session.load(std::memory_order_relaxed);  // relaxed: see set_session
    if (process > 0) ::kill(-process, signal);
  }
}

}  // namespace baton::launch
