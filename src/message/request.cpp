#include "message/request.hpp"

#include <cstdlib>
#include <new>

#include "base/status_fields.hpp"
#include "message/match.hpp"

namespace baton::message {

RequestTable requests;

namespace {

Request* spare_requests =
    nullptr;  // freed ones, for the next; single-threaded until THREAD_MULTIPLE
Request completed_send;

}  // namespace

Request* new_request() {
  Request* request = spare_requests;
  if (request) {
    spare_requests = request->next;
  } else {
    request = static_cast<Request*>(std::malloc(sizeof(Request)));
    if (!request) return nullptr;
  }
  new (request) Request;
  request->heap = true;
  request->handle = requests.add(request);
  if (request->handle) return request;
  std::free(request);
  return nullptr;
}

void release_request(Request& request) {
  if (!request.heap) return;
  if (request.destroy) request.destroy(request);
  if (request.datatype) datatype::release(*request.datatype);
  std::free(request.recipe);
  drop_usage(request.usage);
  requests.remove(request.handle);
  request.next = spare_requests;
  spare_requests = &request;
}

void drop_usage(Usage* usage) {
  if (usage && --usage->requests == 0 && usage->freed) usage->dispose(usage->owner);
}

bool retire_request(Request& request) {
  if (!request.recipe) {
    release_request(request);
    return false;
  }
  request.stage = Stage::inactive;
  return true;
}

MPI_Request completed_send_handle() {
  return completed_send.handle;
}

void make_completed_send() {
  completed_send = Request{};
  completed_send.stage = Stage::complete;
  completed_send.handle = requests.add(&completed_send);
}

void complete(Request& request, Error error) {
  request.stage = Stage::complete;
  request.error = error;
  if (BATON_UNLIKELY(request.freed_early)) release_request(request);
}

void fill_status(const Request& request, MPI_Status* status) {
  if (!status) return;
  set_status_empty(*status);
  set_status_cancelled(*status, request.cancelled);
  if (request.kind != RequestKind::receive) return;
  status->MPI_SOURCE = request.source;
  status->MPI_TAG = request.tag;
  set_status_bytes(*status, request.bytes);
}

}  // namespace baton::message
