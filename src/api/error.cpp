#include "api/error.hpp"

#include <cstdio>
#include <cstring>

#include "world/error_code.hpp"

namespace baton::api {

Error add_error_class(int* errorclass) {
  return baton::add_error_class(errorclass);
}

Error add_error_code(int errorclass, int* errorcode) {
  return baton::add_error_code(errorclass, errorcode);
}

Error add_error_string(int errorcode, const char* string) {
  return add_error_text(errorcode, string);
}

Error remove_error_class(int errorclass) {
  return baton::remove_error_class(errorclass);
}

Error remove_error_code(int errorcode) {
  return baton::remove_error_code(errorcode);
}

Error remove_error_string(int errorcode) {
  return remove_error_text(errorcode);
}

Error error_class(int errorcode, int* errorclass) {
  if (!error_code_known(errorcode))
    return fail(MPI_ERR_ARG, "argument 1 (errorcode): %d is no error code", errorcode);
  *errorclass = error_class_of(errorcode);
  return MPI_SUCCESS;
}

Error error_string(int errorcode, char* string, int* resultlen) {
  if (!error_code_known(errorcode))
    return fail(MPI_ERR_ARG, "argument 1 (errorcode): %d is no error code", errorcode);
  const char* cause = raised_explanation(errorcode);
  const char* text = error_text(errorcode);
  int length = cause && errorcode <= MPI_ERR_LASTCODE
                   ? std::snprintf(string, MPI_MAX_ERROR_STRING, "%s: %s", text, cause)
                   : std::snprintf(string, MPI_MAX_ERROR_STRING, "%s", text);
  *resultlen = length < MPI_MAX_ERROR_STRING ? length : MPI_MAX_ERROR_STRING - 1;
  return MPI_SUCCESS;
}

Error errhandler_free(MPI_Errhandler* errhandler) {
  ErrorHandler* handler = error_handlers.find(*errhandler);
  if (!handler)
    return fail(
        MPI_ERR_ERRHANDLER, "argument 1 (errhandler) is %s",
        *errhandler == MPI_ERRHANDLER_NULL ? "MPI_ERRHANDLER_NULL" : "no live error handler");
  free_error_handler(*handler);
  *errhandler = MPI_ERRHANDLER_NULL;
  return MPI_SUCCESS;
}

Error comm_create_errhandler(MPI_Comm_errhandler_function* function, MPI_Errhandler* errhandler) {
  return create_error_handler(ObjectKind::comm, reinterpret_cast<ErrorHandler::Function>(function),
                              errhandler);
}

Error comm_set_errhandler(Communicator& comm, ErrorHandler& errhandler) {
  if (!errhandler.predefined() && errhandler.kind != ObjectKind::comm)
    return fail(MPI_ERR_ERRHANDLER,
                "argument 2 (errhandler) was not made by MPI_Comm_create_errhandler");
  attach_error_handler(comm.errors, &errhandler);
  return MPI_SUCCESS;
}

Error comm_get_errhandler(Communicator& comm, MPI_Errhandler* errhandler) {
  return get_error_handler(comm.errors, errhandler);
}

Error comm_call_errhandler(Communicator& comm, int errorcode) {
  return call_errhandler(comm.errors, "MPI_Comm_call_errhandler", errorcode);
}

Error call_errhandler(ErrorTarget& target, const char* procedure, int errorcode) {
  if (!error_code_known(errorcode))
    return fail(MPI_ERR_ARG, "argument 2 (errorcode): %d is no error code", errorcode);
  char text[MPI_MAX_ERROR_STRING + 80];
  std::snprintf(text, sizeof text, "%s: the program raised error code %d: %s", procedure, errorcode,
                error_text(errorcode));
  call_error_handler(&target, errorcode, text);
  return MPI_SUCCESS;
}

}  // namespace baton::api
