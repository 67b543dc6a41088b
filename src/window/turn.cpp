// Turns at the locks of a window's rows: who waits leaves its rank under its number, so that
// whoever lets go wakes it alone.
#include <bit>

#include "window/synchronize.hpp"

namespace baton::window {

namespace {

using Lock = lockfree::TurnLock<lockfree::Hardware>;

// As many numbers can wait at once as there are ranks.
SharedWord& waiter(Window& window, SharedWord* waiters, std::uint32_t number) {
  return waiters[number & (std::bit_ceil(static_cast<std::uint32_t>(window.ranks())) - 1)];
}

// Whoever may be served now, if it has come already; else it will look.
void wake(Window& window, const Lock& lock, SharedWord* waiters, std::uint32_t number) {
  if (message::engine.senders_fence) lockfree::Hardware::full_fence();
  if (BATON_LIKELY(!is_taken(lock, number))) return;
  // relaxed: a sleeper orders its name before its last look (membarrier or fence).
  const std::uint32_t name = waiter(window, waiters, number).load(std::memory_order_relaxed);
  if (name != 0) message::wake_rank(window.targets[name - 1].process);
}

}  // namespace

std::uint32_t take_turn(Window& window, Lock& lock, SharedWord* waiters, bool writes) {
  const std::uint32_t number = take_number(lock);
  if (BATON_UNLIKELY(!is_served(lock, number, writes))) {
    // relaxed: as in wake.
    waiter(window, waiters, number)
        .store(static_cast<std::uint32_t>(window.rank()) + 1, std::memory_order_relaxed);
    wait_at_memory([&] { return is_served(lock, number, writes); });
  }
  if (writes) return number;
  let_readers_in(lock, number);
  wake(window, lock, waiters, number + 1);
  return number;
}

void give_turn(Window& window, Lock& lock, SharedWord* waiters, std::uint32_t number, bool writes) {
  wake(window, lock, waiters, let_go(lock, number, writes));
}

}  // namespace baton::window
