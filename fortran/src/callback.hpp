// Functions of Fortran that C calls: operations, error handlers, attributes, generalized requests,
// data representations.
#pragma once

#include "convert.hpp"

namespace baton::fortran {

// C's functions for Fortran's. MPI hands operations and error handlers nothing that could say which
// Fortran function is meant, so each gets a C function of its own, of a fixed number; the same
// function always gets the same one. nullptr: there are too many.
MPI_User_function* operation_for(Function* function);
MPI_User_function_c* large_operation_for(Function* function);
MPI_Comm_errhandler_function* comm_handler_for(Function* function);
MPI_File_errhandler_function* file_handler_for(Function* function);
MPI_Session_errhandler_function* session_handler_for(Function* function);
MPI_Win_errhandler_function* win_handler_for(Function* function);

// --- attributes (MPI 5.0, 19.3.7). A value set in Fortran is kept in a cell, which is the address
// that C gets; a value set in C is an address, which is the integer that Fortran gets.

MPI_Aint* make_cell(MPI_Aint value);
MPI_Aint value_of(void* attribute);  // as Fortran gets it
void free_cell(void* attribute);     // nothing, if it is none

// What a keyval made in Fortran knows. Kept for good: its attributes may outlive it.
struct Keyval {
  Function* copy;
  Function* remove;
  MPI_Aint extra_state;
  bool small;  // of MPI_Keyval_create, whose values are default INTEGERs
  bool operator==(const Keyval&) const = default;
};
Keyval* keyval_for(const Keyval& wanted);

template <class Handle>
int copy_attribute(Handle object, int keyval, void* extra, void* in, void* out, int* flag);
template <class Handle>
int delete_attribute(Handle object, int keyval, void* attribute, void* extra);

// --- generalized requests and data representations.

struct Generalized {
  Function *query, *free, *cancel;
  MPI_Aint extra_state;
};
int query_generalized(void* extra, MPI_Status* status);
int free_generalized(void* extra);
int cancel_generalized(void* extra, int complete);

struct DataRepresentation {
  Function *read, *write, *extent;
  MPI_Aint extra_state;
};
template <class Count>
int read_conversion(void* user, MPI_Datatype type, Count count, void* file, MPI_Offset position,
                    void* extra);
template <class Count>
int write_conversion(void* user, MPI_Datatype type, Count count, void* file, MPI_Offset position,
                     void* extra);
int extent_in_file(MPI_Datatype type, MPI_Aint* extent, void* extra);

// The standard's own functions, which programs pass and the library recognizes by their addresses.
FORTRAN void mpi_comm_null_copy_fn_(Fint*, Fint*, MPI_Aint*, MPI_Aint*, MPI_Aint*, Fint*, Fint*);
FORTRAN void mpi_conversion_fn_null_();
FORTRAN void mpi_conversion_fn_null_c_();

}  // namespace baton::fortran
