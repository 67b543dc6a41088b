// Procedures that register functions of Fortran: operations, error handlers, generalized requests,
// data representations. Included by by_hand.hpp.
#pragma once

#include "callback.hpp"

namespace baton::fortran::by_hand {

// There are more different functions than the library has space for.
void refuse_function(const char* what, Fint* ierror);

template <auto Call, class For>
void create_operation(For function, int* commute, Fint* op, Fint* ierror) {
  if (!function) return refuse_function("user_fn: operations", ierror);
  MPI_Op made{};
  const int error = Call(function, *commute, &made);
  if (!error) *op = number(made);
  tell(ierror, error);
}

template <auto Call>
void op_create(Function* user_fn, int* commute, Fint* op, Fint* ierror) {
  create_operation<Call>(operation_for(user_fn), commute, op, ierror);
}

template <auto Call>
void op_create_c(Function* user_fn, int* commute, Fint* op, Fint* ierror) {
  create_operation<Call>(large_operation_for(user_fn), commute, op, ierror);
}

template <auto Call, class For>
void create_errhandler(For function, Fint* errhandler, Fint* ierror) {
  if (!function) return refuse_function("errhandler_fn: error handlers", ierror);
  MPI_Errhandler made{};
  const int error = Call(function, &made);
  if (!error) *errhandler = number(made);
  tell(ierror, error);
}

template <auto Call>
void comm_create_errhandler(Function* function, Fint* errhandler, Fint* ierror) {
  create_errhandler<Call>(comm_handler_for(function), errhandler, ierror);
}

template <auto Call>
void file_create_errhandler(Function* function, Fint* errhandler, Fint* ierror) {
  create_errhandler<Call>(file_handler_for(function), errhandler, ierror);
}

template <auto Call>
void session_create_errhandler(Function* function, Fint* errhandler, Fint* ierror) {
  create_errhandler<Call>(session_handler_for(function), errhandler, ierror);
}

template <auto Call>
void win_create_errhandler(Function* function, Fint* errhandler, Fint* ierror) {
  create_errhandler<Call>(win_handler_for(function), errhandler, ierror);
}

// --- generalized requests, data representations.

template <auto Call>
void grequest_start(Function* query, Function* free, Function* cancel, MPI_Aint* extra,
                    Fint* request, Fint* ierror) {
  auto* state = new Generalized{query, free, cancel, *extra};
  MPI_Request made{};
  const int error = Call(query_generalized, free_generalized, cancel_generalized, state, &made);
  if (error)
    delete state;
  else
    *request = number(made);
  tell(ierror, error);
}

template <auto Call, class Count, class Conversion>
void register_conversion(const char* name, std::size_t length, Conversion* null, Function* null_fn,
                         Function* read, Function* write, Function* extent, MPI_Aint* extra,
                         Fint* ierror) {
  const Text text(name, length);
  auto* state = new DataRepresentation{read, write, extent, *extra};  // in use until the end
  const int error = Call(text.c_str(), read == null_fn ? null : read_conversion<Count>,
                         write == null_fn ? null : write_conversion<Count>, extent_in_file, state);
  if (error) delete state;
  tell(ierror, error);
}

template <auto Call>
void register_datarep(const char* name, Function* read, Function* write, Function* extent,
                      MPI_Aint* extra, Fint* ierror, std::size_t length) {
  register_conversion<Call, int>(name, length, MPI_CONVERSION_FN_NULL, mpi_conversion_fn_null_,
                                 read, write, extent, extra, ierror);
}

template <auto Call>
void register_datarep_c(const char* name, Function* read, Function* write, Function* extent,
                        MPI_Aint* extra, Fint* ierror, std::size_t length) {
  register_conversion<Call, MPI_Count>(name, length, MPI_CONVERSION_FN_NULL_C,
                                       mpi_conversion_fn_null_c_, read, write, extent, extra,
                                       ierror);
}

}  // namespace baton::fortran::by_hand
