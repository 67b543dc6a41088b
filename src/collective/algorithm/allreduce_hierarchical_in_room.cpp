// Hierarchical allreduce in a room: each group's first rank combines its group's vectors, and all
// combine the results of these. The order is that of ranks, then of groups, so that all get the
// same bits.
#include "collective/algorithm.hpp"
#include "collective/room/combine.hpp"
#include "collective/room/hierarchical.hpp"

namespace baton::collective {

Task allreduce_hierarchical_in_room(Run& run, Round first, Round second) {
  const Call& call = run.call;
  const Vector vector = vector_of(call);
  const void* contribution = call.contribution();
  void* result = call.in.buffer;
  const MachineGroups* groups = machine_groups(run);
  bool good;
  void* unpacked = memory_to_unpack(run, vector, &good);
  if (!groups || !good) co_return;
  Visit within(run, first), between(run, second);
  const int rank = within.rank(), leader = groups->leader();
  co_await within.may_write();
  within.put(rank, contribution, vector.count, *vector.type);
  publish_to_leader(within, groups->within(), leader);
  if (rank == leader) {
    co_await within.arrived(groups->within());
    combine(within, groups->within(), vector, result, unpacked);
    const std::uint64_t finished = within.finished_by(groups->within());
    co_await between.may_write();
    between.put(rank, result, vector.count, *vector.type);
    publish_to_all(between, groups->leaders(), finished);
  }
  within.finish();
  co_await between.arrived(groups->leaders());
  combine(between, groups->leaders(), vector, result, unpacked);
  between.finish_exchange(groups->leaders());
}

}  // namespace baton::collective
