// The state of a split collective access (MPI 5.0, "Split Collective Data Access Routines"), which
// is under way between two calls. Used by access_all.cpp and open.cpp.
#pragma once

#include <mpi.h>

#include "file/access.hpp"

namespace baton::file {

struct SplitAccess {
  MPI_Request request;
  bool writes;
  Pointer pointer;
};

}  // namespace baton::file
