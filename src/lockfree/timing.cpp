#include "lockfree/timing.hpp"

#include <algorithm>

namespace baton::lockfree {

TimingLayout timing_layout(std::uint32_t ranks, std::uint64_t event_bytes) {
  // guess: imbalance shows in some thousands of calls, and all ranks together keep 100 MB of calls.
  constexpr std::uint64_t collectives_of_a_rank = 32768, collectives_in_all = 1 << 22;
  TimingLayout layout{};
  std::uint64_t offset = 0;
  auto place = [&offset](std::uint64_t bytes) {
    const std::uint64_t start = offset;
    offset = round_up(offset + bytes, page_bytes);
    return start;
  };
  place(sizeof(TimingHead));
  layout.calls = place(timed_calls_max * sizeof(TimedCall));
  layout.communicators = place(timed_communicators_max * sizeof(TimedCommunicator));
  layout.peers = place(ranks * sizeof(PeerTime));
  layout.collectives_max =
      std::min(collectives_of_a_rank, collectives_in_all / std::max(ranks, 1u));
  layout.collectives = place(layout.collectives_max * sizeof(CollectiveTime));
  layout.events = place(event_bytes);
  layout.bytes = offset;
  return layout;
}

TimingPlan timing_plan(std::uint32_t ranks, std::uint64_t offset, std::uint64_t event_bytes) {
  return {round_up(offset, page_bytes), timing_layout(ranks, event_bytes).bytes, event_bytes};
}

}  // namespace baton::lockfree
