// These are the bodies of the procedures about reduction operations.
#pragma once

#include <cstdint>

#include "datatype/operation.hpp"

namespace baton::api {

Error op_create(MPI_User_function* function, int commute, MPI_Op* op);
Error op_create(MPI_User_function_c* function, int commute, MPI_Op* op);
Error op_free(MPI_Op* op);
Error op_commutative(Operation& operation, int* commute);
Error reduce_local(const void* in, void* inout, std::int64_t count, Datatype& type,
                   Operation& operation);

}  // namespace baton::api
