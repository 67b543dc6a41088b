// mpiexec --trace shows what ranks did when, as a timeline in Chrome's trace event format, which
// Perfetto and chrome://tracing open: a row for each rank, its calls, and messages as arrows.
#pragma once

#include <algorithm>
#include <functional>
#include <string>
#include <string_view>

#include "status/times.hpp"

namespace baton::launch {

// Returns the space for a rank's events in memory, for a file that may have `file_bytes`. An event
// takes at most 160 bytes of the file on average: calls take 120 to 170, the two ends of an arrow
// 90 to 110 each.
inline std::uint64_t event_bytes_of_rank(std::uint64_t file_bytes, std::size_t ranks) {
  constexpr std::uint64_t json_bytes = 160;
  constexpr std::uint64_t least = 64;
  return std::max(least, file_bytes / json_bytes / ranks) * sizeof(lockfree::Event);
}

// Hands the file's text to `write` piece by piece. False: `write` returned false.
bool write_trace(const status::TimingPlace& place, const status::JobTimes& times,
                 const std::string& program, const std::function<bool(std::string_view)>& write);

}  // namespace baton::launch
