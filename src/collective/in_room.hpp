// The algorithms that meet in a room: everyone writes what it gives to its own place, everyone
// reads what it needs. Results are combined in rank order, so that all get the same bits, whatever
// the operation. Sizes were checked by select.
#pragma once

#include "collective/algorithms.hpp"
#include "lockfree/room.hpp"

namespace baton::collective {

using lockfree::Meeting;
using MeetingRow = lockfree::Room<lockfree::Hardware>::Row;

Task barrier_in_room(Run& run, Meeting meeting);
Task broadcast_in_room(Run& run, Meeting meeting, const Blocks& data, int root);
Task gather_in_room(Run& run, Meeting meeting, const Blocks& mine, const Blocks& all, int root);
Task scatter_in_room(Run& run, Meeting meeting, const Blocks& all, const Blocks& mine, int root);
Task allgather_in_room(Run& run, Meeting meeting, const Blocks& mine, const Blocks& all);
Task alltoall_in_room(Run& run, Meeting meeting, const Blocks& out, const Blocks& in);
// In many meetings in a row (collective/room/pieces.hpp).
Task allgather_by_pieces_in_room(Run& run, MeetingRow row, const Blocks& mine, const Blocks& all);
Task alltoall_by_pieces_in_room(Run& run, MeetingRow row, const Blocks& out, const Blocks& in);
Task reduce_in_room(Run& run, Meeting meeting, Vector vector, const void* contribution,
                    void* result, int root);
Task allreduce_in_room(Run& run, Meeting meeting, Vector vector, const void* contribution,
                       void* result);
// Each rank combines its part only; then all read all parts.
Task allreduce_by_parts_in_room(Run& run, Meeting contributing, Meeting combining, Vector vector,
                                const void* contribution, void* result);
// Within the machine's groups first, then between them (machine_groups.hpp).
Task barrier_by_groups_in_room(Run& run, Meeting first, Meeting second);
Task broadcast_by_groups_in_room(Run& run, Meeting first, Meeting second, const Blocks& data,
                                 int root);
Task reduce_by_groups_in_room(Run& run, Meeting first, Meeting second, Vector vector,
                              const void* contribution, void* result, int root);
Task allreduce_by_groups_in_room(Run& run, Meeting first, Meeting second, Vector vector,
                                 const void* contribution, void* result);
Task reduce_scatter_in_room(Run& run, Meeting meeting, Vector whole, const void* contribution,
                            const Blocks& in);
Task allreduce_by_pieces_in_room(Run& run, MeetingRow row, Vector vector, const void* contribution,
                                 void* result);
Task reduce_scatter_by_pieces_in_room(Run& run, MeetingRow row, Vector whole,
                                      const void* contribution, const Blocks& in);
// Along chains of ranks, many meetings in a row (collective/room/chains.hpp). What a rank wants of
// the result: elements [begin, end), and where they go.
struct Part {
  std::int64_t begin;
  std::int64_t end;
  void* result;
};
Task reduction_chain_in_room(Run& run, MeetingRow row, Vector whole, const void* contribution,
                             Part wanted);
Task scan_in_room(Run& run, Meeting meeting, Vector vector, const void* contribution, void* result,
                  bool inclusive);

}  // namespace baton::collective
