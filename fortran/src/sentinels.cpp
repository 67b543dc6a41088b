#include "convert.hpp"

namespace baton::fortran {

Sentinels mpi_fortran_sentinels_;
Arguments mpi_fortran_arguments_;

// MPI 5.0, 19.3.5: by them C code tells what Fortran has passed.
extern "C" {
#pragma GCC visibility push(default)
MPI_Fint* MPI_F_STATUS_IGNORE = mpi_fortran_sentinels_.status_ignore;
MPI_Fint* MPI_F_STATUSES_IGNORE = mpi_fortran_sentinels_.statuses_ignore;
MPI_F08_status* MPI_F08_STATUS_IGNORE =
    reinterpret_cast<MPI_F08_status*>(mpi_fortran_sentinels_.status_ignore);
MPI_F08_status* MPI_F08_STATUSES_IGNORE =
    reinterpret_cast<MPI_F08_status*>(mpi_fortran_sentinels_.statuses_ignore);
#pragma GCC visibility pop
}

}  // namespace baton::fortran
