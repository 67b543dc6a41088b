// Where the ranks of a job are, as text: pure.
#pragma once

#include <string>
#include <vector>

#include "status/board.hpp"

namespace baton::status {

// "0-3,7"
std::string ranks_text(const std::vector<int>& ranks);

// What one rank does, in words, without its number.
std::string rank_words(const RankStatus& rank);

// A line for each rank, those that do the same together; then which collectives lack ranks, and on
// whom all that wait depend. Each line ends in a newline and begins with `indent`.
std::string report_text(const std::vector<RankStatus>& ranks, const std::string& indent);

}  // namespace baton::status
