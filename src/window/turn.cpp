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
  // The looks stay behind the store that lets go, as in message::notify.
  lockfree::Hardware::compiler_fence();
  if (message::engine.senders_fence) lockfree::Hardware::full_fence();
  if (BATON_LIKELY(!is_taken(lock, number))) return;
  // relaxed: a sleeper orders its name before its last look (membarrier or fence).
  const std::uint32_t name = waiter(window, waiters, number).load(std::memory_order_relaxed);
  if (name != 0) message::wake_rank(window.targets[name - 1].process);
}

void leave_name(Window& window, SharedWord* waiters, std::uint32_t number) {
  // relaxed: as in wake.
  waiter(window, waiters, number)
      .store(static_cast<std::uint32_t>(window.rank()) + 1, std::memory_order_relaxed);
}

SharedWord* own_waiters(Window& window) {
  const lockfree::WindowRowLayout layout(static_cast<std::uint32_t>(window.ranks()));
  return words_at(*window.row, layout.waiters);
}

}  // namespace

std::uint32_t take_turn(Window& window, Target& target, SharedWord* waiters, bool writes) {
  Lock& lock = target.row->lock;
  const std::uint32_t number = take_number(lock);
  write_name(lock.takers, number, static_cast<std::uint32_t>(window.rank()), writes);
  if (BATON_UNLIKELY(!is_served(lock, number, writes))) {
    leave_name(window, waiters, number);
    wait_at_memory([&] { return is_served(lock, number, writes); },
                   WindowWait{WindowWait::Kind::turn, window, target, number});
  }
  if (writes) return number;
  let_readers_in(lock, number);
  wake(window, lock, waiters, number + 1);
  return number;
}

bool try_turn(Window& window, std::uint32_t number, bool writes) {
  Lock& lock = window.row->lock;
  if (!is_served(lock, number, writes)) return false;
  if (writes) return true;
  let_readers_in(lock, number);
  wake(window, lock, own_waiters(window), number + 1);
  return true;
}

void name_waiter(Window& window, std::uint32_t number) {
  leave_name(window, own_waiters(window), number);
}

void give_own_turn(Window& window, std::uint32_t number, bool writes) {
  give_turn(window, window.row->lock, own_waiters(window), number, writes);
}

void give_turn(Window& window, Lock& lock, SharedWord* waiters, std::uint32_t number, bool writes) {
  wake(window, lock, waiters, let_go(lock, number, writes));
}

}  // namespace baton::window
