// Cases from JSON, and what they came to as JSON. A case of ranks, one of pairs, one of processes
// with threads, and one of messages:
//   {"name", "configuration" | "cores" and "memory", "ranks", "set": {parameter: value},
//    "program": {"bytes", "reads", "writes", "lines", "nodes": "at once" | "in turn"}}
//   {"name", "pairs", "placed": "in tiles" | "across tiles", "memory", "bytes", "written_back",
//   "set"}
//   {"name", "processes": [on each host], "threads", "master", "bound", "resting", "first_alone",
//    "set", "program": {as above, and "computing_nanoseconds" of each byte}}
//   {"name", "ranks_on_hosts": [on each host], "messages": [{"from", "to", "bytes"}], "set"}
#pragma once

#include "sim/machine/messages.hpp"
#include "sim/machine/pairs.hpp"
#include "sim/machine/team.hpp"

namespace baton::model {

// Throws std::runtime_error, which names the case, for what is wrong or unknown.
struct Planned {
  Case made;
  Json placed;
};
Planned planned_from(Description description, const Json& json);

// What a machine is, with each number's reference.
Json describe(const Description& description);
// Of cases that were simulated.
Json report_of(const Description& description, const Json& given, const std::vector<Planned>& cases,
               const std::vector<Times>& times);

}  // namespace baton::model
