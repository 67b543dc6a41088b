#include "world/error_handler.hpp"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>

#include "base/environment.hpp"
#include "base/report.hpp"
#include "world/error_code.hpp"

namespace baton {

constinit HandleTable<ErrorHandler, HandleTag::errhandler> error_handlers;
constinit ErrorHandling error_handling;

namespace {

struct Named {
  const char* name;
  ErrorHandler* handler;
};
constexpr Named initial_handlers[] = {{"mpi_errors_are_fatal", &error_handling.errors_are_fatal},
                                      {"mpi_errors_abort", &error_handling.errors_abort},
                                      {"mpi_errors_return", &error_handling.errors_return}};

void register_predefined(ErrorHandler& handler, MPI_Errhandler value) {
  handler.handle = value;
  error_handlers.set_predefined(value, &handler);
}

// These handles are registered before any constructor may call MPI.
__attribute__((constructor(101))) void register_all_predefined() {
  register_predefined(error_handling.errors_are_fatal, MPI_ERRORS_ARE_FATAL);
  register_predefined(error_handling.errors_abort, MPI_ERRORS_ABORT);
  register_predefined(error_handling.errors_return, MPI_ERRORS_RETURN);
  error_handling.file_target.handler = &error_handling.errors_return;
  error_handling.file_target.mpi_handle = MPI_FILE_NULL;
  const char* name = environment_variable("BATON_INITIAL_ERRHANDLER");
  for (const Named& row : initial_handlers)
    if (name && std::strcmp(name, row.name) == 0)
      error_handling.initial_target.handler = row.handler;
}

// Returns a handler that nothing holds any more, for the caller to delete. The caller holds the
// lock.
ErrorHandler* take_if_unused(ErrorHandler* handler) {
  return handler->user_references == 0 && handler->attachments == 0 ? handler : nullptr;
}

void attach(ErrorHandler* handler) {
  if (handler && !handler->predefined()) ++handler->attachments;
}

ErrorHandler* detach(ErrorHandler* handler) {
  if (!handler || handler->predefined()) return nullptr;
  --handler->attachments;
  return take_if_unused(handler);
}

// Keeps the handler of a target alive while it runs: another thread may set another one there and
// free this one meanwhile.
class Running {
 public:
  explicit Running(const ErrorTarget& target) {
    std::lock_guard guard(error_handling.lock);
    handler_ = target.handler ? target.handler : &error_handling.errors_are_fatal;
    attach(handler_);
  }
  ~Running() {
    std::unique_lock guard(error_handling.lock);
    ErrorHandler* unused = detach(handler_);
    guard.unlock();
    delete unused;
  }
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;
  const ErrorHandler* operator->() const { return handler_; }

 private:
  ErrorHandler* handler_;
};

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

// Completes the explanation with the procedure and the class. A raised explanation has its class
// negated, so that it is neither taken for the cause of a later failure nor completed twice.
void complete_explanation(const char* procedure, Error code) {
  Explanation& explanation = last_explanation();
  char cause[sizeof explanation.text];
  if (explanation.error_class == code)
    std::memcpy(cause, explanation.text, sizeof cause);
  else
    copy_error_text(error_class_of(code), cause, sizeof cause);
  const char* name = error_class_name(error_class_of(code));
  // The class goes last and must not be cut off by a long cause.
  int space = static_cast<int>(sizeof explanation.text - std::strlen(procedure) -
                               std::strlen(name) - sizeof ":  []");
  std::snprintf(explanation.text, sizeof explanation.text, "%s%s%.*s [%s]", procedure,
                *procedure ? ": " : "", space, cause, name);
  explanation.error_class = -code;
}

ErrorTarget* target_without_object() {
  std::lock_guard guard(error_handling.lock);
  if (!error_handling.default_target) return &error_handling.initial_target;
  return error_handling.default_target->instead ? error_handling.default_target->instead
                                                : error_handling.default_target;
}

}  // namespace

ErrorTarget::~ErrorTarget() {
  attach_error_handler(*this, nullptr);
}

void attach_error_handler(ErrorTarget& target, ErrorHandler* handler) {
  std::unique_lock guard(error_handling.lock);
  attach(handler);
  ErrorHandler* unused = detach(target.handler);
  target.handler = handler;
  target.instead = nullptr;
  guard.unlock();
  delete unused;
}

void inherit_error_handler(ErrorTarget& target, const ErrorTarget& parent) {
  std::lock_guard guard(error_handling.lock);
  attach(parent.handler);
  target.handler = parent.handler;
}

Error get_error_handler(ErrorTarget& target, MPI_Errhandler* handle) {
  std::lock_guard guard(error_handling.lock);
  ErrorHandler* handler = target.handler ? target.handler : &error_handling.errors_are_fatal;
  if (!handler->predefined()) {
    if (!handler->handle) handler->handle = error_handlers.add(handler);
    if (!handler->handle) return fail(MPI_ERR_NO_MEM, "no memory for an error handler's handle");
    ++handler->user_references;
  }
  *handle = handler->handle;
  return MPI_SUCCESS;
}

Error create_error_handler(ObjectKind kind, ErrorHandler::Function function,
                           MPI_Errhandler* handle) {
  std::lock_guard guard(error_handling.lock);
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
  std::unique_lock guard(error_handling.lock);
  if (--handler.user_references != 0) return;
  error_handlers.remove(handler.handle);
  handler.handle = nullptr;
  ErrorHandler* unused = take_if_unused(&handler);
  guard.unlock();
  delete unused;
}

void print_message(const char* text) {
  char line[700];
  int length = error_handling.rank < 0 ? std::snprintf(line, sizeof line, "baton: %s\n", text)
                                       : std::snprintf(line, sizeof line, "baton: rank %d: %s\n",
                                                       error_handling.rank, text);
  if (length >= static_cast<int>(sizeof line)) {
    length = sizeof line - 1;
    line[length - 1] = '\n';
  }
  write_report(line, static_cast<std::size_t>(length));
}

bool errors_end_the_job(ErrorTarget* target) {
  if (!target) target = target_without_object();
  Running handler(*target);
  return handler->action == ErrorHandler::Action::end_job ||
         handler->action == ErrorHandler::Action::end_process;
}

void call_error_handler(ErrorTarget* target, Error code, const char* text) {
  if (!target) target = target_without_object();
  Running handler(*target);
  switch (handler->action) {
    case ErrorHandler::Action::return_code:
      return;
    case ErrorHandler::Action::call_user:
      return call_user_handler(*target, handler->function, code);
    case ErrorHandler::Action::end_job:
    case ErrorHandler::Action::end_process:
      // The standard lets MPI_ERRORS_ABORT end as little as the communicator's processes. Ranks
      // that wait for the dead one would hang, so MPI_ERRORS_ABORT ends the job, too, as
      // MPI_ERRORS_ARE_FATAL does.
      print_message(text);
      code = error_class_of(code);
      if (error_handling.abort_job) error_handling.abort_job(code);
      std::_Exit(code > 0 && code < 256 ? code : 1);
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

ErrorTarget* target_of_unmade(ErrorHandler& handler, ObjectKind kind, void* null_handle) {
  if (!handler.predefined() && handler.kind != kind) return nullptr;
  // The target is never destroyed, because it owns nothing.
  alignas(ErrorTarget) static thread_local unsigned char space[sizeof(ErrorTarget)];
  auto* target = new (space) ErrorTarget(kind);
  target->handler = &handler;
  target->mpi_handle = null_handle;
  return target;
}

ErrorTarget* target_of_ended(const ErrorTarget& ended, void* null_handle) {
  static thread_local ErrorTarget target;
  attach_error_handler(target, nullptr);
  inherit_error_handler(target, ended);
  target.kind = ended.kind;
  target.mpi_handle = null_handle;
  return &target;
}

const char* raised_explanation(Error code) {
  const Explanation& explanation = last_explanation();
  return code > 0 && explanation.error_class == -code ? explanation.text : nullptr;
}

}  // namespace baton
