// Communicators between two groups: made of two that have one, and merged into one again. Bodies of
// layer 10 call; dup, split and create stand with those of one group.
// Invariant: both groups know an intercommunicator by one id, agreed by all of them together.
#pragma once

#include "world/communicator.hpp"

namespace baton::world {

// Collective over `local` (of one group) and the other side's. `peer`, `remote_leader` (its rank
// there, checked) count at the local leader only, and so does `problem`: an error of the leader's
// arguments, which then all of its group get. MPI_ERR_COMM when the groups overlap.
struct Bridge {
  const Communicator* peer;
  int remote_leader;
  int tag;
  Error problem;
};
Error create_intercommunicator(Communicator& local, int leader, const Bridge& bridge,
                               Communicator** made);

// Collective over both groups, which do not overlap; `remote` (null: problem) and `problem` count
// at the leader only. The name is the same on both sides and keeps concurrent calls apart.
Error create_intercommunicator_from_groups(const Group& local, int leader, const Group* remote,
                                           Error problem, const char* name, Communicator** made);

// One group of both, that of the `high` side last. MPI_ERR_ARG where a side does not agree on it.
Error merge(Communicator& inter, bool high, Communicator** made);

}  // namespace baton::world
