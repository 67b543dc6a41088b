#include "message/core/requests.hpp"

#include <cstdlib>
#include <new>
#include <utility>

#include "base/status_fields.hpp"
#include "message/core/lead.hpp"
#include "message/core/progress_source.hpp"
#include "message/core/wake.hpp"

namespace baton::message {

RequestTable requests;

namespace {

// Released requests, for the next ones. Each keeps its slot among the handles and counts as freed.
// A thread has a few of its own; what is beyond goes to all threads.
constexpr int own_spares_max = 128;  // guess: 64 sends and as many receives
constexpr int spares_at_once = 32;   // guess

struct Spares {
  Request* first;
  int count;
  bool given_back_at_exit;
};
// initial-exec: no call to find it. It is small, as a library opened at run time must be.
__attribute__((tls_model("initial-exec"))) constinit thread_local Spares own_spares{};
struct CommonSpares {
  Request* first = nullptr;
  platform::Lock lock;
};
CommonSpares common_spares;
Request completed_request;

void give_to_all(Spares& spares, int count) {
  platform::Guard guard(common_spares.lock);
  for (; count > 0; --count, --spares.count) {
    Request* request = spares.first;
    spares.first = request->next;
    request->next = common_spares.first;
    common_spares.first = request;
  }
}

// The spare requests of a thread that ends go to the others.
struct AtExit {
  bool armed;
  ~AtExit() {
    if (armed) give_to_all(own_spares, own_spares.count);
  }
};

BATON_COLD void arm_at_exit() {
  static thread_local AtExit at_exit{};
  at_exit.armed = own_spares.given_back_at_exit = true;
}

void keep_spare(Request& request) {
  request.next = own_spares.first;
  own_spares.first = &request;
  if (BATON_UNLIKELY(++own_spares.count > own_spares_max)) give_to_all(own_spares, spares_at_once);
  if (BATON_UNLIKELY(!own_spares.given_back_at_exit)) arm_at_exit();
}

BATON_COLD void fetch_spares() {
  platform::Guard guard(common_spares.lock);
  for (; common_spares.first && own_spares.count < spares_at_once; ++own_spares.count) {
    Request* request = common_spares.first;
    common_spares.first = request->next;
    request->next = own_spares.first;
    own_spares.first = request;
  }
}

Request* take_spare() {
  if (BATON_UNLIKELY(!own_spares.first)) fetch_spares();
  Request* request = own_spares.first;
  if (!request) return nullptr;
  own_spares.first = request->next;
  --own_spares.count;
  request->next = nullptr;
  return request;
}

BATON_COLD Request* make_request() {
  auto* request = static_cast<Request*>(std::malloc(sizeof(Request)));
  if (!request) return nullptr;
  new (request) Request;
  request->heap = true;
  request->handle = requests.add(request);
  if (request->handle) return request;
  std::free(request);
  return nullptr;
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
  if (BATON_UNLIKELY(!request)) return make_request();
  request->ending = 0;
  return request;
}

void release_request(Request& request) {
  if (!request.heap) return;
  if (request.datatype) datatype::release(*request.datatype);
  std::free(request.recipe);
  drop_usage(request.usage);
  MPI_Request handle = requests.renew(request.handle);
  if (request.recycle) {
    request.handle = handle;
    request.recipe = nullptr;
    request.usage = nullptr;
    request.inactive = false;
    request.ending = freed;
    return request.recycle(request);
  }
  new (&request) Request;
  request.heap = true;
  request.handle = handle;
  request.ending = freed;
  keep_spare(request);
}

namespace {

bool drop_use(Usage& usage) {
  return platform::add_shared(usage.uses, -1) == 0;
}

// A communicator that nobody uses any more.
struct Unused {
  Usage* usage;
  Unused* next = nullptr;

  static bool advance() { return true; }
  void finish() {
    usage->dispose(usage->owner);
    delete this;
  }
};
constinit ListSource<Unused> unused;

// A request that was given up is complete. Its communicator may end with it, but by progress:
// whoever completes a request may hold locks, and go on with the queue that it was in.
BATON_COLD void release_given_up(Request& request) {
  Usage* usage = std::exchange(request.usage, nullptr);
  release_request(request);
  if (!usage || !drop_use(*usage)) return;
  if (auto* one = new (std::nothrow) Unused{usage}) unused.add(*one);  // else it stays
}

}  // namespace

void drop_usage(Usage* usage) {
  if (usage && drop_use(*usage)) usage->dispose(usage->owner);
}

bool retire_request(Request& request) {
  if (!request.recipe) {
    release_request(request);
    return false;
  }
  request.inactive = true;
  return true;
}

MPI_Request completed_handle() {
  return completed_request.handle;
}

void make_completed_request() {
  completed_request = Request{};
  completed_request.ending = completed;
  completed_request.handle = requests.add(&completed_request);
}

bool mark_complete(Request& request, Error error) {
  request.error = error;
  if (BATON_UNLIKELY(request.watched)) unwatch(request);
  bool given_up = mark(request, completed) & freed;
  if (BATON_UNLIKELY(platform::threads_multiple)) announce_completion();
  return given_up;
}

void interrupt(Request& request) {
  if (mark(request, interrupted) & interrupted) return;
  if (BATON_UNLIKELY(platform::threads_multiple)) announce_completion();
}

void resume(Request& request) {
  // relaxed: nothing was written for the bit.
  std::atomic_ref(request.ending)
      .fetch_and(static_cast<std::uint8_t>(~interrupted), std::memory_order_relaxed);
}

void complete(Request& request, Error error) {
  if (BATON_UNLIKELY(mark_complete(request, error))) release_given_up(request);
}

bool give_up(Request& request) {
  return mark(request, freed) & completed;
}

void fill_status(const Request& request, MPI_Status* status) {
  if (!status) return;
  set_status_empty(*status);
  set_status_cancelled(*status, request.cancelled);
  if (request.kind == RequestKind::schedule) set_status_bytes(*status, request.bytes);
  if (request.kind != RequestKind::receive && request.kind != RequestKind::partitioned_receive)
    return;
  status->MPI_SOURCE = request.source;
  status->MPI_TAG = request.tag;
  set_status_bytes(*status, request.bytes);
}

}  // namespace baton::message
