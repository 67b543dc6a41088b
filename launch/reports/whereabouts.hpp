// This tells on standard error where the ranks of this job are: when it hangs, and when asked.
#pragma once

#include <sys/types.h>

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "launch/run/job_file.hpp"
#include "status/board.hpp"

namespace baton::launch {

// Returns the lines, after a first one with the reason. It takes a tenth of a second, to see which
// ranks use a CPU.
std::string whereabouts(const JobFile& file, std::span<const pid_t> processes,
                        const std::string& why);

// This watches, under --check, whether ranks have waited only for each other for some time. There
// the library ends a deadlocked job itself, unless it cannot be sure
// (collective/check/deadlock.hpp).
class CycleWatch {
 public:
  static constexpr double seconds = 5;  // the library looks before that
  // Returns true once for each cycle. It is to be called now and then.
  bool has_found(const JobFile& file, std::span<const pid_t> processes, double now_seconds);

 private:
  std::vector<std::pair<int, std::int64_t>> cycle_;  // ranks, and since when each waits
  double since_ = 0;
  bool told_ = false;
};

// This watches whether nothing has moved for some time: every rank that runs waits, sleeps or is
// stopped.
class IdleWatch {
 public:
  explicit IdleWatch(double seconds) : seconds_(seconds) {}
  // Returns true once for each time that the job stands still. It is to be called now and then.
  bool stands_still(const JobFile& file, std::span<const pid_t> processes, double now_seconds);

 private:
  // These values change when a rank goes on.
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
