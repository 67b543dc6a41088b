#include "api/error.hpp"

#include <cstdio>
#include <cstring>

#include "api/file.hpp"
#include "api/window.hpp"
#include "file/lost_data.hpp"
#include "world/error_code.hpp"

namespace baton::api {

namespace {

template <class Function>
Error create(ObjectKind kind, Function* function, MPI_Errhandler* errhandler) {
  return create_error_handler(kind, reinterpret_cast<ErrorHandler::Function>(function), errhandler);
}

}  // namespace

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
  file::note_look();
  if (!error_code_known(errorcode))
    return fail(MPI_ERR_ARG, "argument 1 (errorcode): %d is no error code", errorcode);
  *errorclass = error_class_of(errorcode);
  return MPI_SUCCESS;
}

Error error_string(int errorcode, char* string, int* resultlen) {
  file::note_look();
  if (!error_code_known(errorcode))
    return fail(MPI_ERR_ARG, "argument 1 (errorcode): %d is no error code", errorcode);
  const char* cause = raised_explanation(errorcode);
  char text[MPI_MAX_ERROR_STRING];
  copy_error_text(errorcode, text, sizeof text);
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

Error check_kind(const ErrorHandler& handler, int argument, ObjectKind kind, const char* maker) {
  if (handler.predefined() || handler.kind == kind) return MPI_SUCCESS;
  return fail(MPI_ERR_ERRHANDLER, "argument %d (errhandler) was not made by %s", argument, maker);
}

Error comm_create_errhandler(MPI_Comm_errhandler_function* function, MPI_Errhandler* errhandler) {
  return create(ObjectKind::comm, function, errhandler);
}

Error comm_set_errhandler(Communicator& comm, ErrorHandler& errhandler) {
  if (Error error = check_kind(errhandler, 2, ObjectKind::comm, "MPI_Comm_create_errhandler"))
    return error;
  attach_error_handler(comm.errors, &errhandler);
  return MPI_SUCCESS;
}

Error comm_get_errhandler(Communicator& comm, MPI_Errhandler* errhandler) {
  return get_error_handler(comm.errors, errhandler);
}

Error comm_call_errhandler(Communicator& comm, int errorcode) {
  return call_errhandler(comm.errors, "MPI_Comm_call_errhandler", errorcode);
}

Error win_create_errhandler(MPI_Win_errhandler_function* function, MPI_Errhandler* errhandler) {
  return create(ObjectKind::win, function, errhandler);
}

Error win_set_errhandler(Window& win, ErrorHandler& errhandler) {
  if (Error error = check_kind(errhandler, 2, ObjectKind::win, "MPI_Win_create_errhandler"))
    return error;
  attach_error_handler(win.errors, &errhandler);
  return MPI_SUCCESS;
}

Error win_get_errhandler(Window& win, MPI_Errhandler* errhandler) {
  return get_error_handler(win.errors, errhandler);
}

Error win_call_errhandler(Window& win, int errorcode) {
  return call_errhandler(win.errors, "MPI_Win_call_errhandler", errorcode);
}

Error file_create_errhandler(MPI_File_errhandler_function* function, MPI_Errhandler* errhandler) {
  return create(ObjectKind::file, function, errhandler);
}

Error file_set_errhandler(File* file, ErrorHandler& errhandler) {
  if (Error error = check_kind(errhandler, 2, ObjectKind::file, "MPI_File_create_errhandler"))
    return error;
  attach_error_handler(*target_of_file(file), &errhandler);
  return MPI_SUCCESS;
}

Error file_get_errhandler(File* file, MPI_Errhandler* errhandler) {
  return get_error_handler(*target_of_file(file), errhandler);
}

Error file_call_errhandler(File* file, int errorcode) {
  return call_errhandler(*target_of_file(file), "MPI_File_call_errhandler", errorcode);
}

Error call_errhandler(ErrorTarget& target, const char* procedure, int errorcode) {
  if (!error_code_known(errorcode))
    return fail(MPI_ERR_ARG, "argument 2 (errorcode): %d is no error code", errorcode);
  char its_text[MPI_MAX_ERROR_STRING], text[MPI_MAX_ERROR_STRING + 80];
  copy_error_text(errorcode, its_text, sizeof its_text);
  std::snprintf(text, sizeof text, "%s: the program raised error code %d: %s", procedure, errorcode,
                its_text);
  call_error_handler(&target, errorcode, text);
  return MPI_SUCCESS;
}

}  // namespace baton::api
