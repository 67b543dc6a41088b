#include "platform/detached_program.hpp"

#include <fcntl.h>
#include <linux/mempolicy.h>
#include <sched.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <memory>
#include <new>

#ifdef __SANITIZE_THREAD__
// The C library's own. ThreadSanitizer's clone() takes what runs there for a child with memory of
// its own, in which it heeds no order any more: here that would be the thread that waits.
extern "C" int __clone(int (*body)(void*), void* stack, int flags, void* argument, ...);
#define clone __clone
#endif

namespace baton::platform {

namespace {

// Both processes that are made on the way run on this process's memory while it waits, each on a
// stack of its own. They make system calls only, and leave here what they have to say. A thread
// checker would take them for the thread that waits, in functions that never return.
struct Start {
  const DetachedProgram& program;
  cpu_set_t cpus{};
  bool knows_cpus = false;
  pid_t started = -1;
  int error = 0;
};

constexpr std::size_t stack_bytes = 64 << 10;
struct alignas(64) Stack {
  char memory[stack_bytes];
};

// Ends the process as _exit does, which a thread checker would take for the end of all threads.
[[noreturn, gnu::no_sanitize("thread")]] void leave(int code) {
  for (;;) ::syscall(SYS_exit_group, code);
}

[[gnu::no_sanitize("thread")]] pid_t run_on(Stack& stack, int (*body)(void*), Start& start) {
  return ::clone(body, stack.memory + stack_bytes, CLONE_VM | CLONE_VFORK | SIGCHLD, &start);
}

[[gnu::no_sanitize("thread")]] int become_program(void* argument) {
  auto& start = *static_cast<Start*>(argument);
  const DetachedProgram& program = start.program;
  const int empty = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (empty >= 0) ::dup2(empty, STDIN_FILENO);
  if (start.knows_cpus) ::sched_setaffinity(0, sizeof start.cpus, &start.cpus);
  ::syscall(SYS_set_mempolicy, MPOL_DEFAULT, nullptr, 0);
  for (const int descriptor : program.inherited)
    if (descriptor >= 0) ::fcntl(descriptor, F_SETFD, 0);
  sigset_t none;
  ::sigemptyset(&none);
  ::signal(SIGPIPE, SIG_DFL);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::execve(program.path, program.arguments, program.environment);
  start.error = errno;
  leave(127);
}

struct Stacks {
  Stack outer, inner;
};

struct Between {
  Start& start;
  Stacks& stacks;
};

// The process between ends at once, so that the program becomes an orphan.
[[gnu::no_sanitize("thread")]] int start_program(void* argument) {
  auto& between = *static_cast<Between*>(argument);
  between.start.started = run_on(between.stacks.inner, become_program, between.start);
  if (between.start.started < 0) between.start.error = errno;
  leave(0);
}

}  // namespace

pid_t start_detached(const DetachedProgram& program) {
  Start start{program};
  start.knows_cpus =
      program.cpus_of && ::sched_getaffinity(program.cpus_of, sizeof start.cpus, &start.cpus) == 0;
  std::unique_ptr<Stacks> stacks(new (std::nothrow) Stacks);
  if (!stacks) {
    errno = ENOMEM;
    return -1;
  }
  Between between{start, *stacks};
  const pid_t child = ::clone(start_program, stacks->outer.memory + stack_bytes,
                              CLONE_VM | CLONE_VFORK | SIGCHLD, &between);
  if (child < 0) return -1;
  while (::waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
  }
  std::atomic_signal_fence(std::memory_order_acquire);  // the other processes wrote `start`
  if (start.error == 0) return start.started;
  errno = start.error;
  return -1;
}

}  // namespace baton::platform
