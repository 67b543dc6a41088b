// How a rank that another launcher has started (Slurm, PRRTE, Hydra) finds the others: all
// introduce themselves through the launcher's process manager; those of one host make the memory
// that they share, and the rest is reached over the network. The start of mpiexec's own ranks is
// elsewhere (world/process.cpp): their memory is there before they are.
#pragma once

#include "world/wire_up/process_manager.hpp"

namespace baton::world {

// Attaches this process to its node's memory as the rank that the manager says it is. Errors,
// explained: other versions or settings elsewhere, a host that cannot be reached.
[[nodiscard]] Error join(ProcessManager& manager);

}  // namespace baton::world
