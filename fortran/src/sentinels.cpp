#include "convert.hpp"

namespace baton::fortran {

Sentinels mpi_fortran_sentinels_;
Arguments mpi_fortran_arguments_;

}  // namespace baton::fortran
