// The collectives of intercommunicators, straight between the two groups: what one group gives, the
// other gets (MPI 5.0, "Applying Collective Operations to Inter-Communicators"). `root` is
// MPI_ROOT, MPI_PROC_NULL or a rank of the remote group. Called by the collectives of the same
// names. MPI_ERR_BUFFER for MPI_IN_PLACE, which means nothing here; else errors of the messages.
#pragma once

#include "collective/collective.hpp"

namespace baton::collective::between {

Error barrier(Communicator& comm);
Error broadcast(Communicator& comm, void* buffer, std::int64_t count, Datatype& type, int root);
Error reduce(Communicator& comm, const void* send, void* receive, std::int64_t count,
             Datatype& type, Operation& operation, int root);
Error allreduce(Communicator& comm, const void* send, void* receive, std::int64_t count,
                Datatype& type, Operation& operation);
Error gather(Communicator& comm, const Blocks& mine, const Blocks& all, int root);
Error scatter(Communicator& comm, const Blocks& all, const Blocks& mine, int root);
Error allgather(Communicator& comm, const Blocks& mine, const Blocks& all);
Error alltoall(Communicator& comm, const Blocks& out, const Blocks& in);

}  // namespace baton::collective::between
