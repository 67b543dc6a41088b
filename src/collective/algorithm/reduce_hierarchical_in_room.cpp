// Hierarchical reduce in a room: each group's leader combines its group's vectors, and the root,
// which leads its own group, combines the leaders' results.
#include "collective/algorithm.hpp"
#include "collective/room/combine.hpp"
#include "collective/room/hierarchical.hpp"

namespace baton::collective {

Task reduce_hierarchical_in_room(Run& run, Round first, Round second) {
  const Call& call = run.call;
  const Vector vector = vector_of(call);
  const void* contribution = call.contribution();
  void* result = call.in.buffer;
  const int root = call.root;
  const MachineGroups* groups = machine_groups(run);
  bool good;
  void* unpacked = memory_to_unpack(run, vector, &good);
  if (!groups || !good) co_return;
  Visit within(run, first), between(run, second);
  const int rank = within.rank(), leader = groups->leader(root);
  const Places leaders = groups->leaders(root);
  if (rank == leader && rank != root && !(result = run.scratch(vector.count, *vector.type)))
    co_return;
  co_await within.may_write();
  within.put(rank, contribution, vector.count, *vector.type);
  publish_to_leader(within, groups->within(), leader);
  if (rank == leader) {
    co_await within.arrived(groups->within());
    combine(within, groups->within(), vector, result, unpacked);
    co_await between.may_write();
    between.put(rank, result, vector.count, *vector.type);
    between.publish(rank);
    if (rank != root && !between.others_missing(leaders)) between.wake(root);
  }
  within.finish();
  if (rank == root) {
    co_await between.arrived(leaders);
    combine(between, leaders, vector, result, unpacked);
  }
  between.finish();
}

}  // namespace baton::collective
