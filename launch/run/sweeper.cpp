#include "launch/run/sweeper.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>

#include "launch/run/job_control.hpp"

namespace baton::launch {

namespace {

constexpr char name[] = "baton-sweeper";
constexpr int descriptors_guess = 1024;  // on kernels before 5.9: mpiexec uses some dozens

// Renames the process, so that ps shows it by its function. The arguments lie one behind the other.
void rename_process(std::span<char*> words) {
  ::prctl(PR_SET_NAME, name);
  if (words.empty()) return;
  char* const begin = words.front();
  char* const end = words.back() + std::strlen(words.back());
  std::memset(begin, 0, static_cast<std::size_t>(end - begin));
  std::strncpy(begin, name, static_cast<std::size_t>(end - begin));
}

[[noreturn]] void wait_and_sweep(int gone) {
  ::setsid();
  // Readers of mpiexec's output, and other jobs that ask for its CPUs, do not wait for this
  // process.
  ::dup2(gone, 0);
  if (::syscall(SYS_close_range, 1, ~0U, 0) != 0)
    for (int other = 1; other < descriptors_guess; ++other) ::close(other);
  char byte = 0;
  while (::read(0, &byte, 1) < 0 && errno == EINTR) {
  }
  signal_sessions(SIGKILL);
  ::_exit(0);
}

}  // namespace

Sweeper::Sweeper(std::size_t ranks, std::span<char*> words) : words_(words) {
  int pipe[2];  // its write end stays open as long as this process or the manager lives
  if (share_sessions(ranks) && ::pipe2(pipe, O_CLOEXEC) == 0) gone_ = pipe[0];
}

void Sweeper::start() {
  if (gone_ < 0) return;
  process_ = ::fork();
  if (process_ != 0) return;
  rename_process(words_);
  wait_and_sweep(gone_);
}

void Sweeper::end() {
  // It may be killed only as long as it is not reaped, since its number may be reused then.
  if (process_ <= 0 || ::waitpid(process_, nullptr, WNOHANG) != 0) return;
  ::kill(process_, SIGKILL);
  ::waitpid(process_, nullptr, 0);
}

}  // namespace baton::launch
