#include "launch/reports/imbalance.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

namespace baton::launch {

namespace {

using status::CollectiveCall;
using status::RankTimes;

// This is a communicator as one rank knows it, and from when to when its use was recorded.
struct Use {
  int rank;
  const status::CommunicatorInUse* communicator;
  std::uint16_t row;
  double from, to;
};

// This is one communicator on all its ranks. Its id may belong to another one later, or on other
// ranks.
struct Common {
  std::vector<Use> uses;
  double from, to;

  // Returns whether the rank has been added; ranks come in their order.
  bool has(int rank) const { return uses.back().rank == rank; }
  double overlap(const Use& use) const { return std::min(to, use.to) - std::max(from, use.from); }
};

std::vector<Use> uses_of(const RankTimes& times, int rank) {
  std::vector<Use> uses;
  for (std::size_t row = 0; row < times.communicators.size(); ++row)
    uses.push_back({rank, &times.communicators[row], static_cast<std::uint16_t>(row), 1e300, -1});
  for (const CollectiveCall& call : times.collectives) {
    Use& use = uses[call.communicator];
    use.from = std::min(use.from, call.entered);
    use.to = std::max(use.to, call.left);
  }
  std::erase_if(uses, [](const Use& use) { return use.to < use.from; });
  return uses;
}

using Identity = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, bool>;

std::map<Identity, std::vector<Common>> communicators_of(const JobTimes& times) {
  std::map<Identity, std::vector<Common>> found;
  for (std::size_t rank = 0; rank < times.ranks.size(); ++rank)
    for (const Use& use : uses_of(times.ranks[rank], static_cast<int>(rank))) {
      const status::CommunicatorInUse& of = *use.communicator;
      auto& alike = found[{of.id, of.first_member, of.ranks, of.between_groups}];
      Common* best = nullptr;
      for (Common& common : alike)
        if (!common.has(use.rank) && (!best || common.overlap(use) > best->overlap(use)))
          best = &common;
      if (!best) best = &alike.emplace_back(Common{{}, use.from, use.to});
      best->uses.push_back(use);
      best->from = std::min(best->from, use.from);
      best->to = std::max(best->to, use.to);
    }
  return found;
}

struct Arrival {
  int rank;
  double entered;
  std::string_view call;
};

struct Sum {
  Imbalance row;
  std::map<int, std::uint64_t> last;
};

void add_call(Sum& sum, const std::vector<Arrival>& arrivals) {
  const auto [first, last] = std::ranges::minmax(arrivals, {}, &Arrival::entered);
  const double spread = last.entered - first.entered;
  ++sum.row.calls;
  sum.row.spread_mean += spread;
  sum.row.spread_most = std::max(sum.row.spread_most, spread);
  for (const Arrival& arrival : arrivals) sum.row.lost += last.entered - arrival.entered;
  ++sum.last[last.rank];
}

std::string name_of(const Common& common) {
  const status::CommunicatorInUse& of = *common.uses.front().communicator;
  return of.name.empty() ? fmt::format("a communicator of {} ranks", of.ranks) : of.name;
}

void add_common(std::map<std::pair<std::string, std::string>, Sum>& sums, const JobTimes& times,
                const Common& common) {
  std::map<std::uint32_t, std::vector<Arrival>> calls;
  for (const Use& use : common.uses) {
    const RankTimes& rank = times.ranks[static_cast<std::size_t>(use.rank)];
    for (const CollectiveCall& call : rank.collectives)
      if (call.communicator == use.row)
        calls[call.number].push_back({use.rank, call.entered, rank.calls[call.call].name});
  }
  const std::string name = name_of(common);
  for (const auto& [number, arrivals] : calls) {
    if (arrivals.size() != common.uses.front().communicator->ranks || arrivals.size() < 2) continue;
    Sum& sum = sums[{std::string(arrivals.front().call), name}];
    sum.row.call = arrivals.front().call;
    sum.row.communicator = name;
    add_call(sum, arrivals);
  }
}

}  // namespace

std::vector<Imbalance> imbalances_of(const JobTimes& times) {
  std::map<std::pair<std::string, std::string>, Sum> sums;
  for (const auto& [identity, alike] : communicators_of(times))
    for (const Common& common : alike) add_common(sums, times, common);
  std::vector<Imbalance> rows;
  for (auto& [key, sum] : sums) {
    const auto calls = static_cast<double>(sum.row.calls);
    sum.row.spread_mean /= calls;
    const auto most =
        std::ranges::max_element(sum.last, {}, [](auto& pair) { return pair.second; });
    sum.row.last_rank = most->first;
    sum.row.last_share = static_cast<double>(most->second) / calls;
    rows.push_back(sum.row);
  }
  std::ranges::stable_sort(rows, std::greater{}, &Imbalance::lost);
  return rows;
}

}  // namespace baton::launch
