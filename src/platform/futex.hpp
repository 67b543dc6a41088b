// These functions sleep and wake on a 32-bit word in shared memory, and have the barriers that make
// that safe.
#pragma once

#include <atomic>
#include <cstdint>

namespace baton::platform {

// Sleeps while the word is `expected`, at most `timeout_us` microseconds. It may return early.
void futex_wait(std::atomic<std::uint32_t>& word, std::uint32_t expected, std::int64_t timeout_us);

// Wakes every sleeper on the word.
void futex_wake(std::atomic<std::uint32_t>& word);

// Registers this process, so that other processes' membarrier reaches it. False where the kernel or
// a seccomp filter refuses: senders must then fence.
bool membarrier_register();

// Orders, on every running thread of every registered process, all earlier accesses before all
// later ones. It takes about 20 us against a running peer.
void membarrier_all();

// Orders all earlier accesses of this thread before all later ones, stores before loads included.
// ThreadSanitizer does not know fences. Under it this is an exchange (a fence on x86-64) on a word
// of the calling thread, so that TSan sees no synchronization between threads in it.
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
// Sleeps at least this many microseconds.
void sleep_us(unsigned us);

// Pauses a spinning thread.
inline void pause_cpu() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("isb" ::: "memory");
#endif
}

}  // namespace baton::platform
