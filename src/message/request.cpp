#include "message/request.hpp"

#include <cstdlib>
#include <new>

#include "base/status_fields.hpp"
#include "message/wait.hpp"

namespace baton::message {

RequestTable requests;

namespace {

Request* spare_requests = nullptr;  // freed ones, for the next
platform::Lock spare_lock;
Request completed_send;

Request* take_spare() {
  platform::Guard guard(spare_lock);
  Request* request = spare_requests;
  if (request) spare_requests = request->next;
  return request;
}

// Sets a bit of `ending`; the bits before.
std::uint8_t mark(Request& request, std::uint8_t bit) {
  if (BATON_LIKELY(!platform::threads_multiple)) {
    std::uint8_t before = request.ending;
    request.ending = before | bit;
    return before;
  }
  // ORDER request.ending: release here, acquire in is_complete and here; what the operation wrote.
  return std::atomic_ref(request.ending).fetch_or(bit, std::memory_order_acq_rel);
}

}  // namespace

Request* new_request() {
  Request* request = take_spare();
  if (!request) request = static_cast<Request*>(std::malloc(sizeof(Request)));
  if (!request) return nullptr;
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
  platform::Guard guard(spare_lock);
  request.next = spare_requests;
  spare_requests = &request;
}

void drop_usage(Usage* usage) {
  if (usage && platform::add_shared(usage->uses, -1) == 0) usage->dispose(usage->owner);
}

bool retire_request(Request& request) {
  if (!request.recipe) {
    release_request(request);
    return false;
  }
  request.inactive = true;
  return true;
}

MPI_Request completed_send_handle() {
  return completed_send.handle;
}

void make_completed_send() {
  completed_send = Request{};
  completed_send.ending = completed;
  completed_send.handle = requests.add(&completed_send);
}

bool mark_complete(Request& request, Error error) {
  request.error = error;
  bool given_up = mark(request, completed) & freed;
  if (BATON_UNLIKELY(platform::threads_multiple)) wake_waiters();
  return given_up;
}

void complete(Request& request, Error error) {
  if (BATON_UNLIKELY(mark_complete(request, error))) release_request(request);
}

bool give_up(Request& request) {
  return mark(request, freed) & completed;
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
