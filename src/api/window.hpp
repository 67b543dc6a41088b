// Bodies of the procedures about windows.
#pragma once

#include <mpi.h>

#include <cstdio>

#include "base/error.hpp"
#include "world/error_handler.hpp"

namespace baton::api {

// No window can exist yet.
inline Error no_window(MPI_Win win) {
  return fail(MPI_ERR_WIN, win == MPI_WIN_NULL
                               ? "argument 1 (win) is MPI_WIN_NULL"
                               : "argument 1 (win) is no live window; this version has none");
}

// In error.cpp.
Error win_create_errhandler(MPI_Win_errhandler_function* function, MPI_Errhandler* errhandler);
inline Error win_set_errhandler(MPI_Win win, ErrorHandler&) {
  return no_window(win);
}
inline Error win_get_errhandler(MPI_Win win, MPI_Errhandler*) {
  return no_window(win);
}
inline Error win_call_errhandler(MPI_Win win, int) {
  return no_window(win);
}

// MPI_WIN_NULL has a name.
inline Error win_get_name(MPI_Win win, char* name, int* length) {
  if (win != MPI_WIN_NULL) return no_window(win);
  *length = std::snprintf(name, MPI_MAX_OBJECT_NAME, "MPI_WIN_NULL");
  return MPI_SUCCESS;
}

}  // namespace baton::api
