#include "platform/io_uring.hpp"

#include <cerrno>

#if __has_include(<liburing.h>)

#include <dlfcn.h>
#include <liburing.h>
#include <sched.h>

#include <new>

#include "base/check.hpp"
#include "platform/memory_file.hpp"

namespace baton::platform {

namespace {

// The functions of the library; the header has the rest.
struct Functions {
  decltype(&::io_uring_queue_init) open = nullptr;
  decltype(&::io_uring_queue_exit) close = nullptr;
  decltype(&::io_uring_get_sqe) entry = nullptr;
  decltype(&::io_uring_submit) submit = nullptr;
  decltype(&::io_uring_wait_cqes) wait = nullptr;
};
Functions functions;

template <class Function>
bool find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(::dlsym(library, name));
  return function != nullptr;
}

bool open_library() {
  if (functions.wait) return true;
  void* library = ::dlopen("liburing.so.2", RTLD_NOW | RTLD_LOCAL);
  return library && find(library, "io_uring_queue_init", functions.open) &&
         find(library, "io_uring_queue_exit", functions.close) &&
         find(library, "io_uring_get_sqe", functions.entry) &&
         find(library, "io_uring_submit", functions.submit) &&
         find(library, "io_uring_wait_cqes", functions.wait);
}

}  // namespace

int IoUring::open(unsigned reads) {
  if (!open_library()) return ENOSYS;
  auto* ring = new (std::nothrow)::io_uring;
  if (!ring) return ENOMEM;
  if (const int error = functions.open(reads, ring, 0)) {
    delete ring;
    return -error;
  }
  ring->ring_fd = ring->enter_ring_fd = move_to_high_number(ring->ring_fd);
  ring_ = ring;
  return 0;
}

void IoUring::close() {
  functions.close(ring_);
  delete ring_;
  ring_ = nullptr;
}

void IoUring::add(const QueuedRead& read) {
  io_uring_sqe* entry = functions.entry(ring_);
  BATON_INVARIANT(entry);
  io_uring_prep_read(entry, read.descriptor, read.data, read.bytes,
                     static_cast<std::uint64_t>(read.address));
  // Bytes that lie in the kernel's cache would be copied by the caller.
  io_uring_sqe_set_flags(entry, IOSQE_ASYNC);
  io_uring_sqe_set_data(entry, read.tag);
}

void IoUring::submit() {
  // The kernel is short of memory, or has completions that nobody has taken yet.
  while (functions.submit(ring_) < 0) ::sched_yield();
}

void IoUring::stop() {
  io_uring_sqe* entry = functions.entry(ring_);
  BATON_INVARIANT(entry);
  io_uring_prep_nop(entry);
  io_uring_sqe_set_data(entry, nullptr);
  submit();
}

CompletedRead IoUring::wait() {
  io_uring_cqe* completion = nullptr;
  while (functions.wait(ring_, &completion, 1, nullptr, nullptr) != 0 || !completion)
    ::sched_yield();  // a signal
  const CompletedRead done{io_uring_cqe_get_data(completion), completion->res};
  io_uring_cqe_seen(ring_, completion);
  return done;
}

}  // namespace baton::platform

#else

namespace baton::platform {

int IoUring::open(unsigned) {
  return ENOSYS;
}
void IoUring::close() {}
void IoUring::add(const QueuedRead&) {}
void IoUring::submit() {}
void IoUring::stop() {}
CompletedRead IoUring::wait() {
  return {};
}

}  // namespace baton::platform

#endif
