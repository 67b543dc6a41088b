// These functions tell ThreadSanitizer what it cannot see. It sees one process, and not the order
// that goes through another: what a thread does before it sends to a peer comes before what any
// thread does with the peer's answer. Without the sanitizer they are empty.
// A message that is no answer is taken for one, too, so some races stay hidden.
#pragma once

#ifdef __SANITIZE_THREAD__
extern "C" void __tsan_release(void* address);
extern "C" void __tsan_acquire(void* address);
#endif

namespace baton::platform {

// The caller is about to send something to a peer that this object stands for. Any thread.
inline void sends_to([[maybe_unused]] const void* peer) {
#ifdef __SANITIZE_THREAD__
  __tsan_release(const_cast<void*>(peer));
#endif
}

// The caller has received something from the peer.
inline void hears_from([[maybe_unused]] const void* peer) {
#ifdef __SANITIZE_THREAD__
  __tsan_acquire(const_cast<void*>(peer));
#endif
}

}  // namespace baton::platform
