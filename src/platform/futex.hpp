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

// Gives the CPU to another runnable thread.
void yield_cpu();

// A pause of a spinning thread.
inline void pause_cpu() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("isb" ::: "memory");
#endif
}

}  // namespace baton::platform
