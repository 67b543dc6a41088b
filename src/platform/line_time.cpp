#include "platform/line_time.hpp"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <vector>

#include "base/cache_line.hpp"
#include "platform/clock.hpp"
#include "platform/futex.hpp"
#include "platform/thread.hpp"

namespace baton::platform {

namespace {

// A thread's affinity, however many CPUs the machine has.
class Affinity {
 public:
  Affinity() {
    constexpr int cpus_most = 1 << 16;
    for (int cpus = 1024; cpus <= cpus_most; cpus *= 2) {
      set_ = CPU_ALLOC(static_cast<std::size_t>(cpus));
      bytes_ = CPU_ALLOC_SIZE(static_cast<std::size_t>(cpus));
      if (!set_ || sched_getaffinity(0, bytes_, set_) == 0) return;
      CPU_FREE(set_);
      set_ = nullptr;
    }
  }
  ~Affinity() {
    if (set_) CPU_FREE(set_);
  }
  Affinity(const Affinity&) = delete;
  Affinity& operator=(const Affinity&) = delete;

  bool known() const { return set_ != nullptr; }
  bool has(int cpu) const {
    return cpu >= 0 && CPU_ISSET_S(static_cast<unsigned>(cpu), bytes_, set_);
  }
  // Lets the calling thread run where it is said here, or on one CPU alone.
  bool take() const { return sched_setaffinity(0, bytes_, set_) == 0; }
  bool take_one(int cpu) {
    CPU_ZERO_S(bytes_, set_);
    CPU_SET_S(static_cast<unsigned>(cpu), bytes_, set_);
    return take();
  }

 private:
  cpu_set_t* set_ = nullptr;
  std::size_t bytes_ = 0;
};

// Each line has one writer, as the lines of a message have.
struct Lines {
  alignas(2 * cache_line_bytes) std::atomic<int> there{0};  // negative: end
  alignas(2 * cache_line_bytes) std::atomic<int> back{0};
  int cpu = 0;  // of the thread that answers
};

void* answer(void* memory) {
  auto& lines = *static_cast<Lines*>(memory);
  Affinity own;
  if (!own.known() || !own.take_one(lines.cpu)) return nullptr;
  // relaxed, here and below: only the time matters.
  for (int seen = 0; seen >= 0; pause_cpu()) {
    const int turn = lines.there.load(std::memory_order_relaxed);
    if (turn != seen) lines.back.store(turn, std::memory_order_relaxed);
    seen = turn;
  }
  return nullptr;
}

// Goes there and back some times. False: that took too long.
bool go(Lines& lines, int trips, int* turn, std::int64_t deadline_ns) {
  for (int i = 0; i < trips; ++i) {
    lines.there.store(++*turn, std::memory_order_relaxed);
    constexpr int looks_without_clock = 1024;
    for (int looks = 1; lines.back.load(std::memory_order_relaxed) != *turn; ++looks) {
      if (looks % looks_without_clock == 0 && now_ns() > deadline_ns) return false;
      pause_cpu();
    }
  }
  return true;
}

double median_of_batches(Lines& lines) {
  constexpr int batches = 9, trips = 64;
  constexpr std::int64_t longest_ns = 10'000'000;
  const std::int64_t deadline_ns = now_ns() + longest_ns;
  int turn = 0;
  if (!go(lines, trips, &turn, deadline_ns)) return -1;  // the first waits for the thread
  std::vector<double> times;
  while (times.size() < batches) {
    const std::int64_t start = now_ns();
    if (!go(lines, trips, &turn, deadline_ns)) return -1;
    times.push_back(static_cast<double>(now_ns() - start) / (2.0 * trips));
  }
  std::ranges::nth_element(times, times.begin() + batches / 2);
  return times[batches / 2];
}

}  // namespace

double line_time_ns(int one, int other) {
  const Affinity before;
  Affinity own;
  if (one == other || !before.known() || !own.known() || !before.has(one) || !before.has(other) ||
      !own.take_one(one))
    return -1;
  Lines lines;
  lines.cpu = other;
  pthread_t thread;
  double found = -1;
  if (start_thread(thread, "baton-distance", answer, &lines) == 0) {
    found = median_of_batches(lines);
    lines.there.store(-1, std::memory_order_relaxed);
    join_thread(thread);
  }
  (void)before.take();
  return found;
}

}  // namespace baton::platform
