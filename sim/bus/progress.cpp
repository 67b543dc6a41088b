#include "sim/bus/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdio>

namespace baton::bus {

namespace {

std::atomic<int> caught_signal{0};
static_assert(std::atomic<int>::is_always_lock_free);

// Relaxed: the handler runs in the thread that looks.
void remember(int signal) {
  caught_signal.store(signal, std::memory_order_relaxed);
}

}  // namespace

void catch_interruptions() {
  struct sigaction action {};
  action.sa_handler = remember;
  for (int signal : {SIGINT, SIGTERM}) ::sigaction(signal, &action, nullptr);
}

Progress::Progress(bool quiet)
    : quiet_(quiet), is_terminal_(::isatty(STDERR_FILENO) != 0), began_(Clock::now()) {}

Progress::~Progress() {
  end();
}

void Progress::begin(const std::string& part, std::uint64_t steps) {
  end();
  part_ = part;
  steps_ = steps;
  done_ = 0;
  is_open_ = true;
  if (is_terminal_) print(false);
  printed_ = Clock::now();
}

void Progress::step() {
  if (int signal = caught_signal.load(std::memory_order_relaxed)) throw Interrupted{signal};
  ++done_;
  if (Clock::now() - printed_ > std::chrono::milliseconds(is_terminal_ ? 200 : 5000)) print(false);
}

void Progress::end() {
  if (is_open_) print(true);
  is_open_ = false;
}

void Progress::print(bool last) {
  printed_ = Clock::now();
  if (quiet_) return;
  double seconds = std::chrono::duration<double>(printed_ - began_).count();
  fmt::print(stderr, "{}{}: {} of {}, {:.1f} s{}", is_terminal_ ? "\r\033[K" : "", part_, done_,
             steps_, seconds, is_terminal_ && !last ? "" : "\n");
  std::fflush(stderr);
}

}  // namespace baton::bus
