// Cases and outcomes as JSON, for the commands. Says what was simulated in full: a report can be
// redone.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "sim/bus/case.hpp"
#include "sim/bus/draw.hpp"

namespace baton::bus {

using Json = nlohmann::ordered_json;

/// How much longer the old order takes: old / new - 1. The other formula is 1 - new / old.
double gain(Cycles old_cycles, Cycles new_cycles);
double saved_share(Cycles old_cycles, Cycles new_cycles);
inline constexpr const char* gain_formula = "cycles in rank order / cycles in status order - 1";

const char* text_of(Operation operation);
const char* text_of(Order order);
const char* text_of(Start start);
const char* text_of(Topology topology);
const char* text_of(Detail detail);
const char* text_of(Busy busy);
const char* text_of(Left left);

Json describe(const Overhead& overhead);
Json describe(const Case& given);
Json describe(const Outcome& outcome);

/// What happens in each cycle: for the bus its phase and whose block, for busy nodes until when.
/// Only for one root.
Json timeline(const Case& given, const Outcome& outcome);
inline constexpr Cycles timeline_cycles_max = 100'000;

}  // namespace baton::bus
