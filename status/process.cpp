#include "status/process.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "platform/file_text.hpp"

namespace baton::status {

namespace {

struct Call {
  long number;
  const char* words;
};

// Programs usually sleep in these system calls; others are shown by their number.
constexpr Call calls[] = {
    {SYS_read, "read"},
    {SYS_write, "write"},
    {SYS_readv, "readv"},
    {SYS_writev, "writev"},
    {SYS_futex, "futex (a lock or a condition)"},
    {SYS_nanosleep, "nanosleep"},
    {SYS_clock_nanosleep, "clock_nanosleep"},
    {SYS_wait4, "wait4 (for a child process)"},
    {SYS_waitid, "waitid (for a child process)"},
    {SYS_ppoll, "ppoll"},
    {SYS_pselect6, "pselect6"},
    {SYS_epoll_pwait, "epoll_pwait"},
    {SYS_recvfrom, "recvfrom"},
    {SYS_recvmsg, "recvmsg"},
    {SYS_sendto, "sendto"},
    {SYS_accept, "accept"},
    {SYS_accept4, "accept4"},
    {SYS_connect, "connect"},
    {SYS_openat, "openat"},
    {SYS_fsync, "fsync"},
    {SYS_fdatasync, "fdatasync"},
    {SYS_flock, "flock (a file's lock)"},
    {SYS_fcntl, "fcntl (a file's lock?)"},
    {SYS_rt_sigtimedwait, "rt_sigtimedwait"},
    {SYS_rt_sigsuspend, "rt_sigsuspend"},
#ifdef SYS_poll
    {SYS_poll, "poll"},
    {SYS_select, "select"},
    {SYS_epoll_wait, "epoll_wait"},
    {SYS_pause, "pause"},
#endif
};

// Returns the text of a file of /proc; empty for a process that has ended.
std::string file_text(const std::string& path) {
  return platform::file_text(path).value_or("");
}

// Describes a system call: "read, descriptor 5" for calls whose first argument is a descriptor.
std::string call_words(const std::string& text) {
  char* rest = nullptr;
  const long number = std::strtol(text.c_str(), &rest, 10);
  if (rest == text.c_str() || number < 0) return {};  // "running", or we may not read it
  for (const Call& call : calls) {
    if (call.number != number) continue;
    std::string words = call.words;
    if (number == SYS_read || number == SYS_write || number == SYS_recvfrom || number == SYS_accept)
      words += ", descriptor " + std::to_string(std::strtol(rest, nullptr, 16));
    return words;
  }
  return "system call " + std::to_string(number);
}

}  // namespace

ProcessLook look_at_process(pid_t process, const std::string& root) {
  const std::string folder = root + "/proc/" + std::to_string(process);
  ProcessLook look;
  const std::string stat = file_text(folder + "/stat");
  // The fields stand behind the name, which may hold any character.
  const std::size_t name_end = stat.rfind(')');
  unsigned long long user = 0, system = 0;
  if (name_end == std::string::npos ||
      std::sscanf(stat.c_str() + name_end + 1,
                  " %c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %llu %llu %*d %*d %*d %*d %d",
                  &look.state, &user, &system, &look.threads) != 4)
    return {};
  look.cpu_ticks = user + system;
  look.system_call = call_words(file_text(folder + "/syscall"));
  return look;
}

double ticks_per_second() {
  return static_cast<double>(::sysconf(_SC_CLK_TCK));
}

}  // namespace baton::status
