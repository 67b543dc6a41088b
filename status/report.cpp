#include "status/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "status/wait_graph.hpp"

namespace baton::status {

namespace {

using lockfree::AwaitedRanks;
using lockfree::Phase;

std::string seconds_text(double seconds) {
  if (seconds < 100) return fmt::format("{:.1f} s", seconds);
  const auto whole = static_cast<long long>(seconds);
  if (whole < 6000) return fmt::format("{} min {} s", whole / 60, whole % 60);
  return fmt::format("{} h {} min", whole / 3600, whole / 60 % 60);
}

std::string awaited_text(const AwaitedRanks& awaited) {
  std::vector<int> ranks;
  awaited.each([&](std::uint32_t rank) { ranks.push_back(static_cast<int>(rank)); });
  std::ranges::sort(ranks);
  if (ranks.empty()) return {};
  return fmt::format("; waits for {}{}", ranks_text(ranks), awaited.more ? " and others" : "");
}

// Returns what the kernel says about a rank that publishes no wait.
std::string process_words(const RankStatus& rank) {
  const ProcessLook& look = rank.look;
  if (look.state == 'T' || look.state == 't')
    return look.state == 'T' ? "stopped (kill -CONT lets it go on)" : "held by a debugger";
  if (look.state == 'Z' || look.state == 'X') return "ended";
  if (look.state == 0) return "not to be seen in /proc";
  const bool busy = rank.cpu_share > 0.2;
  const std::string share =
      rank.cpu_share >= 0 ? fmt::format(" ({:.0f} % of a CPU)", 100 * rank.cpu_share) : "";
  if (busy || look.state == 'R') return "running outside MPI, or testing again and again" + share;
  const std::string call =
      look.system_call.empty() ? "a system call" : "the system call " + look.system_call;
  if (look.state == 'D') return "sleeping uninterruptibly in " + call + share;
  return "sleeping in " + call + share;
}

// Returns a key that is equal for ranks that share a line.
std::string key_of(const RankStatus& rank) {
  if (!rank.waits) return rank_words(rank);
  std::string key = fmt::format("{}|{}|{}|", rank.wait.procedure, rank.wait.words, rank.look.state);
  rank.wait.awaited.each([&](std::uint32_t other) { key += fmt::format("{},", other); });
  return key;
}

std::string cycle_text(const std::vector<RankStatus>& ranks, const std::vector<int>& cycle) {
  bool ended = false, threads = false;
  for (const RankStatus& rank : ranks) ended |= rank.phase == Phase::finalized;
  for (int rank : cycle) threads |= ranks[static_cast<std::size_t>(rank)].look.threads > 1;
  const bool alone = cycle.size() == 1;
  return fmt::format("deadlock: {} {}{}{} only{}", ranks_text(cycle),
                     alone ? "waits for " : "wait for each other",
                     ended && !alone ? " and for " : "",
                     ended   ? "ranks that have called MPI_Finalize"
                     : alone ? "itself"
                             : "",
                     threads ? ", unless other threads of theirs serve them" : "");
}

// Describes a collective that lacks ranks, or whose ranks mean different calls.
std::string indented(const StuckCollective& call, const std::string& indent) {
  std::string text;
  if (!call.missing.empty())
    text += fmt::format("{}{}: {} {} entered it, {} not\n", indent, call.words,
                        ranks_text(call.entered), call.entered.size() == 1 ? "has" : "have",
                        ranks_text(call.missing));
  if (call.differs)
    text += fmt::format("{}the calls of {} differ: mpiexec --check compares them\n", indent,
                        ranks_text(call.entered));
  else if (!call.missing.empty() && call.has_data)
    text += fmt::format(
        "{}if {} made that call with another length, it cannot end: mpiexec --check compares "
        "calls\n",
        indent, ranks_text(call.missing));
  return text;
}

}  // namespace

std::string ranks_text(const std::vector<int>& ranks) {
  std::string text = ranks.size() == 1 ? "rank " : "ranks ";
  for (std::size_t i = 0; i < ranks.size();) {
    std::size_t last = i;
    while (last + 1 < ranks.size() && ranks[last + 1] == ranks[last] + 1) ++last;
    text += fmt::format("{}{}", i ? "," : "", ranks[i]);
    if (last > i) text += fmt::format("-{}", ranks[last]);
    i = last + 1;
  }
  return text;
}

std::string rank_words(const RankStatus& rank) {
  if (rank.process <= 0) return "not started";
  if (rank.phase == Phase::finalized || rank.phase == Phase::aborted)
    return rank.phase == Phase::aborted ? "after MPI_Abort" : "after MPI_Finalize";
  if (!rank.waits)
    return rank.phase == Phase::initialized ? process_words(rank)
                                            : "before MPI_Init, " + process_words(rank);
  const lockfree::WaitDescription& wait = rank.wait;
  std::string text = fmt::format("{} for {}", wait.procedure[0] ? wait.procedure : "waits in MPI",
                                 seconds_text(rank.wait_seconds));
  // The words of a collective begin with its procedure, for a rank that waits for it within another
  // procedure.
  std::string_view words = wait.words;
  const std::string again = fmt::format("{}, ", wait.procedure);
  if (words.starts_with(again)) words.remove_prefix(again.size());
  if (!words.empty()) text += fmt::format(": {}", words);
  text += awaited_text(wait.awaited);
  if (rank.look.state == 'T' || rank.look.state == 't') text += "; " + process_words(rank);
  return text;
}

std::string report_text(const std::vector<RankStatus>& ranks, const std::string& indent) {
  std::vector<std::vector<int>> groups;  // in the order of their first ranks
  std::map<std::string, std::size_t> group_of;
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    if (ranks[r].elsewhere) continue;
    const auto [found, is_new] = group_of.emplace(key_of(ranks[r]), groups.size());
    if (is_new) groups.emplace_back();
    groups[found->second].push_back(static_cast<int>(r));
  }
  std::string text;
  for (const std::vector<int>& group : groups) {
    const RankStatus& first = ranks[static_cast<std::size_t>(group.front())];
    const std::string process =
        group.size() == 1 && first.process > 0 ? fmt::format(" (process {})", first.process) : "";
    text += fmt::format("{}{}{}: {}\n", indent, ranks_text(group), process, rank_words(first));
  }
  const WaitGraph graph = wait_graph_of(ranks);
  for (const StuckCollective& call : graph.collectives) text += indented(call, indent);
  if (!graph.cycle.empty())
    text += indent + cycle_text(ranks, graph.cycle) + '\n';
  else if (!graph.elsewhere.empty())
    text +=
        fmt::format("{}waited for on other hosts: {}; mpiexec and baton stat tell of them there\n",
                    indent, ranks_text(graph.elsewhere));
  else if (!graph.awaited.empty())
    text += fmt::format("{}all waiting ranks depend on {}\n", indent, ranks_text(graph.awaited));
  return text;
}

namespace {

// This sums the times of one rank, or of several together.
struct Sum {
  double run = 0;
  CallTotals calls;
  std::uint64_t sent = 0, received = 0;

  void add(const RankTimes& times) {
    const PeerTotals peers = times.with_all();
    run += times.run();
    calls.add(times.all());
    sent += peers.sent_bytes;
    received += peers.received_bytes;
  }
};

std::string sum_text(const std::string& who, const Sum& sum) {
  const double share = sum.run > 0 ? 100 / sum.run : 0;
  constexpr double mib = 1 << 20;
  return fmt::format(
      "{}: in MPI {:.1f} % of {}, waiting {:.1f} %; messages sent {:.1f} MiB, received {:.1f} "
      "MiB\n",
      who, share * sum.calls.seconds, seconds_text(sum.run), share * sum.calls.waiting,
      static_cast<double>(sum.sent) / mib, static_cast<double>(sum.received) / mib);
}

}  // namespace

std::string times_text(const std::vector<RankStatus>& ranks, const std::string& indent) {
  constexpr std::size_t ranks_shown = 32;
  std::string text;
  Sum all;
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    if (!ranks[rank].times) continue;
    Sum one;
    one.add(*ranks[rank].times);
    all.add(*ranks[rank].times);
    if (ranks.size() <= ranks_shown) text += indent + sum_text(fmt::format("rank {}", rank), one);
  }
  if (ranks.size() > 1 && all.run > 0) text += indent + sum_text("all", all);
  return text;
}

}  // namespace baton::status
