#include "message/core/generalized.hpp"

#include <new>

#include "base/status_fields.hpp"
#include "message/core/requests.hpp"

namespace baton::message {

namespace {

struct Callbacks {
  MPI_Grequest_query_function* query;
  MPI_Grequest_free_function* free;
  MPI_Grequest_cancel_function* cancel;
  void* extra;
};

Callbacks& callbacks_of(const Request& request) {
  return *static_cast<Callbacks*>(request.state);
}

Error explain(const char* callback, Error code) {
  if (code == MPI_SUCCESS) return MPI_SUCCESS;
  return fail(code, "the generalized request's %s returned this error", callback);
}

}  // namespace

Error start_generalized(MPI_Grequest_query_function* query, MPI_Grequest_free_function* free,
                        MPI_Grequest_cancel_function* cancel, void* extra, MPI_Request* handle) {
  auto* callbacks = new (std::nothrow) Callbacks{query, free, cancel, extra};
  Request* request = callbacks ? new_request() : nullptr;
  if (!request) {
    delete callbacks;
    return fail(MPI_ERR_NO_MEM, "no memory for a request");
  }
  request->kind = RequestKind::generalized;
  request->stage = Stage::queued;
  request->state = callbacks;
  *handle = request->handle;
  return MPI_SUCCESS;
}

Error complete_generalized(Request& request) {
  if (!mark_complete(request, MPI_SUCCESS)) return MPI_SUCCESS;
  Error error = end_generalized(request);
  release_request(request);
  return error;
}

Error query_generalized(Request& request, MPI_Status* status) {
  MPI_Status own;
  MPI_Status& filled = status ? *status : own;
  int error_field = filled.MPI_ERROR;
  set_status_empty(filled);
  Callbacks& callbacks = callbacks_of(request);
  Error error = callbacks.query(callbacks.extra, &filled);
  filled.MPI_ERROR = error_field;
  return explain("query_fn", error);
}

Error cancel_generalized(Request& request) {
  Callbacks& callbacks = callbacks_of(request);
  return explain("cancel_fn", callbacks.cancel(callbacks.extra, is_complete(request)));
}

Error end_generalized(Request& request) {
  Callbacks callbacks = callbacks_of(request);
  delete &callbacks_of(request);
  request.state = nullptr;
  return explain("free_fn", callbacks.free(callbacks.extra));
}

}  // namespace baton::message
