#include "tests/lockfree/stress.hpp"

#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "platform/memory_file.hpp"

namespace baton::stress {

namespace {

constexpr double patience_seconds = 60;              // after the sending time, on a busy machine
constexpr std::int64_t sleep_bound_us = 20'000'000;  // nobody pauses for so long
double deadline;

double now() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

}  // namespace

void give_up(const char* what) {
  std::fprintf(stderr, "stress: %s\n", what);
  _exit(1);
}

bool time_is_over() {
  return now() > deadline;
}

char* shared_memory(std::size_t bytes) {
  int descriptor = platform::make_memory_file("stress", bytes);
  void* memory = descriptor < 0 ? nullptr : platform::map_memory_file(descriptor, bytes);
  if (!memory) give_up("no shared memory");
  close(descriptor);
  return static_cast<char*>(memory);
}

namespace {

#ifdef __SANITIZE_THREAD__
// A failed check ends them all; so does the watchdog.
bool run_processes(const char* name, std::uint64_t seed, const std::vector<Process>& processes) {
  std::atomic<std::size_t> left = processes.size();
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < processes.size(); ++i)
    threads.emplace_back([&, i] {
      Random random(seed * 1000 + i);
      processes[i](random);
      --left;
    });
  while (left > 0) {
    if (now() > deadline + patience_seconds) give_up("the watchdog ends a run that hangs");
    usleep(2000);
  }
  for (std::thread& thread : threads) thread.join();
  return true;
}
#else
bool wait_for_all(const char* name, std::vector<pid_t>& children) {
  std::size_t left = children.size();
  while (left > 0) {
    int status = 0;
    pid_t ended = waitpid(-1, &status, WNOHANG);
    if (ended > 0) {
      --left;
      if (WIFEXITED(status) && WEXITSTATUS(status) == 0) continue;
      std::fprintf(stderr, "%s: a process failed (status %x)\n", name,
                   static_cast<unsigned>(status));
      return false;
    }
    if (now() > deadline + patience_seconds) {
      std::fprintf(stderr, "%s: the watchdog ends a run that hangs\n", name);
      return false;
    }
    usleep(2000);
  }
  return true;
}

bool run_processes(const char* name, std::uint64_t seed, const std::vector<Process>& processes) {
  std::vector<pid_t> children;
  for (std::size_t i = 0; i < processes.size(); ++i) {
    pid_t child = fork();
    if (child < 0) give_up("cannot fork");
    if (child == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      platform::membarrier_register();
      Random random(seed * 1000 + i);
      processes[i](random);
      std::fflush(nullptr);
      _exit(0);
    }
    children.push_back(child);
  }
  bool fine = wait_for_all(name, children);
  for (pid_t child : children)
    if (!fine) kill(child, SIGKILL);
  while (wait(nullptr) > 0) continue;
  return fine;
}
#endif

}  // namespace

bool run(const char* name, double seconds, std::uint64_t seed,
         const std::vector<Process>& processes) {
  std::fflush(nullptr);
  deadline = now() + seconds;
  bool fine = run_processes(name, seed, processes);
  std::printf("%s: %s (seed %llu)\n", name, fine ? "ok" : "FAILED",
              static_cast<unsigned long long>(seed));
  return fine;
}

void dawdle(Random& random) {
  std::uint64_t chance = random() % 4096;
  if (chance == 0)
    usleep(random() % 300);
  else if (chance < 64)
    platform::yield_cpu();
}

void Waiter::idle() {
  if (++spins_ < 8) return platform::yield_cpu();
  if (!announced_) {
    announced_ = true;
    lockfree::announce(own_, lockfree::wake_asleep);
    return order();
  }
  double before = now();
  platform::futex_wait(own_.wake.word, lockfree::wake_asleep | trusted_, sleep_bound_us);
  check(now() - before < static_cast<double>(sleep_bound_us) * 0.9e-6, "a wake-up was lost");
  ++sleeps;
  rise();
}

void Waiter::order() {
  if (fences_)
    lockfree::Hardware::full_fence();
  else
    platform::membarrier_all();
}

void Waiter::trust_doorbells() {
  trusted_ = lockfree::wake_doorbell;
  lockfree::announce(own_, trusted_);
  order();
}

void Waiter::rise() {
  announced_ = false;
  lockfree::retract(own_, lockfree::wake_asleep);
}

void notify(lockfree::Doorbell<lockfree::Hardware>& doorbell, std::uint32_t sender, bool fences) {
  if (fences) lockfree::Hardware::full_fence();
  if (lockfree::wants_attention(doorbell) && lockfree::ring_doorbell(doorbell, sender))
    platform::futex_wake(doorbell.wake.word);
}

}  // namespace baton::stress
