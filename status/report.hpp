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

// What ranks of a timed job have moved, and how long they have been in MPI and waited: a line for
// each, or for all together where there are many. Empty for other jobs.
std::string times_text(const std::vector<RankStatus>& ranks, const std::string& indent);

}  // namespace baton::status
