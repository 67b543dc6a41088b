// The groups into which the machine divides a communicator's ranks (divide.hpp), for algorithms
// that meet within and between them. Worked out by the first of these; the memory is the
// communicator's.
#pragma once

#include <cstdint>

#include "collective/divide.hpp"
#include "collective/run.hpp"

namespace baton::collective {

// Some ranks in the order of their groups or of themselves; one may stand in for another.
struct Places {
  const std::uint16_t* ranks;
  int count;
  int replaced = -1;  // which of them
  int by = -1;

  int operator[](int i) const { return i == replaced ? by : ranks[i]; }
};

// Groups are numbered by their first ranks. A group's leader is its first rank, or the root, where
// there is one.
struct MachineGroups {
  const std::uint16_t* group_of;  // by rank
  const std::uint16_t* firsts;    // of each group
  const std::uint16_t* members;   // of our group, in rising order
  int count;
  int member_count;
  int own;  // our group

  Places within() const { return {members, member_count}; }
  Places leaders() const { return {firsts, count}; }
  Places leaders(int root) const { return {firsts, count, group_of[root], root}; }
  // Of our group.
  int leader() const { return firsts[own]; }
  int leader(int root) const { return leaders(root)[own]; }
};
Division divide(const Communicator& comm);

// Of the run's communicator, which the machine divides. Null, and the run has the error, without
// memory; then this rank has no part in the call.
const MachineGroups* machine_groups(Run& run);

}  // namespace baton::collective
