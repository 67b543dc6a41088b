// Hierarchical broadcast in a room: the root writes for its group and for one rank of each other
// group, which write for their groups.
#include <cstring>

#include "collective/algorithm.hpp"
#include "collective/room/visit.hpp"
#include "platform/copy.hpp"

namespace baton::collective {

Task broadcast_hierarchical_in_room(Run& run, Round first, Round second) {
  const Call& call = run.call;
  const Blocks& data = call.in;
  const int root = call.root;
  const MachineGroups* groups = machine_groups(run);
  if (!groups) co_return;
  Visit between(run, first), within(run, second);
  const int rank = between.rank(), leader = groups->leader(root);
  if (rank == root) {
    co_await between.may_write();
    between.put(root, data.buffer, data.uniform, *data.type);
    between.publish(root, data.uniform, *data.type);
    between.wake(groups->within());
    between.wake(groups->leaders(root));
  } else if (leader == root || rank == leader) {
    co_await between.arrived(root, root + 1);
    const bool fits = between.has_length(root, data.uniform, *data.type);
    if (rank == leader) {
      co_await within.may_write();
      if (fits)
        platform::copy_run(within.payload(rank), between.payload(root),
                           static_cast<std::size_t>(data.uniform * data.type->size));
      within.publish(rank, data.uniform, *data.type);
      within.wake(groups->within());
    }
    if (fits) between.take(root, data.buffer, data.uniform, *data.type);
  } else {
    co_await within.arrived(leader, leader + 1);
    if (within.has_length(leader, data.uniform, *data.type))
      within.take(leader, data.buffer, data.uniform, *data.type);
  }
  // Now that some may have written, this rank's end of the round is not too far ahead to be told.
  between.finish();
  within.finish();
}

}  // namespace baton::collective
