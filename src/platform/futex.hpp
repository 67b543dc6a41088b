// Sleeping and waking on a 32-bit word in shared memory, and the barriers that make it safe.
#pragma once

#include <atomic>
#include <cstdint>

namespace baton::platform {

// Sleeps while the word is `expected`, at most `timeout_us` microseconds. May return early.
void futex_wait(std::atomic<std::uint32_t>& word, std::uint32_t expected, std::int64_t timeout_us);

// Wakes every sleeper on the word.
void futex_wake(std::atomic<std::uint32_t>& word);

// Registers this process, so that other processes' membarrier reaches it. False where the kernel or
// a seccomp filter refuses: senders must then fence.
bool membarrier_register();

// Orders, on every running thread of every registered process, all earlier accesses before all
// later ones. About 20 us against a running peer.
void membarrier_all();

// Orders all earlier accesses of this thread before all later ones, stores before loads included.
// ThreadSanitizer does not know fences: there it is an exchange, a fence on x86-64, on a word of
// our own, which orders nothing between threads that TSan would then take for synchronization.
inline void full_fence() {
#ifndef __SANITIZE_THREAD__
  std::atomic_thread_fence(std::memory_order_seq_cst);
#else
  std::atomic<int> own{0};
  own.exchange(1, std::memory_order_acq_rel);
#endif
}

// Gives the CPU to another runnable thread.
void yield_cpu();
// For about so long, at least.
void sleep_us(unsigned us);

// A pause of a spinning thread.
inline void pause_cpu() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("isb" ::: "memory");
#endif
}

}  // namespace baton::platform
