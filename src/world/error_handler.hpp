// Error handlers and the objects on which they are set. Every communicator (later window, file,
// session) embeds an ErrorTarget; the entry points of layer 10 hand a failed call's class to
// `raise` with the target whose handler is to be called. Nothing below layer 10 raises: it returns
// its Error.
// Invariant: a handler lives as long as the user holds its handle, a target holds it, or it runs.
// Any thread may call all of this at any time, also below MPI_THREAD_MULTIPLE and before MPI_Init:
// the standard wants that of most procedures about error handlers.
#pragma once

#include <mpi.h>

#include <mutex>

#include "base/error.hpp"
#include "base/handle_table.hpp"

namespace baton {

enum class ObjectKind : unsigned char { comm, win, file, session };

class ErrorHandler {
 public:
  enum class Action : unsigned char { end_job, end_process, return_code, call_user };
  // The user's function is kept untyped; `kind` says which type it has.
  using Function = void (*)();

  constexpr explicit ErrorHandler(Action its_action) : action(its_action) {}
  ErrorHandler(ObjectKind its_kind, Function its_function)
      : function(its_function), action(Action::call_user), kind(its_kind) {}

  bool predefined() const { return action != Action::call_user; }

  Function function = nullptr;
  // The handle is null once the user has freed all references. It and the counts are protected by
  // ErrorHandling::lock.
  MPI_Errhandler handle = nullptr;
  int user_references = 1;
  int attachments = 0;
  Action action;
  ObjectKind kind = ObjectKind::comm;
};

extern HandleTable<ErrorHandler, HandleTag::errhandler> error_handlers;

// This is the object whose errors a handler gets. Its owner sets kind and mpi_handle once.
struct ErrorTarget {
  constexpr ErrorTarget() = default;
  constexpr explicit ErrorTarget(ObjectKind its_kind) : kind(its_kind) {}
  ErrorTarget(const ErrorTarget&) = delete;
  ErrorTarget& operator=(const ErrorTarget&) = delete;
  ~ErrorTarget();

  // Null means MPI_ERRORS_ARE_FATAL. ErrorHandling::lock protects it, too.
  ErrorHandler* handler = nullptr;
  // Until the program sets a handler here, errors that belong to no object go to the handler of
  // `instead`; null: they stay here. For MPI_COMM_SELF this is MPI_COMM_WORLD, since programs from
  // before MPI 4.0 set only the latter's handler.
  ErrorTarget* instead = nullptr;
  // User handlers are given this MPI handle of the object (MPI_Comm, MPI_Win, ...).
  void* mpi_handle = nullptr;
  ObjectKind kind = ObjectKind::comm;
};

// This is what errors need to know of the process.
struct ErrorHandling {
  ErrorHandler errors_are_fatal{ErrorHandler::Action::end_job};
  ErrorHandler errors_abort{ErrorHandler::Action::end_process};
  ErrorHandler errors_return{ErrorHandler::Action::return_code};
  // This is the target of errors that belong to no object: before MPI_Init and after MPI_Finalize
  // the initial one; in between MPI_COMM_SELF's or, while nobody has set a handler there,
  // MPI_COMM_WORLD's. Process start and end set it (null: the initial one).
  ErrorTarget* default_target = nullptr;
  // The initial target has the handler that mpiexec was told (-initial-errhandler), else null. The
  // predefined communicators begin with it.
  ErrorTarget initial_target;
  // This is the target of errors on files that are not open; the standard's default for files is
  // MPI_ERRORS_RETURN.
  ErrorTarget file_target{ObjectKind::file};
  // Ends the whole job with exit code `code`; does not return. Process start sets it; null: there
  // is no job yet.
  void (*abort_job)(int code) = nullptr;
  // This is the rank of this process in MPI_COMM_WORLD, for messages on standard error; negative
  // before MPI_Init.
  int rank = -1;
  // Protects which handler is set where, the counts and the handles. It is always taken: errors are
  // rare, and these calls are allowed in any thread whatever thread level the program asked for.
  std::mutex lock;
};

extern ErrorHandling error_handling;

// Sets `handler` on `target` in place of the present one; errors without an object then stay there.
void attach_error_handler(ErrorTarget& target, ErrorHandler* handler);
// Sets the present handler of `parent` on `target`.
void inherit_error_handler(ErrorTarget& target, const ErrorTarget& parent);

// Returns the handle of the handler on `target`, with one more user reference. Error:
// MPI_ERR_NO_MEM.
[[nodiscard]] Error get_error_handler(ErrorTarget& target, MPI_Errhandler* handle);

// Creates a handler that calls `function` for objects of `kind`. Error: MPI_ERR_NO_MEM.
[[nodiscard]] Error create_error_handler(ObjectKind kind, ErrorHandler::Function function,
                                         MPI_Errhandler* handle);

// Gives up one user reference; the handle is gone with the last, the handler when nothing holds it.
void free_error_handler(ErrorHandler& handler);

// Prints "baton: rank 3: <text>" on standard error, in one write.
void print_message(const char* text);

// Raises `code` on `target` for a failed call of `procedure` (its MPI name; "" when its text needs
// none). A null target means the default one; the explanation's own target goes before both.
// Completes the thread's explanation to "procedure: cause [MPI_ERR_X]". Returns `code` if the
// handler does.
BATON_COLD int raise(const char* procedure, ErrorTarget* target, Error code);

// Returns the target of errors while an object is made for which the program gave a handler: that
// handler is called with the null handle. Null (the default target) where the handler is for
// another kind of object. The target belongs to this thread and is valid until its next call of
// this function.
ErrorTarget* target_of_unmade(ErrorHandler& handler, ObjectKind kind, void* null_handle);

// Returns a target with the handler of one that is about to end; that handler is called with the
// null handle. The target belongs to this thread and is valid until its next call of this function.
ErrorTarget* target_of_ended(const ErrorTarget& ended, void* null_handle);

// Calls the handler on `target` for `code` as it is, without a new explanation
// (MPI_Comm_call_errhandler).
void call_error_handler(ErrorTarget* target, Error code, const char* text);

// Returns whether an error on `target` (null: as for raise) ends the job.
bool errors_end_the_job(ErrorTarget* target);

// Returns the explanation of this thread's last raised error if it has this class; else null.
const char* raised_explanation(Error code);

}  // namespace baton
