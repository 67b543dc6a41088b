// These are the bodies of partitioned communication (MPI 5.0, "Partitioned Point-to-Point
// Communication"). Errors: MPI_ERR_REQUEST, a request that is none, or not active; MPI_ERR_ARG, a
// partition that there is not, or that was ready before; those of message/partitioned/.
#pragma once

#include <cstdint>

#include "message/partitioned/partitioned.hpp"
#include "world/communicator.hpp"
#include "world/info.hpp"

namespace baton::api {

// No hint is known, so `info` means nothing.
Error psend_init(const void* buffer, int partitions, std::int64_t count, Datatype& type,
                 int destination, int tag, Communicator& comm, const Info* info,
                 MPI_Request* request);
Error precv_init(void* buffer, int partitions, std::int64_t count, Datatype& type, int source,
                 int tag, Communicator& comm, const Info* info, MPI_Request* request);
Error pready(int partition, MPI_Request request);
Error pready_range(int low, int high, MPI_Request request);
Error pready_list(int length, const int* partitions, MPI_Request request);
Error parrived(MPI_Request request, int partition, int* flag);

}  // namespace baton::api
