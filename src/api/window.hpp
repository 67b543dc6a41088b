// These are the bodies of the procedures about windows.
#pragma once

#include <cstdint>

#include "message/core/request.hpp"
#include "message/core/requests.hpp"
#include "window/accumulate.hpp"
#include "window/check_access.hpp"
#include "window/operate.hpp"
#include "window/synchronize.hpp"
#include "window/window.hpp"

namespace baton::api {

// This is in error.cpp.
Error win_create_errhandler(MPI_Win_errhandler_function* function, MPI_Errhandler* errhandler);
Error win_set_errhandler(Window& win, ErrorHandler& errhandler);
Error win_get_errhandler(Window& win, MPI_Errhandler* errhandler);
Error win_call_errhandler(Window& win, int errorcode);

// These are in attribute.cpp.
Error win_create_keyval(MPI_Win_copy_attr_function* copy, MPI_Win_delete_attr_function* remove,
                        int* keyval, void* extra_state);
Error win_free_keyval(int* keyval);
Error win_set_attr(Window& win, int keyval, void* value);
Error win_get_attr(Window& win, int keyval, void* value, int* flag);
Error win_delete_attr(Window& win, int keyval);

Error win_create(void* base, MPI_Aint size, std::int64_t unit, const Info* info, Communicator& comm,
                 MPI_Win* win);
Error win_allocate(MPI_Aint size, std::int64_t unit, const Info* info, Communicator& comm,
                   void* base, MPI_Win* win);
Error win_allocate_shared(MPI_Aint size, std::int64_t unit, const Info* info, Communicator& comm,
                          void* base, MPI_Win* win);
Error win_create_dynamic(const Info* info, Communicator& comm, MPI_Win* win);
Error win_free(MPI_Win* win);
Error win_get_group(Window& win, MPI_Group* group);
Error win_get_info(Window& win, MPI_Info* info);
Error win_set_info(Window& win, const Info* info);
Error win_set_name(Window& win, const char* name);
Error win_get_name(Window* win, char* name, int* length);
inline Error win_attach(Window& win, void* base, MPI_Aint size) {
  return window::attach(win, base, size);
}
inline Error win_detach(Window& win, const void* base) {
  return window::detach(win, base);
}
inline Error win_shared_query(Window& win, int rank, MPI_Aint* size, std::int64_t* unit,
                              void* base) {
  return window::shared_query(win, rank, size, unit, base);
}

inline Error win_fence(int assertion, Window& win) {
  return BATON_LIKELY(!win.checks) ? window::fence(win, assertion)
                                   : window::fence_checked(win, assertion);
}
inline Error win_post(Group& group, int assertion, Window& win) {
  return window::post(win, group, assertion);
}
inline Error win_start(Group& group, int assertion, Window& win) {
  return window::start(win, group, assertion);
}
inline Error win_complete(Window& win) {
  return BATON_LIKELY(!win.checks) ? window::complete(win) : window::complete_checked(win);
}
inline Error win_wait(Window& win) {
  const Error error = window::wait(win);
  return BATON_LIKELY(!win.checks || error) ? error : window::note_exposure_end(win);
}
inline Error win_test(Window& win, int* flag) {
  const Error error = window::test(win, flag);
  return BATON_LIKELY(!win.checks || error || !*flag) ? error : window::note_exposure_end(win);
}
inline Error win_lock(int type, int rank, int assertion, Window& win) {
  return window::lock(win, type, rank, assertion);
}
inline Error win_unlock(int rank, Window& win) {
  if (BATON_UNLIKELY(win.checks)) window::note_flush(win, rank, false);
  return window::unlock(win, rank);
}
inline Error win_lock_all(int assertion, Window& win) {
  return window::lock_all(win, assertion);
}
inline Error win_unlock_all(Window& win) {
  if (BATON_UNLIKELY(win.checks)) window::note_flush(win, window::all_targets, false);
  return window::unlock_all(win);
}
inline Error win_flush(int rank, Window& win) {
  if (BATON_UNLIKELY(win.checks)) window::note_flush(win, rank, false);
  return window::flush(win, rank);
}
inline Error win_flush_all(Window& win) {
  if (BATON_UNLIKELY(win.checks)) window::note_flush(win, window::all_targets, false);
  return window::flush_all(win);
}
inline Error win_flush_local(int rank, Window& win) {
  if (BATON_UNLIKELY(win.checks)) window::note_flush(win, rank, true);
  return window::flush_local(win, rank);
}
inline Error win_flush_local_all(Window& win) {
  if (BATON_UNLIKELY(win.checks)) window::note_flush(win, window::all_targets, true);
  return window::flush_local_all(win);
}
inline Error win_sync(Window& win) {
  return window::sync(win);
}

// The bodies of the operations follow; `origin_type` is null where the origin is not used. (The
// lambdas capture only what goes to memory anyway: a window without checks pays one branch.)
inline window::Data own_data(const Window& win, const void* buffer, std::int64_t count,
                             const Datatype& type) {
  return {const_cast<void*>(buffer), count, &type, win.comm->point_to_point.is_host()};
}
inline Error put(const void* origin, std::int64_t origin_count, Datatype& origin_type, int rank,
                 MPI_Aint displacement, std::int64_t count, Datatype& type, Window& win) {
  const window::Data from = own_data(win, origin, origin_count, origin_type);
  const window::Place to{rank, displacement, count, &type};
  return window::operate_on(win, to, window::Act::put, nullptr,
                            [&] { return window::put(win, from, to); });
}
inline Error get(void* origin, std::int64_t origin_count, Datatype& origin_type, int rank,
                 MPI_Aint displacement, std::int64_t count, Datatype& type, Window& win) {
  const window::Data to = own_data(win, origin, origin_count, origin_type);
  const window::Place from{rank, displacement, count, &type};
  return window::operate_on(win, from, window::Act::get, nullptr,
                            [&] { return window::get(win, to, from); });
}
inline Error accumulate(const void* origin, std::int64_t origin_count, Datatype& origin_type,
                        int rank, MPI_Aint displacement, std::int64_t count, Datatype& type,
                        Operation& operation, Window& win) {
  const window::Data from = own_data(win, origin, origin_count, origin_type);
  const window::Place to{rank, displacement, count, &type};
  Operation* const op = &operation;
  return window::operate_on(win, to, window::Act::accumulate, op,
                            [&, op] { return window::accumulate(win, from, to, *op); });
}
inline Error get_accumulate(const void* origin, std::int64_t origin_count, Datatype* origin_type,
                            void* result, std::int64_t result_count, Datatype& result_type,
                            int rank, MPI_Aint displacement, std::int64_t count, Datatype& type,
                            Operation& operation, Window& win) {
  const window::Data from = own_data(win, origin, origin_count, origin_type ? *origin_type : type);
  const window::Data old = own_data(win, result, result_count, result_type);
  const window::Place at{rank, displacement, count, &type};
  Operation* const op = &operation;
  return window::operate_on(win, at, window::Act::get_accumulate, op,
                            [&, op] { return window::get_accumulate(win, from, old, at, *op); });
}
inline Error fetch_and_op(const void* origin, void* result, Datatype& type, int rank,
                          MPI_Aint displacement, Operation& operation, Window& win) {
  const window::Place at{rank, displacement, 1, &type};
  Operation* const op = &operation;
  return window::operate_on(win, at, window::Act::fetch_and_op, op, [=, &win, &at] {
    return window::fetch_and_op(win, origin, result, at, *op);
  });
}
inline Error compare_and_swap(const void* origin, const void* expected, void* result,
                              Datatype& type, int rank, MPI_Aint displacement, Window& win) {
  const window::Place at{rank, displacement, 1, &type};
  return window::operate_on(win, at, window::Act::compare_and_swap, nullptr, [=, &win, &at] {
    return window::compare_and_swap(win, origin, expected, result, at);
  });
}

// The request-based operations follow: when they return the operation is over as far as this rank's
// buffers go, so the request is complete.
Error check_passive(const Window& win, int rank);
template <class Operate>
Error with_request(Window& win, int rank, MPI_Request* request, Operate operate) {
  *request = MPI_REQUEST_NULL;
  if (Error error = check_passive(win, rank)) return error;
  Error error = operate();
  if (!error) error = window::finish_locally(win);
  if (!error) *request = message::completed_handle();
  return error;
}
inline Error rput(const void* origin, std::int64_t origin_count, Datatype& origin_type, int rank,
                  MPI_Aint displacement, std::int64_t count, Datatype& type, Window& win,
                  MPI_Request* request) {
  return with_request(win, rank, request, [&] {
    return put(origin, origin_count, origin_type, rank, displacement, count, type, win);
  });
}
inline Error rget(void* origin, std::int64_t origin_count, Datatype& origin_type, int rank,
                  MPI_Aint displacement, std::int64_t count, Datatype& type, Window& win,
                  MPI_Request* request) {
  return with_request(win, rank, request, [&] {
    Error error = get(origin, origin_count, origin_type, rank, displacement, count, type, win);
    // The program may wait for nothing but this request.
    if (BATON_UNLIKELY(win.checks)) window::note_flush(win, rank, true);
    return error;
  });
}
inline Error raccumulate(const void* origin, std::int64_t origin_count, Datatype& origin_type,
                         int rank, MPI_Aint displacement, std::int64_t count, Datatype& type,
                         Operation& operation, Window& win, MPI_Request* request) {
  return with_request(win, rank, request, [&] {
    return accumulate(origin, origin_count, origin_type, rank, displacement, count, type, operation,
                      win);
  });
}
inline Error rget_accumulate(const void* origin, std::int64_t origin_count, Datatype* origin_type,
                             void* result, std::int64_t result_count, Datatype& result_type,
                             int rank, MPI_Aint displacement, std::int64_t count, Datatype& type,
                             Operation& operation, Window& win, MPI_Request* request) {
  return with_request(win, rank, request, [&] {
    return get_accumulate(origin, origin_count, origin_type, result, result_count, result_type,
                          rank, displacement, count, type, operation, win);
  });
}

}  // namespace baton::api
