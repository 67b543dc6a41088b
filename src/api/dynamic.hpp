// The bodies of the chapter about processes that are started and met later (dynamic/). `info`,
// `command` and the like mean something at the root only, so they come here unchecked.
#pragma once

#include <mpi.h>

#include "base/error.hpp"
#include "world/communicator.hpp"
#include "world/info.hpp"

namespace baton::api {

Error comm_get_parent(MPI_Comm* parent);

Error comm_spawn(const char* command, char** arguments, int processes, MPI_Info info, int root,
                 Communicator& comm, MPI_Comm* made, int* codes);
Error comm_spawn_multiple(int count, char** commands, char*** arguments, const int* processes,
                          const MPI_Info* infos, int root, Communicator& comm, MPI_Comm* made,
                          int* codes);

Error open_port(const Info* info, char* name);
Error close_port(const char* name);
Error comm_accept(const char* port, MPI_Info info, int root, Communicator& comm, MPI_Comm* made);
Error comm_connect(const char* port, MPI_Info info, int root, Communicator& comm, MPI_Comm* made);
Error comm_join(int descriptor, MPI_Comm* made);

Error publish_name(const char* service, const Info* info, const char* port);
Error unpublish_name(const char* service, const Info* info, const char* port);
Error lookup_name(const char* service, const Info* info, char* port);

}  // namespace baton::api
