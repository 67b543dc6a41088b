// This reads the machine through hwloc, which no other file uses. The launcher and the tools call
// it once; a rank never does.
#pragma once

#include <expected>
#include <string>

#include "machine/machine.hpp"

namespace baton::machine {

// Reads the machine on which this process runs, reduced to the CPUs that its affinity and control
// group allow.
std::expected<Machine, std::string> read_machine();

// Adds facts that only the placement of memory needs: the control group's limit, and the weights of
// this system's weighted interleave (Linux 6.9).
void read_memory_rules(Machine& machine);

// Reads a machine captured by `lstopo --of xml`.
std::expected<Machine, std::string> read_captured_machine(const std::string& xml_file);

}  // namespace baton::machine
