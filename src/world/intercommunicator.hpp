// Communicators between two groups: they are made of two communicators of one group, and merged
// into one again. The bodies of layer 10 call this; dup, split and create are in the same place as
// those for one group.
// Invariant: both groups know an intercommunicator by one id, agreed by all of them together.
#pragma once

#include "world/communicator.hpp"

namespace baton::world {

// Arguments of a creation that is collective over `local` (of one group) and the other side's.
// `peer`, `remote_leader` (the rank there, checked) and `problem` count at the local leader only;
// `problem` is an error of the leader's arguments, which then all of its group get. Error:
// MPI_ERR_COMM when the groups overlap.
struct Bridge {
  const Communicator* peer;
  int remote_leader;
  int tag;
  Error problem;
};
Error create_intercommunicator(Communicator& local, int leader, const Bridge& bridge,
                               Communicator** made);

// Creates an intercommunicator. It is collective over both groups, which do not overlap; `remote`
// (null: problem) and `problem` count at the leader only. The name is the same on both sides and
// keeps concurrent calls apart.
Error create_intercommunicator_from_groups(const Group& local, int leader, const Group* remote,
                                           Error problem, const char* name, Communicator** made);

// Merges both groups into one, that of the `high` side last. Error: MPI_ERR_ARG where the ranks of
// a side do not agree on `high`.
Error merge(Communicator& inter, bool high, Communicator** made);

}  // namespace baton::world
