#include "launch/run/near_classes.hpp"

#include "base/traffic.hpp"
#include "platform/cpu.hpp"

namespace baton::launch {

namespace {

std::uint32_t bits_up_to(PeerClass farthest) {
  return (2u << static_cast<int>(farthest)) - 1;
}

std::uint32_t measured(std::span<const lockfree::RankPlace> places,
                       const std::function<double(int, int)>& line_time) {
  std::uint32_t seen = 0, near = 0;
  auto look = [&](const lockfree::RankPlace& one, const lockfree::RankPlace& other) {
    const std::uint32_t bit = 1u << static_cast<int>(lockfree::peer_class(one, other));
    if ((seen & bit) || one.core < 0 || other.core < 0 || one.cpu == other.cpu) return;
    seen |= bit;
    const double ns = line_time(one.cpu, other.cpu);
    if (ns >= 0 && ns < static_cast<double>(near_below_ns)) near |= bit;
  };
  // Neighbors are the nearest pairs, and the first rank and others the farthest.
  for (std::size_t i = 1; i < places.size(); ++i) {
    look(places[i - 1], places[i]);
    look(places[0], places[i]);
  }
  return near;
}

}  // namespace

std::uint32_t near_classes(NearRanks wish, std::span<const lockfree::RankPlace> places,
                           const std::function<double(int, int)>& line_time) {
  switch (wish) {
    case NearRanks::automatic:
      return platform::is_virtual_machine() ? 0 : measured(places, line_time);
    case NearRanks::measured:
      return measured(places, line_time);
    case NearRanks::none:
      return 0;
    case NearRanks::l2:
      return bits_up_to(PeerClass::l2);
    case NearRanks::l3:
      return bits_up_to(PeerClass::l3);
    case NearRanks::numa_node:
      return bits_up_to(PeerClass::numa_node);
  }
  return 0;
}

}  // namespace baton::launch
