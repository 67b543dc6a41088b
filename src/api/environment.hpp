// These are the bodies of the procedures about the library itself: its state, names and versions,
// time, the ABI.
#pragma once

#include "base/error.hpp"
#include "world/communicator.hpp"

namespace baton::api {

// These start and end the library; they are in start.cpp.
Error init(int* argc, char*** argv);
Error init_thread(int* argc, char*** argv, int required, int* provided);
Error finalize();
Error abort(Communicator& comm, int errorcode);

Error initialized(int* flag);
Error finalized(int* flag);
Error query_thread(int* provided);
Error is_thread_main(int* flag);

Error get_version(int* version, int* subversion);
Error get_library_version(char* version, int* resultlen);
Error get_processor_name(char* name, int* resultlen);
Error pcontrol(int level);
// Gives the resources that ranks may be restricted to, and for each whether this rank is.
Error get_hw_resource_info(MPI_Info* info);

// Returns the seconds of a clock that only goes forward and is one for all processes of a node.
double wtime();
double wtick();

Error abi_get_version(int* abi_major, int* abi_minor);
Error abi_get_info(MPI_Info* info);
Error abi_get_fortran_info(MPI_Info* info);
// The layout of Fortran's types is fixed here; other values than those reported give MPI_ERR_ABI.
Error abi_set_fortran_info(MPI_Info info);
Error abi_get_fortran_booleans(int logical_size, void* logical_true, void* logical_false,
                               int* is_set);
Error abi_set_fortran_booleans(int logical_size, void* logical_true, void* logical_false);

}  // namespace baton::api
