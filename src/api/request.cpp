// Completion of requests: wait, test and their any, all and some forms; free, cancel, get_status.
#include "api/point_to_point.hpp"
#include "base/failure_class.hpp"
#include "base/status_fields.hpp"
#include "collective/form.hpp"
#include "file/background.hpp"
#include "message/core/generalized.hpp"
#include "message/core/loss.hpp"
#include "message/core/progress.hpp"
#include "message/core/requests.hpp"
#include "message/core/wait.hpp"
#include "message/partitioned/partitioned.hpp"

namespace baton::api {

namespace {

unsigned long long bits_of(MPI_Request handle) {
  return static_cast<unsigned long long>(reinterpret_cast<std::uintptr_t>(handle));
}

BATON_COLD Error bad_request(MPI_Request handle) {
  return fail(MPI_ERR_REQUEST,
              "argument 1 (request): 0x%llx is no live request; it was completed and set to "
              "MPI_REQUEST_NULL in a copy, freed, or never one",
              bits_of(handle));
}

BATON_COLD Error bad_element(const MPI_Request* requests, int index) {
  return fail(MPI_ERR_REQUEST,
              "argument 2 (array_of_requests): element %d (0x%llx) is no live request; it was "
              "completed and set to MPI_REQUEST_NULL in a copy, freed, or never one",
              index, bits_of(requests[index]));
}

// Returns whether this is a null request (`found` is null then), or one that is alive.
bool find(MPI_Request handle, Request** found) {
  *found = nullptr;
  if (handle == MPI_REQUEST_NULL) return true;
  *found = message::requests.find(handle);
  return *found && !message::is_freed(**found);
}

// Finds a request. Error: MPI_ERR_REQUEST for a handle that is neither null nor alive.
Error look_up(MPI_Request handle, Request** found) {
  return BATON_LIKELY(find(handle, found)) ? MPI_SUCCESS : bad_request(handle);
}

Error check_all(int count, const MPI_Request* requests) {
  Request* ignored;
  for (int i = 0; i < count; ++i)
    if (BATON_UNLIKELY(!find(requests[i], &ignored))) return bad_element(requests, i);
  return MPI_SUCCESS;
}

// Returns the request behind a handle if there is something to wait for: inactive persistent ones
// count as null.
Request* find_active(MPI_Request handle) {
  Request* request = message::requests.find(handle);
  return request && message::is_active(*request) ? request : nullptr;
}

// Ends a generalized request: the last callback that failed decides.
BATON_COLD Error retire_generalized(Request& request, MPI_Request* handle, MPI_Status* status) {
  Error asked = message::query_generalized(request, status);
  Error ended = message::end_generalized(request);
  message::release_request(request);
  *handle = MPI_REQUEST_NULL;
  return ended ? ended : asked;
}

// Gives the status of a completed request that stays.
Error show_status(Request& request, MPI_Status* status) {
  if (request.kind == message::RequestKind::generalized)
    return message::query_generalized(request, status);
  message::fill_status(request, status);
  return MPI_SUCCESS;
}

// Returns the error of a receive from any source that waits until a failure is acknowledged. The
// request stays.
BATON_COLD Error pending_failure(Request& request) {
  const Communicator& comm = *static_cast<const Communicator*>(request.owner);
  if (!message::lost_source(comm.point_to_point, MPI_ANY_SOURCE)) return MPI_SUCCESS;
  last_explanation().target = const_cast<ErrorTarget*>(&comm.errors);
  return last_explanation().error_class = error_failure_pending;
}

// Returns whose handler gets the error of a request; null: the default one. A freed communicator
// may end with its last request.
ErrorTarget* target_of(const Request& request) {
  if (!request.owner) return nullptr;
  Communicator& comm = *static_cast<Communicator*>(request.owner);
  const bool is_freed = request.usage && request.usage->freed;
  if (!comm.errors_of_requests)
    return is_freed ? target_of_ended(comm.errors, MPI_COMM_NULL) : &comm.errors;
  return is_freed ? nullptr : comm.errors_of_requests;
}

// Ends the life of a completed request, or the present use of a persistent one; errors go to the
// handler of its communicator.
Error retire(Request& request, MPI_Request* handle, MPI_Status* status) {
  if (BATON_UNLIKELY(!message::is_complete(request))) return pending_failure(request);
  if (BATON_UNLIKELY(request.kind == message::RequestKind::generalized))
    return retire_generalized(request, handle, status);
  message::fill_status(request, status);
  Error error = request.error;
  if (BATON_UNLIKELY(error != MPI_SUCCESS)) {
    collective::explain_again(request);
    message::partitioned::explain_again(request);
    file::explain_again(request);
    if (last_explanation().error_class != error) (void)fail(error, "an operation failed earlier");
    last_explanation().target = target_of(request);
  }
  if (!message::retire_request(request)) *handle = MPI_REQUEST_NULL;
  return error;
}

// Checks the index arrays, for which the table of procedures has no length of their own.
Error check_indices(int count, const int* indices) {
  if (indices || count == 0) return MPI_SUCCESS;
  return fail(MPI_ERR_ARG, "argument 4 (array_of_indices) is a null pointer");
}

MPI_Status* status_at(MPI_Status* statuses, int index) {
  return statuses ? statuses + index : nullptr;
}

void fill_empty(MPI_Status* status) {
  if (!status) return;
  set_status_empty(*status);
  status->MPI_ERROR = MPI_SUCCESS;
}

// Reports a handle that was alive when the call began and is not any more: it stands in the array
// twice.
Error check_twice(const MPI_Request* requests, int index) {
  if (requests[index] == MPI_REQUEST_NULL || message::requests.find(requests[index]))
    return MPI_SUCCESS;
  return fail(MPI_ERR_REQUEST,
              "argument 2 (array_of_requests): element %d stands in the array twice", index);
}

// Returns the index of a completed request; count when none is, MPI_UNDEFINED when none is active.
int find_completed(int count, const MPI_Request* requests) {
  bool active = false;
  for (int i = 0; i < count; ++i) {
    Request* request = find_active(requests[i]);
    if (!request) continue;
    active = true;
    if (message::is_settled(*request)) return i;
  }
  return active ? count : MPI_UNDEFINED;
}

// Gives the results of the any forms of test: the flag, and the index of one that is complete.
void look_for_any(int count, const MPI_Request* requests, int* index, int* flag) {
  int found = find_completed(count, requests);
  if (found == count && count > 0) {
    message::progress();
    found = find_completed(count, requests);
  }
  *flag = found != count || count == 0;
  *index = *flag && count > 0 ? found : MPI_UNDEFINED;
}

// Errors of calls that complete many requests. After one, all statuses of the call say how their
// operation went; without one their error fields stay untouched. The handler that is called is that
// of the first request that has failed, with its error (MPI 5.0, section 9.3).
class InStatuses {
 public:
  void note(Error error, int index, MPI_Status* statuses) {
    if (BATON_UNLIKELY(error || any_)) note_cold(error, index, statuses);
  }
  // Returns MPI_ERR_IN_STATUS after an error, which is explained; else MPI_SUCCESS.
  Error result() const {
    if (BATON_LIKELY(!any_)) return MPI_SUCCESS;
    last_explanation() = first_;
    return MPI_ERR_IN_STATUS;
  }

 private:
  BATON_COLD void note_cold(Error error, int index, MPI_Status* statuses) {
    if (!any_) {
      if (last_explanation().error_class != error) (void)fail(error, "an operation failed");
      first_ = last_explanation();
      for (int i = 0; statuses && i < index; ++i) statuses[i].MPI_ERROR = MPI_SUCCESS;
      any_ = true;
    }
    if (statuses) statuses[index].MPI_ERROR = error;
  }

  bool any_ = false;
  Explanation first_;
};

// Retires the requests that are complete. Calls that complete many report errors in the statuses.
Error retire_some(int count, MPI_Request* requests, int* completed, int* indices,
                  MPI_Status* statuses) {
  InStatuses errors;
  int done = 0;
  bool active = false;
  for (int i = 0; i < count; ++i) {
    Request* request = find_active(requests[i]);
    if (!request) continue;
    active = true;
    if (!message::is_settled(*request)) continue;
    Error error = retire(*request, &requests[i], status_at(statuses, done));
    errors.note(error, done, statuses);
    indices[done++] = i;
  }
  *completed = active ? done : MPI_UNDEFINED;
  return errors.result();
}

Error retire_all(int count, MPI_Request* requests, MPI_Status* statuses) {
  InStatuses errors;
  for (int i = 0; i < count; ++i) {
    MPI_Status* status = status_at(statuses, i);
    Request* request = find_active(requests[i]);
    Error error = MPI_SUCCESS;
    if (request) {
      error = retire(*request, &requests[i], status);
    } else {
      fill_empty(status);
      error = check_twice(requests, i);
    }
    errors.note(error, i, statuses);
  }
  return errors.result();
}

bool all_complete(int count, const MPI_Request* requests) {
  for (int i = 0; i < count; ++i) {
    Request* request = find_active(requests[i]);
    if (request && !message::is_settled(*request)) return false;
  }
  return true;
}

}  // namespace

Error wait(MPI_Request* handle, MPI_Status* status) {
  Request* request;
  if (Error error = look_up(*handle, &request)) return error;
  if (!request || !message::is_active(*request)) {
    fill_empty(status);
    return MPI_SUCCESS;
  }
  if (!message::is_complete(*request)) message::wait_for(*request);
  return retire(*request, handle, status);
}

Error test(MPI_Request* handle, int* flag, MPI_Status* status) {
  Request* request;
  if (Error error = look_up(*handle, &request)) return error;
  *flag = 1;
  if (!request || !message::is_active(*request)) {
    fill_empty(status);
    return MPI_SUCCESS;
  }
  if (!message::is_complete(*request)) message::progress();
  *flag = message::is_settled(*request);
  const Error error = *flag ? retire(*request, handle, status) : MPI_SUCCESS;
  if (BATON_UNLIKELY(error == error_failure_pending)) *flag = 0;
  return error;
}

namespace {

message::WaitSubject any_of(int count, const MPI_Request* requests) {
  return {message::WaitSubject::Kind::any_of_requests, requests, count};
}

}  // namespace

Error waitany(int count, MPI_Request* requests, int* index, MPI_Status* status) {
  if (Error error = check_all(count, requests)) return error;
  int found = MPI_UNDEFINED;
  message::wait_until(
      [&] {
        found = find_completed(count, requests);
        return found != count;
      },
      [&] { return any_of(count, requests); });
  if (count == 0) found = MPI_UNDEFINED;
  *index = found;
  if (found != MPI_UNDEFINED)
    return retire(*message::requests.find(requests[found]), &requests[found], status);
  fill_empty(status);
  return MPI_SUCCESS;
}

Error testany(int count, MPI_Request* requests, int* index, int* flag, MPI_Status* status) {
  if (Error error = check_all(count, requests)) return error;
  look_for_any(count, requests, index, flag);
  if (*index != MPI_UNDEFINED)
    return retire(*message::requests.find(requests[*index]), &requests[*index], status);
  if (*flag) fill_empty(status);
  return MPI_SUCCESS;
}

Error waitall(int count, MPI_Request* requests, MPI_Status* statuses) {
  if (Error error = check_all(count, requests)) return error;
  for (int i = 0; i < count; ++i) {
    Request* request = find_active(requests[i]);
    if (request && !message::is_complete(*request)) message::wait_for(*request);
  }
  return retire_all(count, requests, statuses);
}

Error testall(int count, MPI_Request* requests, int* flag, MPI_Status* statuses) {
  if (Error error = check_all(count, requests)) return error;
  if (!all_complete(count, requests)) message::progress();
  *flag = all_complete(count, requests);
  return *flag ? retire_all(count, requests, statuses) : MPI_SUCCESS;
}

Error waitsome(int count, MPI_Request* requests, int* completed, int* indices,
               MPI_Status* statuses) {
  if (Error error = check_indices(count, indices)) return error;
  if (Error error = check_all(count, requests)) return error;
  message::wait_until([&] { return count == 0 || find_completed(count, requests) != count; },
                      [&] { return any_of(count, requests); });
  return retire_some(count, requests, completed, indices, statuses);
}

Error testsome(int count, MPI_Request* requests, int* completed, int* indices,
               MPI_Status* statuses) {
  if (Error error = check_indices(count, indices)) return error;
  if (Error error = check_all(count, requests)) return error;
  message::progress();
  return retire_some(count, requests, completed, indices, statuses);
}

Error request_free(MPI_Request* handle) {
  Request* request;
  if (Error error = look_up(*handle, &request)) return error;
  if (!request)
    return fail(MPI_ERR_REQUEST, "argument 1 (request): MPI_REQUEST_NULL cannot be freed");
  if (BATON_UNLIKELY(message::partitioned::is_partitioned(*request) &&
                     message::is_active(*request)))
    return fail(
        MPI_ERR_REQUEST,
        "argument 1 (request): this partitioned request is active; complete it before it is "
        "freed (MPI_Wait, MPI_Test)");
  Error error = MPI_SUCCESS;
  if (message::is_complete(*request) || !message::is_active(*request)) {
    if (request->kind == message::RequestKind::generalized)
      error = message::end_generalized(*request);
    message::release_request(*request);
  } else {
    // A generalized request is still named by the code that will complete it.
    if (request->kind != message::RequestKind::generalized)
      request->handle = message::requests.renew(request->handle);
    if (message::give_up(*request)) {
      if (request->kind == message::RequestKind::generalized)
        error = message::end_generalized(*request);
      message::release_request(*request);
    }
  }
  *handle = MPI_REQUEST_NULL;
  return error;
}

Error request_get_status(MPI_Request handle, int* flag, MPI_Status* status) {
  Request* request;
  if (Error error = look_up(handle, &request)) return error;
  *flag = 1;
  if (!request || !message::is_active(*request)) {
    fill_empty(status);
    return MPI_SUCCESS;
  }
  if (!message::is_complete(*request)) message::progress();
  *flag = message::is_complete(*request);
  return *flag ? show_status(*request, status) : MPI_SUCCESS;
}

Error request_get_status_any(int count, const MPI_Request* requests, int* index, int* flag,
                             MPI_Status* status) {
  if (Error error = check_all(count, requests)) return error;
  look_for_any(count, requests, index, flag);
  if (*index != MPI_UNDEFINED) return show_status(*find_active(requests[*index]), status);
  if (*flag) fill_empty(status);
  return MPI_SUCCESS;
}

Error request_get_status_all(int count, const MPI_Request* requests, int* flag,
                             MPI_Status* statuses) {
  if (Error error = check_all(count, requests)) return error;
  if (!all_complete(count, requests)) message::progress();
  *flag = all_complete(count, requests);
  InStatuses errors;
  for (int i = 0; *flag && i < count; ++i) {
    Request* request = find_active(requests[i]);
    Error error = MPI_SUCCESS;
    if (request)
      error = show_status(*request, status_at(statuses, i));
    else
      fill_empty(status_at(statuses, i));
    errors.note(error, i, statuses);
  }
  return errors.result();
}

Error request_get_status_some(int count, const MPI_Request* requests, int* completed, int* indices,
                              MPI_Status* statuses) {
  if (Error error = check_indices(count, indices)) return error;
  if (Error error = check_all(count, requests)) return error;
  message::progress();
  InStatuses errors;
  int done = 0;
  bool active = false;
  for (int i = 0; i < count; ++i) {
    Request* request = find_active(requests[i]);
    if (!request) continue;
    active = true;
    if (!message::is_complete(*request)) continue;
    Error error = show_status(*request, status_at(statuses, done));
    errors.note(error, done, statuses);
    indices[done++] = i;
  }
  *completed = active ? done : MPI_UNDEFINED;
  return errors.result();
}

// Explains why a request cannot be started. `element` is its index in the array, or negative for a
// single request.
BATON_COLD static Error refuse_start(int element, const char* why) {
  if (element < 0) return fail(MPI_ERR_REQUEST, "argument 1 (request): %s", why);
  return fail(MPI_ERR_REQUEST, "argument 2 (array_of_requests): element %d: %s", element, why);
}

static Error start_one(Request* request, int element) {
  if (!request || !request->recipe)
    return refuse_start(element,
                        "only persistent requests can be started (MPI_Send_init and its like)");
  if (message::is_active(*request))
    return refuse_start(element, "it is active already; complete it first");
  return message::start_again(*request);
}

Error start(MPI_Request* handle) {
  Request* request;
  if (Error error = look_up(*handle, &request)) return error;
  return start_one(request, -1);
}

Error startall(int count, MPI_Request* requests) {
  if (Error error = check_all(count, requests)) return error;
  for (int i = 0; i < count; ++i) {
    Request* request;
    if (BATON_UNLIKELY(!find(requests[i], &request))) return bad_element(requests, i);
    if (Error error = start_one(request, i)) return error;
  }
  return MPI_SUCCESS;
}

Error cancel(MPI_Request* handle) {
  Request* request;
  if (Error error = look_up(*handle, &request)) return error;
  if (!request)
    return fail(MPI_ERR_REQUEST, "argument 1 (request): MPI_REQUEST_NULL cannot be cancelled");
  if (request->kind == message::RequestKind::generalized)
    return message::cancel_generalized(*request);
  if (!message::is_active(*request))
    return fail(MPI_ERR_REQUEST,
                "argument 1 (request): this persistent request is not active; start it before it "
                "can be cancelled");
  if (message::partitioned::is_partitioned(*request))
    return fail(MPI_ERR_REQUEST,
                "argument 1 (request): a partitioned request that is active cannot be cancelled; "
                "complete it (MPI_Wait, MPI_Test)");
  if (message::is_complete(*request)) return MPI_SUCCESS;
  if (request->kind == message::RequestKind::schedule)
    return fail(MPI_ERR_REQUEST,
                "argument 1 (request): only sends, receives and generalized requests can be "
                "cancelled; wait for this one");
  message::cancel(*request);
  return MPI_SUCCESS;
}

Error grequest_start(MPI_Grequest_query_function* query, MPI_Grequest_free_function* free,
                     MPI_Grequest_cancel_function* cancel, void* extra, MPI_Request* handle) {
  return message::start_generalized(query, free, cancel, extra, handle);
}

Error grequest_complete(MPI_Request handle) {
  Request* request = message::requests.find(handle);
  if (!request || request->kind != message::RequestKind::generalized)
    return fail(MPI_ERR_REQUEST,
                "argument 1 (request): this is no generalized request that is alive");
  if (message::is_complete(*request))
    return fail(MPI_ERR_REQUEST, "argument 1 (request): it was completed before");
  return message::complete_generalized(*request);
}

}  // namespace baton::api
