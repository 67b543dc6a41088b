// This parses the command line: options and programs in turn, by the table of options. It refuses
// options that contradict each other.
#pragma once

#include <expected>
#include <string>
#include <vector>

#include "launch/options/options.hpp"

namespace baton::launch {

// Parses the arguments. The error names the argument and the remedy.
std::expected<Options, std::string> parse_options(const std::vector<std::string>& arguments);

}  // namespace baton::launch
