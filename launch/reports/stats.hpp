// mpiexec --stats: where the time of a job went, as text, JSON and a page, from what its ranks have
// recorded. Pure.
#pragma once

#include <string>
#include <vector>

#include "launch/reports/imbalance.hpp"
#include "status/times.hpp"

namespace baton::launch {

using status::CallSizes;
using status::CallTotals;
using status::RankTimes;

// The whole of a job, as all three forms show it.
struct JobStats {
  struct Call {
    std::string name;
    CallSizes sizes;
    CallTotals all;
  };
  struct Pair {
    int from, to;
    std::uint64_t messages, bytes;
    double waiting;  // of `to` for messages of `from`
  };
  std::string program;
  std::string host;         // of several, the one that this is of; empty: there is one
  double wall = 0;          // from the first rank's begin to the last one's end
  double run = 0;           // rank seconds: of all ranks, without what MPI_Pcontrol left out
  CallTotals mpi;           // rank seconds; with threads, of threads
  std::vector<Call> calls;  // those that cost most first
  std::vector<Pair> pairs;  // those that moved most first
  std::vector<Imbalance> imbalances;
  std::vector<std::string> notes;  // what is missing, and why
};
JobStats stats_of(const JobTimes& times, const std::string& program, const std::string& host = {});

// "1.25 s", "3.40 ms", "12.1 us".
std::string seconds_text(double seconds);
// Part of a whole as a percentage; 0 of nothing.
double percent(double part, double whole);
// A class of sizes of data: "none", "to 8 B", "over 256 KiB".
std::string timed_size_text(int size);

std::string stats_text(const JobStats& stats, const JobTimes& times);
// One object; docs/finding-time.md says what is in it.
std::string stats_json(const JobStats& stats, const JobTimes& times);
// Self-contained HTML.
std::string stats_page(const JobStats& stats, const JobTimes& times);

}  // namespace baton::launch
