// Hierarchical barrier in a room: each group's first rank waits for its group, and all wait for
// these first ranks.
#include "collective/algorithm.hpp"
#include "collective/room/hierarchical.hpp"

namespace baton::collective {

Task barrier_hierarchical_in_room(Run& run, Round first, Round second) {
  const MachineGroups* groups = machine_groups(run);
  if (!groups) co_return;
  Visit within(run, first), between(run, second);
  const int leader = groups->leader();
  co_await within.may_write();
  publish_to_leader(within, groups->within(), leader);
  if (within.rank() == leader) {
    co_await within.arrived(groups->within());
    const std::uint64_t finished = within.finished_by(groups->within());
    co_await between.may_write();
    publish_to_all(between, groups->leaders(), finished);
  }
  within.finish();
  co_await between.arrived(groups->leaders());
  between.finish_exchange(groups->leaders());
}

}  // namespace baton::collective
