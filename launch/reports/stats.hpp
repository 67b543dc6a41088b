// mpiexec --stats tells where the time of a job went, as text, JSON and an HTML page, from the
// records of its ranks. It is pure.
#pragma once

#include <string>
#include <vector>

#include "launch/reports/imbalance.hpp"
#include "status/times.hpp"

namespace baton::launch {

using status::CallSizes;
using status::CallTotals;
using status::RankTimes;

// These are the totals of a job, as all three forms show them.
struct JobStats {
  struct Call {
    std::string name;
    CallSizes sizes;
    CallTotals all;
  };
  struct Pair {
    int from, to;
    std::uint64_t messages, bytes;
    double waiting;  // time that `to` waited for messages of `from`
  };
  std::string program;
  std::string host;         // of several hosts, the one that this is about; empty: there is one
  double wall = 0;          // from the first rank's begin to the last rank's end
  double run = 0;           // rank seconds: all ranks, without times that MPI_Pcontrol left out
  CallTotals mpi;           // rank seconds; with threads, thread seconds
  std::vector<Call> calls;  // the most expensive first
  std::vector<Pair> pairs;  // those that moved most first
  std::vector<Imbalance> imbalances;
  std::vector<std::string> notes;  // what is missing, and why
};
JobStats stats_of(const JobTimes& times, const std::string& program, const std::string& host = {});

// Returns "1.25 s", "3.40 ms" or "12.1 us".
std::string seconds_text(double seconds);
// Returns a part of a whole as a percentage; 0 of nothing.
double percent(double part, double whole);
// Returns the name of a class of sizes of data: "none", "to 8 B", "over 256 KiB".
std::string timed_size_text(int size);

std::string stats_text(const JobStats& stats, const JobTimes& times);
// Returns one JSON object; docs/finding-time.md describes it.
std::string stats_json(const JobStats& stats, const JobTimes& times);
// Returns self-contained HTML.
std::string stats_page(const JobStats& stats, const JobTimes& times);

}  // namespace baton::launch
