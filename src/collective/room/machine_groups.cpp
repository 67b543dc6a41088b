#include "collective/room/machine_groups.hpp"

#include <atomic>
#include <bitset>
#include <cstdlib>
#include <new>

#include "transport/node.hpp"

namespace baton::collective {

static_assert(lockfree::ranks_max <= UINT16_MAX);

namespace {

platform::Lock groups_lock;  // held while groups are made

const lockfree::RankPlace& place_of(const Communicator& comm, int rank) {
  return message::place_of(comm.collective.process(rank));
}

// Makes the groups in one block of memory, which `std::free` frees; null without memory.
MachineGroups* make_groups(const Communicator& comm) {
  const Division division = divide(comm);
  const auto ranks = static_cast<std::size_t>(comm.size());
  // Every rank has a group, each group a first rank, and no group is larger than all ranks.
  void* memory =
      std::malloc(sizeof(MachineGroups) + (ranks + ranks + ranks) * sizeof(std::uint16_t));
  if (!memory) return nullptr;
  auto* group_of = reinterpret_cast<std::uint16_t*>(static_cast<MachineGroups*>(memory) + 1);
  std::uint16_t* firsts = group_of + ranks;
  std::uint16_t* members = firsts + ranks;
  std::uint16_t number_of[object_numbers];  // a group's number, by its object's; set only for
                                            // objects that were seen
  std::bitset<object_numbers> seen;
  int count = 0, member_count = 0;
  for (int rank = 0; rank < comm.size(); ++rank) {
    const auto object = static_cast<std::size_t>(number_on_node(place_of(comm, rank), division.by));
    if (!seen[object]) {
      seen[object] = true;
      firsts[count] = static_cast<std::uint16_t>(rank);
      number_of[object] = static_cast<std::uint16_t>(count++);
    }
    group_of[rank] = number_of[object];
  }
  for (int rank = 0; rank < comm.size(); ++rank)
    if (group_of[rank] == group_of[comm.rank()])
      members[member_count++] = static_cast<std::uint16_t>(rank);
  return new (memory)
      MachineGroups{group_of, firsts, members, count, member_count, group_of[comm.rank()]};
}

}  // namespace

Division divide(const Communicator& comm) {
  return divide(
      comm.size(), [&comm](int rank) -> auto& { return place_of(comm, rank); });
}

const MachineGroups* machine_groups(Run& run) {
  Communicator& comm = *run.call.comm;
  std::atomic_ref groups(comm.machine_groups);
  // ORDER collective.machine_groups: acquire here, release below; what it points to is complete.
  if (const MachineGroups* made = groups.load(std::memory_order_acquire)) return made;
  platform::Guard guard(groups_lock);
  MachineGroups* made = groups.load(std::memory_order_relaxed);  // relaxed: under the lock
  if (!made) made = make_groups(comm);
  if (!made) run.note(fail(MPI_ERR_NO_MEM, "no memory for the groups of a communicator's ranks"));
  // ORDER collective.machine_groups: release here, acquire above.
  groups.store(made, std::memory_order_release);
  return made;
}

}  // namespace baton::collective
