// These are the bodies of the error procedures: codes and their texts, and error handlers of
// communicators. Those of files and windows are here, too, and declared in their own headers.
#pragma once

#include "base/error.hpp"
#include "world/communicator.hpp"
#include "world/error_handler.hpp"

namespace baton::api {

Error add_error_class(int* errorclass);
Error add_error_code(int errorclass, int* errorcode);
Error add_error_string(int errorcode, const char* string);
Error remove_error_class(int errorclass);
Error remove_error_code(int errorcode);
Error remove_error_string(int errorcode);
Error error_class(int errorcode, int* errorclass);
// Gives the standard text of a code; if this thread's last error had the code, it gives the cause
// of that error instead.
Error error_string(int errorcode, char* string, int* resultlen);

Error errhandler_free(MPI_Errhandler* errhandler);
Error comm_create_errhandler(MPI_Comm_errhandler_function* function, MPI_Errhandler* errhandler);
Error comm_set_errhandler(Communicator& comm, ErrorHandler& errhandler);
Error comm_get_errhandler(Communicator& comm, MPI_Errhandler* errhandler);
Error comm_call_errhandler(Communicator& comm, int errorcode);
// Checks for the MPI_X_set_errhandler procedures that argument `argument` is for this kind of
// object. `maker` is the procedure that makes such handlers.
Error check_kind(const ErrorHandler& handler, int argument, ObjectKind kind, const char* maker);
// Does the work of the MPI_X_call_errhandler procedures: argument 2 is the code, `procedure` their
// name.
Error call_errhandler(ErrorTarget& target, const char* procedure, int errorcode);

}  // namespace baton::api
