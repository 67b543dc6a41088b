// This is memory that MPI gives to programs, for MPI_Alloc_mem and for windows. It lies where the
// other ranks can reach it, if there is space, and where the info or `mpiexec --memory heap=` wants
// it. It is called by api/ and window/.
#pragma once

#include <cstddef>

#include "base/error.hpp"
#include "world/info.hpp"

namespace baton::world {

// Says when a block's pages get memory.
enum class Backing { now, when_touched };

// Allocates memory, aligned to a cache line, or to the info key mpi_minimum_memory_alignment if
// that is more. `argument` is the number of the info among the caller's. Errors: MPI_ERR_NO_MEM,
// MPI_ERR_INFO_VALUE.
[[nodiscard]] Error allocate_memory(std::size_t bytes, const Info* info, int argument,
                                    Backing backing, void** memory);
// Frees memory. Returns false where such memory of ours would lie, but none in use begins.
[[nodiscard]] bool free_memory(void* memory);

}  // namespace baton::world
