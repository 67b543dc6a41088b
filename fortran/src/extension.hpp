// Procedures that the standard does not have. They are weak, so that the library also serves an
// MPI that lacks them.
#pragma once

#include <mpi-ext.h>

#include "by_hand.hpp"

namespace baton::fortran {

inline void refuse_extension(const char* procedure, Fint* ierror) {
  refuse(MPI_ERR_UNSUPPORTED_OPERATION, procedure,
         "is not a procedure of the MPI library that this program runs with; Baton has it", ierror);
}

}  // namespace baton::fortran
