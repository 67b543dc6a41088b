// A place tree says which objects of the machine divide the processes of a communicator: it is the
// tree of packages, NUMA nodes, caches and cores above them, from the places that the launcher
// wrote. It is pure; `reorder` uses it. Invariant: processes stand in slots so that every object's
// are neighbors; only levels that divide further and leave some processes together are kept, coarse
// ones first.
#pragma once

#include <cstdint>

#include "lockfree/job.hpp"
#include "topology/array.hpp"

namespace baton::topology {

class PlaceTree {
 public:
  // Builds the tree. False when memory is short.
  bool build(const lockfree::RankPlace* places, int count);

  int count() const { return count_; }
  // Returns the number of levels. 0: nothing divides the processes, or nobody knows where they are.
  int levels() const { return levels_; }
  int process_in(int slot) const { return process_in_[slot]; }
  int slot_of(int process) const { return slot_of_[process]; }
  // Returns the number of the object of a level that holds a slot; it rises with the slots.
  int object(int level, int slot) const { return objects_[level * count_ + slot]; }

  // Returns how many levels up two slots meet: 0 for one with itself, 1 within a smallest object.
  int hops(int slot, int other) const {
    if (slot == other) return 0;
    int common = 0;
    while (common < levels_ && object(common, slot) == object(common, other)) ++common;
    return levels_ - common + 1;
  }

 private:
  int count_ = 0;
  int levels_ = 0;
  Array<std::int32_t> process_in_;
  Array<std::int32_t> slot_of_;
  Array<std::int32_t> objects_;
};

}  // namespace baton::topology
