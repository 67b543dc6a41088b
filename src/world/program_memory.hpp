// Memory that MPI gives to programs: of MPI_Alloc_mem and of windows. It lies where the other ranks
// can reach it, if there is room, and where the info or `mpiexec --memory heap=` wants it. Called
// by api/ and window/.
#pragma once

#include <cstddef>

#include "base/error.hpp"
#include "world/info.hpp"

namespace baton::world {

// When a block's pages get memory.
enum class Backing { now, when_touched };

// Aligned to a cache line, or to the info key mpi_minimum_memory_alignment if that is more.
// `argument` is the number of the info among the caller's. MPI_ERR_NO_MEM, MPI_ERR_INFO_VALUE.
[[nodiscard]] Error allocate_memory(std::size_t bytes, const Info* info, int argument,
                                    Backing backing, void** memory);
// False where such memory of ours would lie, but none that is in use begins.
[[nodiscard]] bool free_memory(void* memory);

}  // namespace baton::world
