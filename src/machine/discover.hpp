// Reads the machine through hwloc, which is known nowhere else. Called once by the launcher and by
// the tools; never by a rank.
#pragma once

#include <expected>
#include <string>

#include "machine/machine.hpp"

namespace baton::machine {

// The machine this process runs on, reduced to what its affinity and control group allow.
std::expected<Machine, std::string> read_machine();

// A machine captured by `lstopo --of xml`.
std::expected<Machine, std::string> read_captured_machine(const std::string& xml_file);

}  // namespace baton::machine
