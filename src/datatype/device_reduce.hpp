// Predefined operations on operands in device memory: which of them devices have, and reductions
// wherever the operands lie. MPI_Reduce_local, collectives and accumulates use this where data may
// be a device's; elsewhere `reduce` (operation.hpp).
#pragma once

#include "datatype/operation.hpp"

namespace baton::datatype {

// Returns whether devices have the operation on this type. All ranks find the same.
bool devices_reduce(const Operation& operation, const Datatype& type);

// Computes inout = in op inout as `reduce` does, where each of the two may lie in any memory: by
// the device where both do and are long enough (BATON_DEVICE_BYTES_MIN), else in copies in host
// memory. Error: MPI_ERR_NO_MEM, explained.
Error reduce_anywhere(const Operation& operation, const void* in, void* inout, std::int64_t count,
                      const Datatype& type);

}  // namespace baton::datatype
