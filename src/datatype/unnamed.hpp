// These are the predefined types without names: those of MPI_Type_create_f90_integer, _real and
// _complex, and the pairs of MPI_Type_get_value_index. Each is made at the first request and
// returned ever after; it is committed and cannot be freed. Layer 10 calls this.
#pragma once

#include "datatype/datatype.hpp"

namespace baton::datatype {

// Finds the smallest integer of at least `range` decimal digits. MPI_ERR_ARG when there is none.
Error f90_integer(int range, Datatype** type);

// Finds the smallest real or complex number of at least `precision` decimal digits and a decimal
// exponent range of at least `range`; one of the two may be MPI_UNDEFINED. MPI_ERR_ARG when there
// is none.
Error f90_real(int precision, int range, Datatype** type);
Error f90_complex(int precision, int range, Datatype** type);

// Finds the pair of two predefined types; null when there is none, or when it has no name and the
// setting unnamed_pairs is off (mpi4py's tests, for one, take those for derived types).
Error value_index(Datatype& value, Datatype& index, Datatype** pair);

}  // namespace baton::datatype
