#include "api/window.hpp"

#include <cstdio>

#include "api/group.hpp"
#include "api/name.hpp"
#include "base/settings.hpp"
#include "world/group.hpp"
#include "world/portability.hpp"

namespace baton::api {

namespace {

Error give(Error error, Window* made, MPI_Win* handle) {
  if (error) return error;
  if (BATON_UNLIKELY(settings.check)) window::begin_checks(*made);
  *handle = made->handle;
  return MPI_SUCCESS;
}

}  // namespace

Error win_create(void* base, MPI_Aint size, std::int64_t unit, const Info* info, Communicator& comm,
                 MPI_Win* win) {
  Window* made = nullptr;
  Error error = window::create(comm, info, base, size, unit, &made);
  return give(error, made, win);
}

Error win_allocate(MPI_Aint size, std::int64_t unit, const Info* info, Communicator& comm,
                   void* base, MPI_Win* win) {
  Window* made = nullptr;
  Error error = window::allocate(comm, info, size, unit, base, &made);
  return give(error, made, win);
}

Error win_allocate_shared(MPI_Aint size, std::int64_t unit, const Info* info, Communicator& comm,
                          void* base, MPI_Win* win) {
  Window* made = nullptr;
  Error error = window::allocate_shared(comm, info, size, unit, base, &made);
  return give(error, made, win);
}

Error win_create_dynamic(const Info* info, Communicator& comm, MPI_Win* win) {
  Window* made = nullptr;
  Error error = window::create_dynamic(comm, info, &made);
  return give(error, made, win);
}

Error win_free(MPI_Win* handle) {
  Window* win = window::windows.find(*handle);
  if (!win)
    return fail(MPI_ERR_WIN, "argument 1 (win) is %s",
                *handle == MPI_WIN_NULL ? "MPI_WIN_NULL" : "no live window");
  if (Error error = window::free_window(*win)) {
    last_explanation().target = &win->errors;
    return error;
  }
  *handle = MPI_WIN_NULL;
  return MPI_SUCCESS;
}

Error win_get_group(Window& win, MPI_Group* group) {
  return give_copy(*win.comm->local, group);
}

Error win_get_info(Window& win, MPI_Info* handle) {
  Info* info = nullptr;
  if (Error error = create_info(&info)) return error;
  if (Error error = window::describe_hints(win.hints, win.flavor,
                                           world::memory_kinds_of(*win.comm->local), *info)) {
    free_info(*info);
    return error;
  }
  *handle = info->handle;
  return MPI_SUCCESS;
}

Error win_set_info(Window& win, const Info* info) {
  window::update_hints(win.hints, info, true);
  world::promise_kinds(win.comm->hints, win.hints.asserted_kinds);
  return MPI_SUCCESS;
}

Error win_set_name(Window& win, const char* name) {
  set_name(win.name, name);
  window::name_communicator(win);
  return MPI_SUCCESS;
}

// A null `win` is MPI_WIN_NULL, which has a name, too.
Error win_get_name(Window* win, char* name, int* length) {
  *length =
      win ? copy_name(win->name, name) : std::snprintf(name, MPI_MAX_OBJECT_NAME, "MPI_WIN_NULL");
  return MPI_SUCCESS;
}

// Checks for a passive target epoch. A call for MPI_PROC_NULL does nothing, in an epoch or not.
Error check_passive(const Window& win, int rank) {
  using window::Epoch;
  if (BATON_LIKELY(win.epoch == Epoch::locked || win.epoch == Epoch::locked_all))
    return MPI_SUCCESS;
  if (rank == MPI_PROC_NULL) {
    note_not_portable(Lenience::null_request_outside);
    return MPI_SUCCESS;
  }
  return fail(MPI_ERR_RMA_SYNC,
              "operations with a request need an epoch of MPI_Win_lock or MPI_Win_lock_all");
}

}  // namespace baton::api
