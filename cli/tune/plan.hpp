// This chooses between which CPUs `baton tune` measures, and how long. It is pure.
#pragma once

#include <vector>

#include "cli/tune/question.hpp"
#include "machine/machine.hpp"

namespace baton::cli::tune {

// Returns by how much two CPUs are apart: 0 to 3 where the nearest that they share is an L2, an L3,
// a NUMA node, less. `class_name` has the words of `mpiexec --explain` for that.
int steps_apart(const machine::Cpu& one, const machine::Cpu& other);
const char* class_name(int steps);

// Returns one pair for each class of peers that the machine has: sharing an L2, an L3, a NUMA node,
// less. Both are on cores of their own where there are two; empty: there are no two CPUs.
std::vector<profile::Pair> pairs_of(const machine::Machine& machine);

inline constexpr double rounds_wanted = 7;    // guess: fewer say little about noise
inline constexpr int milliseconds_least = 2;  // guess: long against a message

// Returns milliseconds for each measurement, so that the seconds suffice for enough rounds.
int milliseconds_each(const std::vector<Question>& asked, std::size_t pairs, double seconds);

}  // namespace baton::cli::tune
