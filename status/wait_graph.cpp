#include "status/wait_graph.hpp"

#include <algorithm>
#include <map>
#include <tuple>

namespace baton::status {

namespace {

using lockfree::Phase;

// Returns whether the rank has finalized or aborted: others may still wait for it, but it serves
// nobody any more.
bool has_ended(const RankStatus& rank) {
  return rank.phase == Phase::finalized || rank.phase == Phase::aborted;
}

// Returns the waiting ranks that can be served only by ranks of this set: others are removed again
// and again.
std::vector<int> closed_cycle(const std::vector<RankStatus>& ranks) {
  constexpr double settled_seconds = 1;  // what was in flight has arrived
  std::vector<bool> in(ranks.size());
  for (std::size_t r = 0; r < ranks.size(); ++r)
    in[r] = ranks[r].waits && ranks[r].wait_seconds >= settled_seconds &&
            ranks[r].wait.awaited.count > 0 && !ranks[r].wait.awaited.more;
  bool changed = true;
  while (changed) {
    changed = false;
    for (std::size_t r = 0; r < ranks.size(); ++r) {
      if (!in[r]) continue;
      bool inside = true;
      ranks[r].wait.awaited.each(
          [&](std::uint32_t other) { inside &= in[other] || has_ended(ranks[other]); });
      if (!inside) in[r] = false, changed = true;
    }
  }
  std::vector<int> cycle;
  for (std::size_t r = 0; r < ranks.size(); ++r)
    if (in[r]) cycle.push_back(static_cast<int>(r));
  return cycle;
}

}  // namespace

WaitGraph wait_graph_of(const std::vector<RankStatus>& ranks) {
  WaitGraph graph;
  std::vector<bool> awaited(ranks.size());
  using Key = std::tuple<std::uint64_t, std::uint32_t, std::uint32_t>;
  std::map<Key, std::pair<StuckCollective, std::vector<bool>>> calls;
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    if (!ranks[r].waits) continue;
    const lockfree::WaitDescription& wait = ranks[r].wait;
    wait.awaited.each([&](std::uint32_t other) { awaited[other] = true; });
    if (!wait.collective) continue;
    auto& [call, partners] = calls[{wait.members, wait.communicator, wait.number}];
    call.differs |= !call.words.empty() && call.words != wait.words;
    call.words = wait.words;
    call.has_data |= call.words.find(" bytes a rank") != std::string::npos;
    call.entered.push_back(static_cast<int>(r));
    partners.resize(ranks.size());
    wait.awaited.each([&](std::uint32_t other) { partners[other] = true; });
  }
  for (auto& [key, found] : calls) {
    auto& [call, partners] = found;
    for (std::size_t r = 0; r < ranks.size(); ++r)
      if (partners[r] && !ranks[r].elsewhere &&
          !std::ranges::binary_search(call.entered, static_cast<int>(r)))
        call.missing.push_back(static_cast<int>(r));
    graph.collectives.push_back(std::move(call));
  }
  for (std::size_t r = 0; r < ranks.size(); ++r)
    if (awaited[r] && !ranks[r].waits)
      (ranks[r].elsewhere ? graph.elsewhere : graph.awaited).push_back(static_cast<int>(r));
  graph.cycle = closed_cycle(ranks);
  return graph;
}

}  // namespace baton::status
