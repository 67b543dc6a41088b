// Reads the machine through hwloc, which is known nowhere else. Called once by the launcher and by
// the tools; never by a rank.
#pragma once

#include <expected>
#include <string>

#include "machine/machine.hpp"

namespace baton::machine {

// The machine this process runs on, reduced to what its affinity and control group allow.
std::expected<Machine, std::string> read_machine();

// Adds what only those need who place memory: the control group's limit, and the weights of this
// system's weighted interleave (Linux 6.9).
void read_memory_rules(Machine& machine);

// A machine captured by `lstopo --of xml`.
std::expected<Machine, std::string> read_captured_machine(const std::string& xml_file);

}  // namespace baton::machine
