// Start-up of a rank that another launcher (Slurm, PRRTE, Hydra) has started: all ranks introduce
// themselves through the launcher's process manager; those of one host make the memory that they
// share, and reach the other hosts over the network. The start of mpiexec's own ranks is elsewhere
// (world/process.cpp): their memory is made before they start.
#pragma once

#include "world/wire_up/process_manager.hpp"

namespace baton::world {

// Attaches this process to its node's memory, as the rank that the manager says it is. Errors,
// explained: other versions or settings elsewhere, a host that cannot be reached.
[[nodiscard]] Error join(ProcessManager& manager);

}  // namespace baton::world
