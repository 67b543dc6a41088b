// Communicators between two groups: they are made of two communicators of one group, and merged
// into one again. The bodies of layer 10 call this; dup, split and create are in the same place as
// those for one group.
// Invariant: both groups know an intercommunicator by one id, agreed by all of them together.
#pragma once

#include "world/communicator.hpp"
#include "world/leader_channel.hpp"

namespace baton::world {

// The leaders are ranks of a communicator, and this one talks to `remote_leader` there.
class PeerChannel final : public LeaderChannel {
 public:
  PeerChannel(const Communicator& peer, int remote_leader, int tag)
      : peer_(peer), remote_leader_(remote_leader), tag_(tag) {}
  Error exchange(const void* mine, std::int64_t bytes, void* theirs,
                 std::int64_t their_bytes) override;
  Error agree_key(Key* key) override;

 private:
  const Communicator& peer_;
  int remote_leader_;
  int tag_;
};

// Creates an intercommunicator. It is collective over `local` (of one group) and the other side's.
// `channel` (null: problem) and `problem` count at the local leader only; `problem` is an error of
// the leader's arguments, which then all of its group get. The groups may be of different jobs.
// Errors: MPI_ERR_COMM when the groups overlap; MPI_ERR_OTHER when their processes cannot meet.
Error create_intercommunicator(Communicator& local, int leader, LeaderChannel* channel,
                               Error problem, Communicator** made);

// Creates an intercommunicator. It is collective over both groups, which do not overlap; `remote`
// (null: problem) and `problem` count at the leader only. The name is the same on both sides and
// keeps concurrent calls apart.
Error create_intercommunicator_from_groups(const Group& local, int leader, const Group* remote,
                                           Error problem, const char* name, Communicator** made);

// Merges both groups into one, that of the `high` side last. Error: MPI_ERR_ARG where the ranks of
// a side do not agree on `high`.
Error merge(Communicator& inter, bool high, Communicator** made);

}  // namespace baton::world
