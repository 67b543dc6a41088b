// mpiexec --explain tells which protocols the messages of a job used, and why no cheaper one, and
// which algorithms its collectives took, from records that its ranks published. It is pure: reports
// in, text or JSON out.
#pragma once

#include <span>
#include <string>

#include "base/counters.hpp"
#include "base/reason.hpp"
#include "launch/run/family.hpp"
#include "lockfree/job.hpp"

namespace baton::launch {

// This is a rank's record in the job's memory; `traffic.published` is 0 when it did not come to its
// end.
struct RankReport {
  lockfree::RankPlace place;
  Counters counters;
  TrafficRecord traffic;
};

// Returns totals by protocol, then by peer class and size, then collectives, then events.
std::string traffic_text(std::span<const RankReport> ranks);

// Returns a line that names the peers that are near each other, by a bit for each PeerClass; empty:
// there are none, or nobody wanted to know (run/near_classes.hpp).
std::string near_text(std::uint32_t near_classes);

// Returns a line that names the jobs that the ranks have spawned; empty: there are none.
std::string spawned_text(std::span<const SpawnedJob> jobs);

// This says of which part of a job, or of a family of jobs, a report is.
struct ReportedPart {
  std::string host;    // of several hosts, the one that has these ranks; empty: there is one
  int first_rank = 0;  // there
  pid_t job = 0;       // of a job that was spawned, its number
  std::span<const SpawnedJob> spawned{};
};
// Returns all this and more as one line of JSON; docs/launching.md describes it.
std::string explanation_json(std::span<const RankReport> ranks, int cpus_usable,
                             const ReportedPart& part = {}, std::uint32_t near_classes = 0);

}  // namespace baton::launch
