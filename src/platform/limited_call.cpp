#include "platform/limited_call.hpp"

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <new>

#include "platform/futex.hpp"
#include "platform/stream.hpp"
#include "platform/thread.hpp"

namespace baton::platform {

namespace {

// Caller and thread share this; the last that leaves it frees it.
struct Call {
  void (*body)(void*);
  void* argument;
  std::atomic<std::uint32_t> returned{0};
  std::atomic<int> users{2};
};

void leave(Call* call) {
  // ORDER call.users: release by each, acquire by the last; nobody reads the call any more.
  if (call->users.fetch_sub(1, std::memory_order_acq_rel) == 1) delete call;
}

void* run(void* argument) {
  auto* call = static_cast<Call*>(argument);
  call->body(call->argument);
  // ORDER call.returned: release here, acquire in call_within; the results are written.
  call->returned.store(1, std::memory_order_release);
  futex_wake(call->returned);
  leave(call);
  return nullptr;
}

}  // namespace

bool call_within(int limit_ms, void (*body)(void*), void* argument) {
  Call* call = new (std::nothrow) Call{body, argument};
  if (!call) {
    errno = ENOMEM;
    return false;
  }
  pthread_t thread;
  if (int error = start_thread(thread, "baton-call", run, call)) {
    delete call;
    errno = error;
    return false;
  }
  const std::int64_t deadline = now_ms() + limit_ms;
  bool returned;
  for (;;) {
    // ORDER call.returned: acquire here, release in run; the results are written.
    returned = call->returned.load(std::memory_order_acquire) != 0;
    const std::int64_t left = deadline - now_ms();
    if (returned || left <= 0) break;
    futex_wait(call->returned, 0, left * 1000);
  }
  if (returned)
    join_thread(thread);
  else
    pthread_detach(thread);
  leave(call);
  if (!returned) errno = ETIMEDOUT;
  return returned;
}

}  // namespace baton::platform
