// mpiexec --explain: which protocols the messages of a job used, and why no cheaper one, and how
// its collectives went, from what its ranks published. Pure: reports in, text or JSON out.
#pragma once

#include <span>
#include <string>

#include "base/counters.hpp"
#include "base/reason.hpp"
#include "lockfree/job.hpp"

namespace baton::launch {

// What a rank left in the job's memory; `traffic.published` is 0 when it did not come to its end.
struct RankReport {
  lockfree::RankPlace place;
  Counters counters;
  TrafficRecord traffic;
};

// Totals by protocol, then by peer class and size, then collectives, then events.
std::string traffic_text(std::span<const RankReport> ranks);

// The same and more as one line of JSON; docs/launching.md says what is in it.
// `host`: of several, the one that has these ranks, the first of which is `first_rank`.
std::string explanation_json(std::span<const RankReport> ranks, int cpus_usable,
                             const std::string& host = {}, int first_rank = 0);

}  // namespace baton::launch
