// Bodies of the procedures about files. No file can be open yet; MPI_FILE_NULL stands for those to
// come: the error handler on it is the one that opened files begin with.
#pragma once

#include <mpi.h>

#include "base/error.hpp"
#include "world/error_handler.hpp"

namespace baton::api {

// In error.cpp.
Error file_create_errhandler(MPI_File_errhandler_function* function, MPI_Errhandler* errhandler);
Error file_set_errhandler(MPI_File file, ErrorHandler& errhandler);
Error file_get_errhandler(MPI_File file, MPI_Errhandler* errhandler);
Error file_call_errhandler(MPI_File file, int errorcode);

}  // namespace baton::api
