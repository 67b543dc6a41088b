#include "launch/reports/stats.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>

#include "launch/reports/size_text.hpp"

namespace baton::launch {

namespace {

using status::PeerTotals;
using status::TimedCallRow;

void add_calls(JobStats& stats, const RankTimes& rank) {
  for (const TimedCallRow& row : rank.calls) {
    auto found = std::ranges::find(stats.calls, row.name, &JobStats::Call::name);
    if (found == stats.calls.end()) found = stats.calls.insert(found, {row.name, {}, {}});
    for (std::size_t size = 0; size < row.sizes.size(); ++size) {
      found->sizes[size].add(row.sizes[size]);
      found->all.add(row.sizes[size]);
    }
  }
}

std::vector<JobStats::Pair> pairs_of(const JobTimes& times) {
  std::map<std::pair<int, int>, JobStats::Pair> pairs;
  for (std::size_t i = 0; i < times.ranks.size(); ++i) {
    const int rank = static_cast<int>(i);
    for (const PeerTotals& peer : times.ranks[i].peers) {
      if (peer.sent_messages || peer.waiting > 0) {
        auto& pair = pairs.try_emplace({rank, peer.peer}, JobStats::Pair{rank, peer.peer, 0, 0, 0})
                         .first->second;
        pair.messages += peer.sent_messages;
        pair.bytes += peer.sent_bytes;
      }
      if (peer.waiting > 0)
        pairs.try_emplace({peer.peer, rank}, JobStats::Pair{peer.peer, rank, 0, 0, 0})
            .first->second.waiting += peer.waiting;
    }
  }
  std::vector<JobStats::Pair> sorted;
  for (const auto& [key, pair] : pairs)
    if (pair.messages > 0) sorted.push_back(pair);
  std::ranges::stable_sort(sorted, [](const auto& one, const auto& other) {
    return std::tie(one.bytes, one.messages) > std::tie(other.bytes, other.messages);
  });
  return sorted;
}

// Returns "0-3,7" for the ranks that `has` names.
template <class Has>
std::string ranks_that(const JobTimes& times, Has&& has) {
  std::string text;
  const int count = static_cast<int>(times.ranks.size());
  for (int rank = 0; rank < count; ++rank) {
    if (!has(times.ranks[static_cast<std::size_t>(rank)])) continue;
    int last = rank;
    while (last + 1 < count && has(times.ranks[static_cast<std::size_t>(last + 1)])) ++last;
    text += fmt::format("{}{}", text.empty() ? "" : ",", rank);
    if (last > rank) text += fmt::format("-{}", last);
    rank = last;
  }
  return text;
}

template <class Has>
void note(JobStats& stats, const JobTimes& times, Has&& has, const char* words) {
  if (std::string ranks = ranks_that(times, has); !ranks.empty())
    stats.notes.push_back(fmt::format("rank {}: {}", ranks, words));
}

void take_notes(JobStats& stats, const JobTimes& times) {
  note(
      stats, times, [](auto& rank) { return !rank.began && !rank.elsewhere; },
      "did not begin MPI, or had no memory for its record");
  note(
      stats, times, [](auto& rank) { return rank.began && !rank.ended; },
      "did not end MPI; what it had recorded until then is here, its run counts to the job's end");
  note(
      stats, times, [](auto& rank) { return rank.threads; },
      "several threads may be in MPI at the same time; their times are added");
  note(
      stats, times, [](auto& rank) { return rank.paused > 0; },
      "MPI_Pcontrol(0), or a time between two sessions, left out a part of its run");
  note(
      stats, times, [](auto& rank) { return rank.collective_stride > 1; },
      "of its collective calls a part was kept for comparing ranks: one in two, four, ... by their "
      "numbers");
  note(
      stats, times, [](auto& rank) { return rank.unkept_communicators > 0; },
      "used more communicators than its record keeps; calls on the later ones are not compared");
  note(
      stats, times, [](auto& rank) { return rank.lost_events > 0; },
      "had more events than the trace keeps; it ends early (--trace-bytes)");
  for (const RankTimes& rank : times.ranks)
    if (rank.refused_errno) {
      stats.notes.push_back(fmt::format("the record could not grow: {}; it is cut short",
                                        std::strerror(rank.refused_errno)));
      break;
    }
}

}  // namespace

std::string seconds_text(double seconds) {
  if (seconds >= 100) return fmt::format("{:.0f} s", seconds);
  if (seconds >= 1) return fmt::format("{:.2f} s", seconds);
  if (seconds >= 1e-3) return fmt::format("{:.3g} ms", 1e3 * seconds);
  if (seconds >= 1e-6) return fmt::format("{:.3g} us", 1e6 * seconds);
  return seconds > 0 ? fmt::format("{:.0f} ns", 1e9 * seconds) : "0";
}

double percent(double part, double whole) {
  return whole > 0 ? 100 * part / whole : 0;
}

std::string timed_size_text(int size) {
  if (size == 0) return "no data";
  return size_text(size - 1);
}

JobStats stats_of(const JobTimes& times, const std::string& program, const std::string& host) {
  JobStats stats;
  stats.program = program;
  stats.host = host;
  for (const RankTimes& rank : times.ranks) {
    if (!rank.began) continue;
    stats.wall = std::max(stats.wall, rank.end);
    stats.run += rank.run();
    stats.mpi.add(rank.all());
    add_calls(stats, rank);
  }
  std::ranges::stable_sort(stats.calls, std::greater{},
                           [](const JobStats::Call& call) { return call.all.seconds; });
  stats.pairs = pairs_of(times);
  stats.imbalances = imbalances_of(times);
  take_notes(stats, times);
  if (!host.empty())
    stats.notes.push_back(fmt::format(
        "this is of the {} ranks on host {}, out of {}; the other hosts report theirs. How ranks "
        "come to collective calls of several hosts is not compared",
        times.here().size(), host, times.ranks.size()));
  return stats;
}

}  // namespace baton::launch
