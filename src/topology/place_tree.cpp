#include "topology/place_tree.hpp"

#include <algorithm>
#include <numeric>

namespace baton::topology {

namespace {

using lockfree::RankPlace;
using Member = std::int32_t RankPlace::*;

// Which of two members is the larger object differs: a NUMA node may hold several L3 caches or
// share one.
constexpr Member members[] = {&RankPlace::node, &RankPlace::package, &RankPlace::numa_node,
                              &RankPlace::l3,   &RankPlace::l2,      &RankPlace::core};
constexpr int member_count = sizeof members / sizeof members[0];

// Returns how many different numbers the processes have; `scratch` holds as many.
int count_different(const RankPlace* places, int count, Member member, std::int32_t* scratch) {
  for (int i = 0; i < count; ++i) scratch[i] = places[i].*member;
  std::sort(scratch, scratch + count);
  return static_cast<int>(std::unique(scratch, scratch + count) - scratch);
}

// Orders the members, coarse ones first.
void order_members(const RankPlace* places, int count, std::int32_t* scratch, Member* ordered) {
  int different[member_count];
  int order[member_count];
  for (int i = 0; i < member_count; ++i) {
    different[i] = count_different(places, count, members[i], scratch);
    order[i] = i;
  }
  std::stable_sort(order, order + member_count,
                   [&](int a, int b) { return different[a] < different[b]; });
  for (int i = 0; i < member_count; ++i) ordered[i] = members[order[i]];
}

}  // namespace

bool PlaceTree::build(const RankPlace* places, int count) {
  count_ = count;
  levels_ = 0;
  process_in_ = make_array<std::int32_t>(count);
  slot_of_ = make_array<std::int32_t>(count);
  objects_ = make_array<std::int32_t>(std::int64_t{member_count} * count);
  if (!process_in_ || !slot_of_ || !objects_) return false;
  Member ordered[member_count];
  order_members(places, count, process_in_.get(), ordered);
  std::int32_t* first = process_in_.get();
  std::iota(first, first + count, 0);
  std::sort(first, first + count, [&](std::int32_t a, std::int32_t b) {
    for (Member member : ordered)
      if (places[a].*member != places[b].*member) return places[a].*member < places[b].*member;
    return a < b;
  });
  int before = 1;  // objects of the last level that was kept before
  for (int depth = 0; depth < member_count; ++depth) {
    std::int32_t* object = objects_.get() + levels_ * count;
    int objects = count > 0;
    for (int slot = 1; slot < count; ++slot) {
      const RankPlace &one = places[first[slot - 1]], &other = places[first[slot]];
      // Processes that a larger object divides are divided here, too.
      bool same = std::all_of(ordered, ordered + depth + 1,
                              [&](Member member) { return one.*member == other.*member; });
      objects += !same;
      object[slot] = objects - 1;
    }
    bool divides = objects > before && objects < count;
    if (!divides) continue;
    before = objects;
    ++levels_;
  }
  for (int slot = 0; slot < count; ++slot) slot_of_[first[slot]] = slot;
  return true;
}

}  // namespace baton::topology
