// Parses the command line: options and programs in turn, by the table of options. Refuses what does
// not go together.
#pragma once

#include <expected>
#include <string>
#include <vector>

#include "launch/options/options.hpp"

namespace baton::launch {

// The error text names the argument and the remedy.
std::expected<Options, std::string> parse_options(const std::vector<std::string>& arguments);

}  // namespace baton::launch
