// These are the groups into which the machine divides a communicator's ranks (divide.hpp), for
// algorithms that meet within and between them. The first such algorithm makes them; the
// communicator owns the memory.
#pragma once

#include <cstdint>

#include "collective/divide.hpp"
#include "collective/run.hpp"

namespace baton::collective {

// These are some ranks, in the order of their groups or of themselves; one rank may stand in for
// another.
struct Places {
  const std::uint16_t* ranks;
  int count;
  int replaced = -1;  // the index of the one that is replaced
  int by = -1;

  int operator[](int i) const { return i == replaced ? by : ranks[i]; }
};

// The groups are numbered by their first ranks. A group's leader is its first rank, or the root in
// the root's group.
struct MachineGroups {
  const std::uint16_t* group_of;  // by rank
  const std::uint16_t* firsts;    // of each group
  const std::uint16_t* members;   // of our group, in ascending order
  int count;
  int member_count;
  int own;  // our group

  Places within() const { return {members, member_count}; }
  Places leaders() const { return {firsts, count}; }
  Places leaders(int root) const { return {firsts, count, group_of[root], root}; }
  // Returns the leader of our group.
  int leader() const { return firsts[own]; }
  int leader(int root) const { return leaders(root)[own]; }
};
Division divide(const Communicator& comm);

// Returns the groups of the run's communicator, which the machine divides. Null without memory, and
// the run has the error; then this rank takes no part in the call.
const MachineGroups* machine_groups(Run& run);

}  // namespace baton::collective
