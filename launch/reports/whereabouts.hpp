// Where the ranks of this job are, told on standard error: when it hangs, and when asked.
#pragma once

#include <sys/types.h>

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "launch/run/job_file.hpp"
#include "status/board.hpp"

namespace baton::launch {

// The lines, after one that says why they are told. Takes a tenth of a second, to see who uses a
// CPU.
std::string whereabouts(const JobFile& file, std::span<const pid_t> processes,
                        const std::string& why);

// Whether ranks have waited for each other alone for some time: under --check, where the library
// ends a deadlocked job unless it cannot be sure (collective/check/deadlock.hpp).
class CycleWatch {
 public:
  static constexpr double seconds = 5;  // the library looks first
  // To be asked now and then. True once for each cycle.
  bool has_found(const JobFile& file, std::span<const pid_t> processes, double now_seconds);

 private:
  std::vector<std::pair<int, std::int64_t>> cycle_;  // ranks, and since when each waits
  double since_ = 0;
  bool told_ = false;
};

// Whether nothing has moved for some time: every rank that runs waits, sleeps or is stopped.
class IdleWatch {
 public:
  explicit IdleWatch(double seconds) : seconds_(seconds) {}
  // To be asked now and then. True once for each time that the job stands still.
  bool stands_still(const JobFile& file, std::span<const pid_t> processes, double now_seconds);

 private:
  // What changes when a rank goes on.
  struct Trace {
    std::int64_t wait_began = 0;
    lockfree::Phase phase{};
    std::uint64_t cpu_ticks = 0;
  };
  bool has_moved(const Trace& before, const status::RankStatus& rank) const;

  double seconds_;
  double still_since_ = -1;
  bool told_ = false;
  std::vector<Trace> traces_;
};

}  // namespace baton::launch
