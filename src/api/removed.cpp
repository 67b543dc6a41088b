// Procedures that MPI 3.0 removed and mpi.h does not declare. Programs that were linked against
// another library with this ABI may still call them, so they are there; each says once what has
// taken its place.
#include <atomic>
#include <cstdio>

#include "api/entry.hpp"

using namespace baton;
using namespace baton::api;

namespace {

struct Once {
  std::atomic<bool> said{false};
};

// Warns once, on the first rank, since all run the same program; a lone process is a first rank.
void warn(Once& once, const char* name, const char* successor) {
  // relaxed: no other data is published by this flag.
  if (error_handling.rank > 0 || once.said.exchange(true, std::memory_order_relaxed)) return;
  char text[160];
  std::snprintf(text, sizeof text, "%s was removed in MPI 3.0; call %s instead (said once)", name,
                successor);
  print_message(text);
}

}  // namespace

#define REMOVED(name, parameters, successor, arguments) \
  BATON_EXPORT int PMPI_##name parameters {             \
    static constinit Once once;                         \
    warn(once, "MPI_" #name, "MPI_" #successor);        \
    return PMPI_##successor arguments;                  \
  }                                                     \
  BATON_ALIAS(name)

REMOVED(Address, (void* location, MPI_Aint* address), Get_address, (location, address))
REMOVED(Errhandler_create, (MPI_Comm_errhandler_function * function, MPI_Errhandler* errhandler),
        Comm_create_errhandler, (function, errhandler))
REMOVED(Errhandler_get, (MPI_Comm comm, MPI_Errhandler* errhandler), Comm_get_errhandler,
        (comm, errhandler))
REMOVED(Errhandler_set, (MPI_Comm comm, MPI_Errhandler errhandler), Comm_set_errhandler,
        (comm, errhandler))
REMOVED(Type_hindexed,
        (int count, int* lengths, MPI_Aint* displacements, MPI_Datatype old, MPI_Datatype* made),
        Type_create_hindexed, (count, lengths, displacements, old, made))
REMOVED(Type_hvector,
        (int count, int length, MPI_Aint stride, MPI_Datatype old, MPI_Datatype* made),
        Type_create_hvector, (count, length, stride, old, made))
REMOVED(Type_struct,
        (int count, int* lengths, MPI_Aint* displacements, MPI_Datatype* old, MPI_Datatype* made),
        Type_create_struct, (count, lengths, displacements, old, made))

// These successors take more arguments than the removed procedures.
BATON_EXPORT int PMPI_Type_extent(MPI_Datatype type, MPI_Aint* extent) {
  static constinit Once once;
  warn(once, "MPI_Type_extent", "MPI_Type_get_extent");
  MPI_Aint lower_bound = 0;
  return PMPI_Type_get_extent(type, &lower_bound, extent);
}
BATON_ALIAS(Type_extent)

BATON_EXPORT int PMPI_Type_lb(MPI_Datatype type, MPI_Aint* lower_bound) {
  static constinit Once once;
  warn(once, "MPI_Type_lb", "MPI_Type_get_extent");
  MPI_Aint extent = 0;
  return PMPI_Type_get_extent(type, lower_bound, &extent);
}
BATON_ALIAS(Type_lb)

BATON_EXPORT int PMPI_Type_ub(MPI_Datatype type, MPI_Aint* upper_bound) {
  static constinit Once once;
  warn(once, "MPI_Type_ub", "MPI_Type_get_extent");
  MPI_Aint lower_bound = 0, extent = 0;
  int rc = PMPI_Type_get_extent(type, &lower_bound, &extent);
  if (rc == MPI_SUCCESS && upper_bound) *upper_bound = lower_bound + extent;
  return rc;
}
BATON_ALIAS(Type_ub)
