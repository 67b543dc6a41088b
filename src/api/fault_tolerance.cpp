// The procedures of include/mpi-ext.h about failed processes. The standard does not have them yet,
// so their entry points are written here by hand.
#include <mpi-ext.h>

#include <climits>

#include "api/entry.hpp"
#include "base/failure_class.hpp"
#include "file/file.hpp"
#include "message/core/loss.hpp"
#include "message/core/progress.hpp"
#include "window/window.hpp"
#include "world/communicator.hpp"
#include "world/failure/recovery.hpp"
#include "world/failure/revocation.hpp"

using namespace baton;

static_assert(MPIX_ERR_PROC_FAILED == error_process_failed);
static_assert(MPIX_ERR_PROC_FAILED_PENDING == error_failure_pending);
static_assert(MPIX_ERR_REVOKED == error_revoked);
static_assert(MPIX_FT == fault_tolerance_key);

namespace {

// Calls act(object) for the object of a handle and raises its error. `argument`: another argument
// of the call, which is no null pointer; `kind` names the object and its error.
struct Kind {
  const char* words;
  Error error;
};
template <class Table, class Handle, class Act>
int on_object(const char* procedure, Table& table, Handle handle, Kind kind, const void* argument,
              Act&& act) {
  if (!library_is_running() && !library_is_usable())
    return raise(procedure, nullptr,
                 fail(MPI_ERR_OTHER, "called before MPI_Init or after MPI_Finalize"));
  auto* object = table.find(handle);
  if (!object)
    return raise(procedure, nullptr, fail(kind.error, "argument 1 (%s) is not alive", kind.words));
  Error error = argument ? act(*object) : fail(MPI_ERR_ARG, "argument 2 is a null pointer");
  return error ? raise(procedure, &object->errors, error) : MPI_SUCCESS;
}

template <class Act>
int on_communicator(const char* procedure, MPI_Comm comm, const void* argument, Act&& act) {
  return on_object(procedure, world::communicators, comm, {"comm", MPI_ERR_COMM}, argument, act);
}

// Gives the group of the first `count` failures of which this process knows by now.
Error failed_group(Communicator& communicator, std::int32_t count, MPI_Group* handle) {
  Group* group = nullptr;
  if (Error error = communicator.failures.make_group(communicator, count, &group)) return error;
  *handle = group->handle;
  return MPI_SUCCESS;
}

Error look(Communicator& communicator) {
  message::progress();
  return communicator.failures.look(communicator);
}

Error acknowledge(Communicator& communicator, std::int32_t count, int* acknowledged) {
  if (Error error = look(communicator)) return error;
  *acknowledged = communicator.failures.acknowledge(count);
  message::resume_pending(&communicator);
  return MPI_SUCCESS;
}

int start_shrink(const char* procedure, MPI_Comm comm, world::HandlePlace place,
                 const void* newcomm, MPI_Request* request) {
  return on_communicator(procedure, comm, newcomm, [&](Communicator& communicator) {
    if (!request) return fail(MPI_ERR_ARG, "argument 3 (request) is a null pointer");
    return world::start_shrink(communicator, place, request);
  });
}

}  // namespace

BATON_EXPORT int PMPIX_Comm_revoke(MPI_Comm comm) {
  return on_communicator("MPIX_Comm_revoke", comm, &comm, [](Communicator& communicator) {
    if (Error error = world::check_open(communicator)) return error;
    world::revoke(communicator);
    return MPI_SUCCESS;
  });
}
BATON_EXTENSION_ALIAS(Comm_revoke)

BATON_EXPORT int PMPIX_Comm_is_revoked(MPI_Comm comm, int* flag) {
  return on_communicator("MPIX_Comm_is_revoked", comm, flag, [flag](Communicator& communicator) {
    message::progress();
    *flag = communicator.failures.is_revoked();
    return MPI_SUCCESS;
  });
}
BATON_EXTENSION_ALIAS(Comm_is_revoked)

BATON_EXPORT int PMPIX_Comm_get_failed(MPI_Comm comm, MPI_Group* failedgrp) {
  return on_communicator("MPIX_Comm_get_failed", comm, failedgrp, [&](Communicator& communicator) {
    if (Error error = look(communicator)) return error;
    return failed_group(communicator, INT_MAX, failedgrp);
  });
}
BATON_EXTENSION_ALIAS(Comm_get_failed)

BATON_EXPORT int PMPIX_Comm_ack_failed(MPI_Comm comm, int num_to_ack, int* num_acked) {
  return on_communicator("MPIX_Comm_ack_failed", comm, num_acked, [&](Communicator& communicator) {
    if (num_to_ack < 0)
      return fail(MPI_ERR_ARG, "argument 2 (num_to_ack) is %d; it must not be negative",
                  num_to_ack);
    return acknowledge(communicator, num_to_ack, num_acked);
  });
}
BATON_EXTENSION_ALIAS(Comm_ack_failed)

BATON_EXPORT int PMPIX_Comm_agree(MPI_Comm comm, int* flag) {
  return on_communicator("MPIX_Comm_agree", comm, flag, [flag](Communicator& communicator) {
    return world::agree(communicator, flag);
  });
}
BATON_EXTENSION_ALIAS(Comm_agree)

BATON_EXPORT int PMPIX_Comm_iagree(MPI_Comm comm, int* flag, MPI_Request* request) {
  return on_communicator("MPIX_Comm_iagree", comm, flag, [&](Communicator& communicator) {
    if (!request) return fail(MPI_ERR_ARG, "argument 3 (request) is a null pointer");
    return world::start_agree(communicator, flag, request);
  });
}
BATON_EXTENSION_ALIAS(Comm_iagree)

BATON_EXPORT int PMPIX_Comm_shrink(MPI_Comm comm, MPI_Comm* newcomm) {
  return on_communicator("MPIX_Comm_shrink", comm, newcomm, [newcomm](Communicator& communicator) {
    *newcomm = MPI_COMM_NULL;
    Communicator* made = nullptr;
    if (Error error = world::shrink(communicator, &made)) return error;
    *newcomm = made->handle;
    return MPI_SUCCESS;
  });
}
BATON_EXTENSION_ALIAS(Comm_shrink)

BATON_EXPORT int PMPIX_Comm_ishrink(MPI_Comm comm, MPI_Comm* newcomm, MPI_Request* request) {
  return start_shrink("MPIX_Comm_ishrink", comm, {newcomm, nullptr}, newcomm, request);
}
BATON_EXTENSION_ALIAS(Comm_ishrink)

BATON_EXPORT int PMPIX_Comm_ishrink_toint(MPI_Comm comm, int* newcomm, MPI_Request* request) {
  return start_shrink("MPIX_Comm_ishrink", comm, {nullptr, newcomm}, newcomm, request);
}
BATON_EXTENSION_ALIAS(Comm_ishrink_toint)

BATON_EXPORT int PMPIX_Win_revoke(MPI_Win win) {
  return on_object("MPIX_Win_revoke", window::windows, win, {"win", MPI_ERR_WIN}, &win,
                   [](window::Window& window) {
                     world::revoke(*window.comm);
                     return MPI_SUCCESS;
                   });
}
BATON_EXTENSION_ALIAS(Win_revoke)

BATON_EXPORT int PMPIX_Win_get_failed(MPI_Win win, MPI_Group* failedgrp) {
  return on_object("MPIX_Win_get_failed", window::windows, win, {"win", MPI_ERR_WIN}, failedgrp,
                   [failedgrp](window::Window& window) {
                     if (Error error = look(*window.comm)) return error;
                     return failed_group(*window.comm, INT_MAX, failedgrp);
                   });
}
BATON_EXTENSION_ALIAS(Win_get_failed)

BATON_EXPORT int PMPIX_File_revoke(MPI_File fh) {
  return on_object("MPIX_File_revoke", file::files, fh, {"fh", MPI_ERR_FILE}, &fh,
                   [](file::File& file) {
                     world::revoke(*file.comm);
                     return MPI_SUCCESS;
                   });
}
BATON_EXTENSION_ALIAS(File_revoke)

BATON_EXPORT int PMPIX_Comm_failure_ack(MPI_Comm comm) {
  return on_communicator("MPIX_Comm_failure_ack", comm, &comm, [](Communicator& communicator) {
    int acknowledged = 0;
    return acknowledge(communicator, INT_MAX, &acknowledged);
  });
}
BATON_EXTENSION_ALIAS(Comm_failure_ack)

BATON_EXPORT int PMPIX_Comm_failure_get_acked(MPI_Comm comm, MPI_Group* failedgrp) {
  return on_communicator(
      "MPIX_Comm_failure_get_acked", comm, failedgrp, [&](Communicator& communicator) {
        if (Error error = look(communicator)) return error;
        return failed_group(communicator, communicator.failures.acknowledged(), failedgrp);
      });
}
BATON_EXTENSION_ALIAS(Comm_failure_get_acked)
