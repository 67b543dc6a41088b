// This finds out which ranks of a job are near each other (base/distance.hpp), where rows of the
// selection want to know.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "base/distance.hpp"
#include "lockfree/job.hpp"

namespace baton::launch {

// Returns a bit for each class of peers (PeerClass) whose ranks are near each other, as `wish`
// says. Where it is measured, one pair of each class is, by `line_time(cpu, other)`, in
// nanoseconds, negative where it could not be measured. Ranks that are bound to no core count for
// no class then.
std::uint32_t near_classes(NearRanks wish, std::span<const lockfree::RankPlace> places,
                           const std::function<double(int, int)>& line_time);

}  // namespace baton::launch
