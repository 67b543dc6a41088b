#include "sim/bus/draw.hpp"

#include <algorithm>
#include <cmath>

namespace baton::bus {

namespace {

/// The first `count` of a shuffle.
std::vector<int> pick(std::vector<int> from, std::size_t count, Dice& dice) {
  count = std::min(count, from.size());
  for (std::size_t at = 0; at < count; ++at)
    std::swap(from[at], from[at + dice.below(from.size() - at)]);
  from.resize(count);
  return from;
}

std::size_t rounded(double value) {
  return static_cast<std::size_t>(std::lround(value));
}

std::vector<int> draw_busy(const std::vector<int>& others, const Draw& how, Dice& dice) {
  switch (how.busy) {
    case Busy::share:
      return pick(others, rounded((1 - how.idle_share) * static_cast<double>(others.size())), dice);
    case Busy::count:
      return pick(others, static_cast<std::size_t>(std::max(how.busy_count, 0)), dice);
    case Busy::each:
      break;
  }
  std::vector<int> busy;
  for (int node : others)
    if (dice.share() >= how.idle_share) busy.push_back(node);
  return busy;
}

}  // namespace

std::uint64_t Dice::next() {
  state_ += 0x9e3779b97f4a7c15;
  std::uint64_t mixed = state_;
  mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9;
  mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111eb;
  return mixed ^ (mixed >> 31);
}

std::vector<Channel> draw_channels(int nodes, const std::vector<int>& roots, const Draw& how) {
  Dice dice(how.seed);
  std::vector<int> others;
  for (int node = 0; node < nodes; ++node)
    if (std::ranges::find(roots, node) == roots.end()) others.push_back(node);
  std::vector<Channel> channels(static_cast<std::size_t>(nodes));
  if (how.earlier == 0) return channels;
  for (int node : draw_busy(others, how, dice)) {
    Channel& channel = channels[static_cast<std::size_t>(node)];
    channel.earlier = how.earlier;
    channel.left =
        how.left == Left::whole
            ? how.earlier
            : std::min(how.earlier, (1 + dice.below(data_cycles(how.earlier))) * bytes_per_cycle);
    channel.peer = static_cast<int>(dice.below(static_cast<std::uint64_t>(nodes)));
  }
  return channels;
}

std::vector<Flaw> draw_flaws(int nodes, double wrong_share, Cycles age_most, Bytes earlier,
                             std::uint64_t seed) {
  if (wrong_share <= 0 && age_most == 0) return {};
  Dice dice(seed ^ 0x5354415455530000);  // apart from the draw of channels
  std::vector<int> all;
  for (int node = 0; node < nodes; ++node) all.push_back(node);
  std::vector<Flaw> flaws(all.size());
  for (int node : pick(all, rounded(wrong_share * nodes), dice))
    flaws[static_cast<std::size_t>(node)].wrong = true;
  for (Flaw& flaw : flaws) {
    flaw.claimed = (1 + dice.below(data_cycles(earlier))) * bytes_per_cycle;
    flaw.age = dice.below(age_most + 1);
  }
  return flaws;
}

Case example_case() {
  Case example;
  example.nodes = 32;
  example.blocks.assign(32, 4);
  example.channels.resize(32);
  constexpr Bytes left[] = {32, 32, 16, 16, 8, 8};  // P1 to P6
  for (std::size_t rank = 1; rank <= std::size(left); ++rank)
    example.channels[rank] = {.left = left[rank - 1], .earlier = 32};
  return example;
}

}  // namespace baton::bus
