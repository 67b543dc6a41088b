#include "world/error_handler.hpp"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>

#include "world/error_code.hpp"

namespace baton {

namespace {

constinit ErrorHandler errors_are_fatal(ErrorHandler::Action::end_job);
constinit ErrorHandler errors_abort(ErrorHandler::Action::end_process);
constinit ErrorHandler errors_return(ErrorHandler::Action::return_code);
constinit ErrorTarget initial_error_target;

void register_predefined(ErrorHandler& handler, MPI_Errhandler value) {
  handler.handle = value;
  error_handlers.set_predefined(value, &handler);
}

// Known before any constructor may call MPI.
__attribute__((constructor(101))) void register_all_predefined() {
  register_predefined(errors_are_fatal, MPI_ERRORS_ARE_FATAL);
  register_predefined(errors_abort, MPI_ERRORS_ABORT);
  register_predefined(errors_return, MPI_ERRORS_RETURN);
  file_error_target.handler = &errors_return;
  file_error_target.mpi_handle = MPI_FILE_NULL;
}

void end_process(int code) {
  std::_Exit(code > 0 && code < 256 ? code : 1);
}

void destroy_if_unused(ErrorHandler& handler) {
  if (handler.user_references.load(std::memory_order_acquire) == 0 &&
      handler.attachments.load(std::memory_order_acquire) == 0)
    delete &handler;
}

void detach(ErrorHandler* handler) {
  if (!handler || handler->predefined()) return;
  if (handler->attachments.fetch_sub(1, std::memory_order_acq_rel) == 1)
    destroy_if_unused(*handler);
}

template <typename Handle>
void call_user(const ErrorTarget& target, ErrorHandler::Function function, Error code) {
  Handle handle = static_cast<Handle>(target.mpi_handle);
  int value = code;
  reinterpret_cast<void (*)(Handle*, int*, ...)>(function)(&handle, &value);
}

void call_user_handler(const ErrorTarget& target, ErrorHandler::Function function, Error code) {
  switch (target.kind) {
    case ObjectKind::comm:
      return call_user<MPI_Comm>(target, function, code);
    case ObjectKind::win:
      return call_user<MPI_Win>(target, function, code);
    case ObjectKind::file:
      return call_user<MPI_File>(target, function, code);
    case ObjectKind::session:
      return call_user<MPI_Session>(target, function, code);
  }
}

// A raised explanation has its class negated, so that it is neither taken for the cause of a later
// failure nor completed twice.
void complete_explanation(const char* procedure, Error code) {
  Explanation& explanation = last_explanation();
  char cause[sizeof explanation.text];
  const char* text =
      explanation.error_class == code ? explanation.text : error_text(error_class_of(code));
  std::snprintf(cause, sizeof cause, "%s", text);
  const char* name = error_class_name(error_class_of(code));
  // The class goes last and must survive a long cause.
  int room = static_cast<int>(sizeof explanation.text - std::strlen(procedure) - std::strlen(name) -
                              sizeof ":  []");
  std::snprintf(explanation.text, sizeof explanation.text, "%s%s%.*s [%s]", procedure,
                *procedure ? ": " : "", room, cause, name);
  explanation.error_class = -code;
}

}  // namespace

constinit HandleTable<ErrorHandler, HandleTag::errhandler> error_handlers;
constinit ErrorTarget* default_error_target = nullptr;
constinit ErrorTarget file_error_target(ObjectKind::file);
constinit AbortJob abort_job = end_process;
constinit int rank_for_messages = -1;

ErrorTarget::~ErrorTarget() {
  detach(handler);
}

void attach_error_handler(ErrorTarget& target, ErrorHandler* handler) {
  if (handler && !handler->predefined())
    handler->attachments.fetch_add(1, std::memory_order_acq_rel);
  ErrorHandler* previous = target.handler;
  target.handler = handler;
  detach(previous);
}

Error get_error_handler(ErrorTarget& target, MPI_Errhandler* handle) {
  ErrorHandler* handler = target.handler ? target.handler : &errors_are_fatal;
  if (!handler->predefined()) {
    if (!handler->handle) handler->handle = error_handlers.add(handler);
    if (!handler->handle) return fail(MPI_ERR_NO_MEM, "no memory for an error handler's handle");
    handler->user_references.fetch_add(1, std::memory_order_acq_rel);
  }
  *handle = handler->handle;
  return MPI_SUCCESS;
}

Error create_error_handler(ObjectKind kind, ErrorHandler::Function function,
                           MPI_Errhandler* handle) {
  ErrorHandler* handler = new (std::nothrow) ErrorHandler(kind, function);
  if (handler) handler->handle = error_handlers.add(handler);
  if (!handler || !handler->handle) {
    delete handler;
    return fail(MPI_ERR_NO_MEM, "no memory for an error handler");
  }
  *handle = handler->handle;
  return MPI_SUCCESS;
}

void free_error_handler(ErrorHandler& handler) {
  if (handler.predefined()) return;
  if (handler.user_references.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  error_handlers.remove(handler.handle);
  handler.handle = nullptr;
  destroy_if_unused(handler);
}

void print_message(const char* text) {
  char line[700];
  int length = rank_for_messages < 0 ? std::snprintf(line, sizeof line, "baton: %s\n", text)
                                     : std::snprintf(line, sizeof line, "baton: rank %d: %s\n",
                                                     rank_for_messages, text);
  if (length >= static_cast<int>(sizeof line)) {
    length = sizeof line - 1;
    line[length - 1] = '\n';
  }
  // One write, so that lines of several ranks do not mix. Nobody is left to tell if it fails.
  [[maybe_unused]] ssize_t written = ::write(STDERR_FILENO, line, static_cast<size_t>(length));
}

void call_error_handler(ErrorTarget* target, Error code, const char* text) {
  if (!target) target = default_error_target ? default_error_target : &initial_error_target;
  ErrorHandler* handler = target->handler ? target->handler : &errors_are_fatal;
  switch (handler->action) {
    case ErrorHandler::Action::return_code:
      return;
    case ErrorHandler::Action::call_user:
      return call_user_handler(*target, handler->function, code);
    case ErrorHandler::Action::end_job:
    case ErrorHandler::Action::end_process:
      // The standard lets MPI_ERRORS_ABORT end as little as the communicator's processes. Ranks
      // that wait for the dead one would hang, so both end the job.
      print_message(text);
      abort_job(error_class_of(code));
      std::abort();
  }
}

int raise(const char* procedure, ErrorTarget* target, Error code) {
  Explanation& explanation = last_explanation();
  if (explanation.error_class == code && explanation.target)
    target = static_cast<ErrorTarget*>(explanation.target);
  complete_explanation(procedure, code);
  call_error_handler(target, code, explanation.text);
  return code;
}

Error raise_on_handler(ErrorHandler& handler, ObjectKind kind, void* null_handle, Error error) {
  // Read by this thread's next `raise`, and not destroyed: it owns nothing.
  alignas(ErrorTarget) static thread_local unsigned char room[sizeof(ErrorTarget)];
  auto* target = new (room) ErrorTarget(kind);
  target->handler = &handler;
  target->mpi_handle = null_handle;
  last_explanation().target = target;
  return error;
}

const char* raised_explanation(Error code) {
  const Explanation& explanation = last_explanation();
  return code > 0 && explanation.error_class == -code ? explanation.text : nullptr;
}

}  // namespace baton
