// Bodies of the procedures about process topologies.
#pragma once

#include "world/communicator.hpp"

namespace baton::api {

// No communicator can have a topology yet.
inline Error topo_test(Communicator&, int* status) {
  *status = MPI_UNDEFINED;
  return MPI_SUCCESS;
}

// Fills the dimensions that are 0 so that the product of all is `nodes`: the new ones as near to
// each other as can be, in falling order. MPI_ERR_DIMS when the given ones leave no way.
Error dims_create(int nodes, int count, int* dims);

}  // namespace baton::api
