// This lock spins a little, then sleeps. It is taken only when the program asked for
// MPI_THREAD_MULTIPLE; otherwise a guard costs one branch.
#pragma once

#include <atomic>
#include <cstdint>
#include <type_traits>

#include "base/cache_line.hpp"

namespace baton::platform {

// This is true once the program runs with MPI_THREAD_MULTIPLE. It is set when the program asks for
// that, and never reset.
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
  // Returns whether somebody holds the lock now. It is only a hint.
  bool is_held() const {
    // relaxed: the caller decides by try_lock.
    return word_.load(std::memory_order_relaxed) != 0;
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

// Adds to a word that several threads change. The addition is atomic only if threads_multiple.
// Returns the new value.
template <class Word>
BATON_INLINE Word add_shared(Word& word, Word change) {
  // relaxed: such words count pending work; the work itself is published by its lock.
  if (BATON_UNLIKELY(threads_multiple))
    return std::atomic_ref<Word>(word).fetch_add(change, std::memory_order_relaxed) + change;
  return word += change;
}
// Reads such a word, or a flag that another thread may be changing.
template <class Word>
BATON_INLINE Word load_shared(const Word& word) {
  // relaxed: as in the addition above.
  return std::atomic_ref<Word>(const_cast<Word&>(word)).load(std::memory_order_relaxed);
}

// Writes such a word, where only one thread at a time does.
template <class Word>
BATON_INLINE void store_shared(Word& word, std::type_identity_t<Word> value) {
  // relaxed: as in the addition above.
  std::atomic_ref<Word>(word).store(value, std::memory_order_relaxed);
}

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
