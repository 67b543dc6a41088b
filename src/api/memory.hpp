// These are the bodies of the procedures about addresses and memory.
#pragma once

#include "base/error.hpp"
#include "world/info.hpp"

namespace baton::api {

Error get_address(const void* location, MPI_Aint* address);
MPI_Aint aint_add(MPI_Aint base, MPI_Aint displacement);
MPI_Aint aint_diff(MPI_Aint first, MPI_Aint second);

// Allocates memory aligned to a cache line, or to the info key mpi_minimum_memory_alignment if that
// is more. `baseptr` points to the pointer to set. Error: MPI_ERR_NO_MEM.
Error alloc_mem(MPI_Aint size, const Info* info, void* baseptr);
Error free_mem(void* base);

}  // namespace baton::api
