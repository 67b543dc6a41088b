// This describes where the ranks of a job are, as text. It is pure.
#pragma once

#include <string>
#include <vector>

#include "status/board.hpp"

namespace baton::status {

// Returns "0-3,7".
std::string ranks_text(const std::vector<int>& ranks);

// Returns what one rank does, in words, without its number.
std::string rank_words(const RankStatus& rank);

// Returns a line for each rank, with ranks of equal state on one line; then which collectives lack
// ranks, and on which ranks all waiting ranks depend. Each line ends in a newline and begins with
// `indent`.
std::string report_text(const std::vector<RankStatus>& ranks, const std::string& indent);

// Returns how much data ranks of a timed job have moved, and how long they have been in MPI and
// waited: a line for each rank, or for all together where there are many. It is empty for other
// jobs.
std::string times_text(const std::vector<RankStatus>& ranks, const std::string& indent);

}  // namespace baton::status
