// Starting processes ("The Dynamic Process Model" in the MPI standard): the root starts an mpiexec,
// whose ranks connect to a port of the root in their MPI_Init. To whoever starts and ends jobs it
// is a job of the family of the one that it comes from.
#pragma once

#include "world/communicator.hpp"
#include "world/info.hpp"

namespace baton::dynamic {

// One of the programs to be started.
struct SpawnedProgram {
  const char* command;
  char* const* arguments;  // without the name; null: none. The last one is null
  int processes;
  const Info* info;  // null: none
};

// Starts so many programs as one job. It is collective over `comm`, which has one group;
// `programs`, `count` and `problem` count at `root`: an error of its arguments, as explained, which
// then all get. `codes` (null: not wanted) has a place for each process that was asked for, and
// gets MPI_SUCCESS or MPI_ERR_SPAWN. Errors, explained: MPI_ERR_ARG, MPI_ERR_SPAWN, and those of
// world::create_intercommunicator.
[[nodiscard]] Error spawn(Communicator& comm, int root, const SpawnedProgram* programs, int count,
                          Error problem, Communicator** made, int* codes);

}  // namespace baton::dynamic
