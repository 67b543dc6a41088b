// Procedures of attributes and their keyvals. Included by by_hand.hpp.
#pragma once

#include <mpi-ext.h>

#include "callback.hpp"

#pragma weak PMPIX_Comm_ishrink_toint

namespace baton::fortran::by_hand {

template <auto Call, class Handle>
void create_keyval(int* keyval, const Keyval& wanted, Fint* ierror) {
  tell(ierror, Call(copy_attribute<Handle>, delete_attribute<Handle>, keyval, keyval_for(wanted)));
}

template <auto Call>
void comm_create_keyval(Function* copy, Function* remove, int* keyval, MPI_Aint* extra,
                        Fint* ierror) {
  create_keyval<Call, MPI_Comm>(keyval, {copy, remove, *extra, false}, ierror);
}

template <auto Call>
void type_create_keyval(Function* copy, Function* remove, int* keyval, MPI_Aint* extra,
                        Fint* ierror) {
  create_keyval<Call, MPI_Datatype>(keyval, {copy, remove, *extra, false}, ierror);
}

template <auto Call>
void win_create_keyval(Function* copy, Function* remove, int* keyval, MPI_Aint* extra,
                       Fint* ierror) {
  create_keyval<Call, MPI_Win>(keyval, {copy, remove, *extra, false}, ierror);
}

template <auto Call>
void keyval_create(Function* copy, Function* remove, int* keyval, Fint* extra, Fint* ierror) {
  create_keyval<Call, MPI_Comm>(keyval, {copy, remove, *extra, true}, ierror);
}

template <auto Call, class Handle>
void set_attribute(Fint* object, int* keyval, MPI_Aint value, Fint* ierror) {
  MPI_Aint* cell = make_cell(value);
  const int error = Call(handle<Handle>(*object), *keyval, cell);
  if (error) free_cell(cell);
  tell(ierror, error);
}

template <auto Call>
void comm_set_attr(Fint* comm, int* keyval, MPI_Aint* value, Fint* ierror) {
  set_attribute<Call, MPI_Comm>(comm, keyval, *value, ierror);
}

template <auto Call>
void type_set_attr(Fint* type, int* keyval, MPI_Aint* value, Fint* ierror) {
  set_attribute<Call, MPI_Datatype>(type, keyval, *value, ierror);
}

template <auto Call>
void win_set_attr(Fint* win, int* keyval, MPI_Aint* value, Fint* ierror) {
  set_attribute<Call, MPI_Win>(win, keyval, *value, ierror);
}

template <auto Call>
void attr_put(Fint* comm, int* keyval, Fint* value, Fint* ierror) {
  set_attribute<Call, MPI_Comm>(comm, keyval, *value, ierror);
}

// Predefined attributes are values in Fortran, and addresses of values in C but for a window's
// base.
enum class Predefined { none, address, integer, wide };

inline Predefined predefined_attribute(int keyval) {
  switch (keyval) {
    case MPI_TAG_UB:
    case MPI_IO:
    case MPI_HOST:
    case MPI_WTIME_IS_GLOBAL:
    case MPI_APPNUM:
    case MPI_LASTUSEDCODE:
    case MPI_UNIVERSE_SIZE:
    case MPI_WIN_DISP_UNIT:
    case MPI_WIN_CREATE_FLAVOR:
    case MPI_WIN_MODEL:
      return Predefined::integer;
    case MPIX_FT:  // Another library may give this number to a program's key.
      return PMPIX_Comm_ishrink_toint ? Predefined::integer : Predefined::none;
    case MPI_WIN_SIZE:
      return Predefined::wide;
    case MPI_WIN_BASE:
      return Predefined::address;
    default:
      return Predefined::none;
  }
}

template <auto Call, class Handle, class Value>
void get_attribute(Fint* object, int* keyval, Value* value, int* flag, Fint* ierror) {
  void* attribute = nullptr;
  const int error = Call(handle<Handle>(*object), *keyval, &attribute, flag);
  tell(ierror, error);
  if (error || !*flag) return;
  switch (predefined_attribute(*keyval)) {
    case Predefined::integer:
      *value = *static_cast<int*>(attribute);
      break;
    case Predefined::wide:
      *value = static_cast<Value>(*static_cast<MPI_Aint*>(attribute));
      break;
    case Predefined::address:
      *value = static_cast<Value>(reinterpret_cast<MPI_Aint>(attribute));
      break;
    case Predefined::none:
      *value = static_cast<Value>(value_of(attribute));
  }
}

template <auto Call>
void comm_get_attr(Fint* comm, int* keyval, MPI_Aint* value, int* flag, Fint* ierror) {
  get_attribute<Call, MPI_Comm>(comm, keyval, value, flag, ierror);
}

template <auto Call>
void type_get_attr(Fint* type, int* keyval, MPI_Aint* value, int* flag, Fint* ierror) {
  get_attribute<Call, MPI_Datatype>(type, keyval, value, flag, ierror);
}

template <auto Call>
void win_get_attr(Fint* win, int* keyval, MPI_Aint* value, int* flag, Fint* ierror) {
  get_attribute<Call, MPI_Win>(win, keyval, value, flag, ierror);
}

template <auto Call>
void attr_get(Fint* comm, int* keyval, Fint* value, int* flag, Fint* ierror) {
  get_attribute<Call, MPI_Comm>(comm, keyval, value, flag, ierror);
}

}  // namespace baton::fortran::by_hand
