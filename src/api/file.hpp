// These are the bodies of the procedures about files. No file can be open yet; MPI_FILE_NULL stands
// for later ones: its error handler is the one with which opened files begin.
#pragma once

#include <mpi.h>

#include "base/error.hpp"
#include "world/error_handler.hpp"

namespace baton::api {

// These are in error.cpp.
Error file_create_errhandler(MPI_File_errhandler_function* function, MPI_Errhandler* errhandler);
Error file_set_errhandler(MPI_File file, ErrorHandler& errhandler);
Error file_get_errhandler(MPI_File file, MPI_Errhandler* errhandler);
Error file_call_errhandler(MPI_File file, int errorcode);

}  // namespace baton::api
