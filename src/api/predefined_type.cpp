// These are the bodies that find predefined types, by Fortran kind, by size or by their halves.
#include "api/datatype.hpp"
#include "datatype/unnamed.hpp"

namespace baton::api {

Error type_create_f90_integer(int range, MPI_Datatype* handle) {
  Datatype* type = nullptr;
  if (Error error = datatype::f90_integer(range, &type)) return error;
  *handle = type->handle;
  return MPI_SUCCESS;
}

Error type_create_f90_real(int precision, int range, MPI_Datatype* handle) {
  Datatype* type = nullptr;
  if (Error error = datatype::f90_real(precision, range, &type)) return error;
  *handle = type->handle;
  return MPI_SUCCESS;
}

Error type_create_f90_complex(int precision, int range, MPI_Datatype* handle) {
  Datatype* type = nullptr;
  if (Error error = datatype::f90_complex(precision, range, &type)) return error;
  *handle = type->handle;
  return MPI_SUCCESS;
}

Error type_get_value_index(Datatype& value, Datatype& index, MPI_Datatype* handle) {
  Datatype* pair = nullptr;
  if (Error error = datatype::value_index(value, index, &pair)) return error;
  *handle = pair ? pair->handle : MPI_DATATYPE_NULL;
  return MPI_SUCCESS;
}

namespace {

struct SizedType {
  int type_class, size;
  MPI_Datatype handle;
};
const SizedType sized_types[] = {
    {MPI_TYPECLASS_INTEGER, 1, MPI_INTEGER1},   {MPI_TYPECLASS_INTEGER, 2, MPI_INTEGER2},
    {MPI_TYPECLASS_INTEGER, 4, MPI_INTEGER4},   {MPI_TYPECLASS_INTEGER, 8, MPI_INTEGER8},
    {MPI_TYPECLASS_INTEGER, 16, MPI_INTEGER16}, {MPI_TYPECLASS_REAL, 2, MPI_REAL2},
    {MPI_TYPECLASS_REAL, 4, MPI_REAL4},         {MPI_TYPECLASS_REAL, 8, MPI_REAL8},
    {MPI_TYPECLASS_REAL, 16, MPI_REAL16},       {MPI_TYPECLASS_COMPLEX, 4, MPI_COMPLEX4},
    {MPI_TYPECLASS_COMPLEX, 8, MPI_COMPLEX8},   {MPI_TYPECLASS_COMPLEX, 16, MPI_COMPLEX16},
    {MPI_TYPECLASS_COMPLEX, 32, MPI_COMPLEX32}, {MPIX_TYPECLASS_LOGICAL, 1, MPI_LOGICAL1},
    {MPIX_TYPECLASS_LOGICAL, 2, MPI_LOGICAL2},  {MPIX_TYPECLASS_LOGICAL, 4, MPI_LOGICAL4},
    {MPIX_TYPECLASS_LOGICAL, 8, MPI_LOGICAL8},  {MPIX_TYPECLASS_LOGICAL, 16, MPI_LOGICAL16},
};

}  // namespace

Error type_match_size(int type_class, int size, MPI_Datatype* handle) {
  bool known = false;
  for (const SizedType& row : sized_types) {
    if (row.type_class != type_class) continue;
    known = true;
    if (row.size != size) continue;
    *handle = row.handle;
    return MPI_SUCCESS;
  }
  if (known)
    return fail(MPI_ERR_ARG, "argument 2 (size): no type of this class has %d bytes", size);
  return fail(MPI_ERR_ARG,
              "argument 1 (typeclass) is %d; it must be MPI_TYPECLASS_INTEGER, MPI_TYPECLASS_REAL "
              "or MPI_TYPECLASS_COMPLEX",
              type_class);
}

}  // namespace baton::api
