// Cases from JSON, and what they came to as JSON. A case of ranks, and one of pairs:
//   {"name", "configuration" | "cores" and "memory", "ranks", "set": {parameter: value},
//    "program": {"bytes", "reads", "writes", "lines", "nodes": "at once" | "in turn"}}
//   {"name", "pairs", "placed": "in tiles" | "across tiles", "memory", "bytes", "written_back",
//   "set"}
#pragma once

#include "sim/machine/pairs.hpp"

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
