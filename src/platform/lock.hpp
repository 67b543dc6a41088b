// The lock of section "Threads": spin a little, then sleep. Taken only when the program asked for
// MPI_THREAD_MULTIPLE; otherwise a guard costs one branch.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/cache_line.hpp"

namespace baton::platform {

// True once the program runs with MPI_THREAD_MULTIPLE. Set at initialisation, never later.
extern bool threads_multiple;

class Lock {
 public:
  bool try_lock() {
    std::uint32_t expected = 0;
    // ORDER lock.word: acquire here, release in unlock.
    return word_.compare_exchange_strong(expected, 1, std::memory_order_acquire,
                                         std::memory_order_relaxed);
  }
  void lock() {
    if (BATON_UNLIKELY(!try_lock())) lock_slow();
  }
  void unlock() {
    // ORDER lock.word: release here, acquire in try_lock.
    if (BATON_UNLIKELY(word_.exchange(0, std::memory_order_release) == contended)) wake_one();
  }

 private:
  static constexpr std::uint32_t contended = 2;
  BATON_COLD void lock_slow();
  BATON_COLD void wake_one();

  std::atomic<std::uint32_t> word_{0};
};

// Holds the lock for a scope, if threads need it.
class Guard {
 public:
  explicit Guard(Lock& lock) : lock_(BATON_UNLIKELY(threads_multiple) ? &lock : nullptr) {
    if (lock_) lock_->lock();
  }
  ~Guard() {
    if (BATON_UNLIKELY(lock_ != nullptr)) lock_->unlock();
  }
  Guard(const Guard&) = delete;
  Guard& operator=(const Guard&) = delete;

 private:
  Lock* lock_;
};

}  // namespace baton::platform
