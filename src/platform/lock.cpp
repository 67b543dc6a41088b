#include "platform/lock.hpp"

#include "platform/futex.hpp"

namespace baton::platform {

bool threads_multiple = false;

void Lock::lock_slow() {
  constexpr int spins = 100;  // guess
  for (int i = 0; i < spins; ++i) {
    pause_cpu();
    if (try_lock()) return;
  }
  constexpr std::int64_t bound_us = 100000;
  // ORDER lock.word: acquire here, release in unlock.
  while (word_.exchange(contended, std::memory_order_acquire) != 0)
    futex_wait(word_, contended, bound_us);
}

void Lock::wake_one() {
  futex_wake(word_);
}

}  // namespace baton::platform
