// These are the bodies of the procedures that make intercommunicators or merge them.
#include "world/intercommunicator.hpp"

#include <cstring>
#include <optional>

#include "api/communicator.hpp"
#include "api/error.hpp"

namespace baton::api {

namespace {

// Checks the local leader's arguments, which mean nothing at other ranks.
Error check_peer(const Communicator* peer, int remote_leader) {
  if (!peer)
    return fail(MPI_ERR_COMM,
                "argument 3 (peer_comm): at the local leader this must be a communicator that is "
                "alive");
  if (remote_leader < 0 || remote_leader >= peer->remote_size())
    return fail(MPI_ERR_RANK,
                "argument 4 (remote_leader): rank %d is not in the peer communicator of %d ranks",
                remote_leader, peer->remote_size());
  return MPI_SUCCESS;
}

Error check_leader(int leader, int size) {
  if (leader >= 0 && leader < size) return MPI_SUCCESS;
  return fail(MPI_ERR_RANK,
              "argument 2 (local_leader): rank %d is not in the local group of %d ranks", leader,
              size);
}

Error check_remote(const Group* remote, int remote_leader) {
  if (!remote)
    return fail(MPI_ERR_GROUP,
                "argument 3 (remote_group): at the local leader this must be a group that is "
                "alive");
  if (remote_leader < 0 || remote_leader >= remote->size)
    return fail(MPI_ERR_RANK,
                "argument 4 (remote_leader): rank %d is not in the remote group of %d ranks",
                remote_leader, remote->size);
  return MPI_SUCCESS;
}

}  // namespace

Error intercomm_create(Communicator& local, int local_leader, MPI_Comm peer, int remote_leader,
                       int tag, MPI_Comm* handle) {
  if (local.is_inter())
    return fail(MPI_ERR_COMM,
                "argument 1 (local_comm): this is an intercommunicator; either side of a new one "
                "is a communicator of one group");
  if (Error error = check_leader(local_leader, local.size())) return error;
  std::optional<world::PeerChannel> channel;
  Error problem = MPI_SUCCESS;
  if (local.rank() == local_leader) {
    const Communicator* found = world::communicators.find(peer);
    problem = check_peer(found, remote_leader);
    if (!problem) channel.emplace(*found, remote_leader, tag);
  }
  Communicator* made = nullptr;
  Error error = world::create_intercommunicator(local, local_leader, channel ? &*channel : nullptr,
                                                problem, &made);
  if (!error) *handle = made->handle;
  return error;
}

Error intercomm_create_from_groups(Group& local, int local_leader, MPI_Group remote_handle,
                                   int remote_leader, const char* name, const Info* info,
                                   ErrorHandler& errors, MPI_Comm* handle) {
  if (::strnlen(name, MPI_MAX_STRINGTAG_LEN) == MPI_MAX_STRINGTAG_LEN)
    return fail(MPI_ERR_ARG,
                "argument 5 (stringtag) is longer than MPI_MAX_STRINGTAG_LEN - 1 (%d) characters",
                MPI_MAX_STRINGTAG_LEN - 1);
  if (Error error = check_kind(errors, 7, ObjectKind::comm, "MPI_Comm_create_errhandler"))
    return error;
  const Group* remote = world::groups.find(remote_handle);
  *handle = MPI_COMM_NULL;
  if (local.size == 0 || (remote && remote->size == 0)) return MPI_SUCCESS;
  if (local.rank == MPI_UNDEFINED)
    return fail(MPI_ERR_GROUP, "argument 1 (local_group): this process is not in it");
  if (Error error = check_leader(local_leader, local.size)) return error;
  Error problem =
      local.rank == local_leader ? check_remote(remote, remote_leader) : Error{MPI_SUCCESS};
  Communicator* made = nullptr;
  Error error = world::create_intercommunicator_from_groups(local, local_leader, remote, problem,
                                                            name, &made);
  if (error) return error;
  attach_error_handler(made->errors, &errors);
  world::update_hints(made->hints, info);
  *handle = made->handle;
  return MPI_SUCCESS;
}

Error intercomm_merge(Communicator& comm, int high, MPI_Comm* handle) {
  if (!comm.is_inter())
    return fail(MPI_ERR_COMM,
                "argument 1 (intercomm): this communicator has one group already; there is nothing "
                "to merge");
  Communicator* made = nullptr;
  Error error = world::merge(comm, high != 0, &made);
  if (!error) *handle = made->handle;
  return error;
}

}  // namespace baton::api
