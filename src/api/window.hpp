// Bodies of the procedures about windows.
#pragma once

#include <mpi.h>

#include <cstdio>

#include "base/error.hpp"

namespace baton::api {

// No window can exist yet, but MPI_WIN_NULL has a name.
inline Error win_get_name(MPI_Win win, char* name, int* length) {
  if (win != MPI_WIN_NULL)
    return fail(MPI_ERR_WIN, "argument 1 (win) is no live window; this version has none");
  *length = std::snprintf(name, MPI_MAX_OBJECT_NAME, "MPI_WIN_NULL");
  return MPI_SUCCESS;
}

}  // namespace baton::api
