// These are locks of windows, and the access epochs that they open. A target's lock is in its row
// (lockfree/turn_lock.hpp); a rank that waits for its turn leaves its rank under its number, so
// that the rank that lets go wakes only this one. Locks of targets without a row go by messages.
// Invariant: taking and releasing an uncontended lock by one thread is a few instructions; all
// other cases are kept off that path.
#include <bit>

#include "message/core/engine.hpp"
#include "message/core/notify.hpp"
#include "message/core/wake.hpp"
#include "platform/clock.hpp"
#include "window/count.hpp"
#include "window/epoch.hpp"
#include "window/synchronize.hpp"

namespace baton::window {

namespace {

using Lock = lockfree::TurnLock<lockfree::Hardware>;

// Returns the word of the waiter with a number. At most as many numbers can wait at once as there
// are ranks.
SharedWord& waiter(Window& window, Row& row, std::uint32_t number) {
  const auto ranks = static_cast<std::uint32_t>(window.ranks());
  return words_at(row,
                  lockfree::WindowRowLayout(ranks).waiters)[number & (std::bit_ceil(ranks) - 1)];
}

BATON_COLD void wake_waiter(Window& window, Row& row, std::uint32_t number) {
  // relaxed: a sleeper orders its name before its last look (membarrier or fence).
  const std::uint32_t name = waiter(window, row, number).load(std::memory_order_relaxed);
  if (name != 0) message::wake_rank(window.targets[name - 1].process);
}

// Wakes the rank that may be served now, if it waits already; if it comes later, it will see the
// lock free.
inline void wake(Window& window, Row& row, std::uint32_t number) {
  // The loads of the waiter's name stay behind the store that lets go, as in message::notify.
  lockfree::Hardware::compiler_fence();
  if (BATON_UNLIKELY(message::engine.senders_fence)) lockfree::Hardware::full_fence();
  if (BATON_UNLIKELY(is_taken(row.lock, number))) wake_waiter(window, row, number);
}

void leave_name(Window& window, Row& row, std::uint32_t number) {
  // relaxed: as in wake_waiter.
  waiter(window, row, number)
      .store(static_cast<std::uint32_t>(window.rank()) + 1, std::memory_order_relaxed);
}

void let_next_readers_in(Window& window, Row& row, std::uint32_t number) {
  let_readers_in(row.lock, number);
  wake(window, row, number + 1);
}

BATON_COLD Error await_turn(Window& window, Target& target, std::uint32_t number, bool writes) {
  leave_name(window, *target.row, number);
  const bool told = tells_lock_waits(window);
  const std::int64_t begun_ns = told ? platform::now_ns() : 0;
  if (Error error = wait_at_memory([&] { return is_served(target.row->lock, number, writes); },
                                   WindowWait{WindowWait::Kind::turn, window, target, number}))
    return error;
  if (told) note_lock_wait(window, target, writes, platform::now_ns() - begun_ns);
  return MPI_SUCCESS;
}

// Takes a number, which becomes the target's, and waits until it is served.
inline Error take_turn(Window& window, Target& target, bool writes) {
  Row& row = *target.row;
  const std::uint32_t number = take_number(row.lock);
  write_name(row.lock.takers, number, static_cast<std::uint32_t>(window.rank()), writes);
  if (BATON_UNLIKELY(!is_served(row.lock, number, writes)))
    if (Error error = await_turn(window, target, number, writes)) return error;
  if (!writes) let_next_readers_in(window, row, number);
  target.number = number;
  return MPI_SUCCESS;
}

inline void give_turn(Window& window, Row& row, std::uint32_t number, bool writes) {
  wake(window, row, let_go(row.lock, number, writes));
}

// Waits for the kind of lock that the target's `hold` names, then opens the target. If that fails,
// nothing is held.
BATON_COLD Error take_any_lock(Window& window, Target& target) {
  const bool exclusive = target.hold == Hold::exclusive;
  Error error = MPI_SUCCESS;
  if (target.hold == Hold::unchecked) {
  } else if (!target.row) {
    const bool told = tells_lock_waits(window);
    const std::int64_t begun_ns = told ? platform::now_ns() : 0;
    error = lock_remotely(window, target, exclusive);
    if (told && !error) note_lock_wait(window, target, exclusive, platform::now_ns() - begun_ns);
  } else {
    error = take_turn(window, target, exclusive);
  }
  if (error) platform::store_shared(target.hold, Hold::none);
  // ORDER window.open: release here, acquire in open_target; the lock is ours, or it is not.
  std::atomic_ref(target.open).store(error == MPI_SUCCESS, std::memory_order_release);
  if (platform::threads_multiple) message::announce_completion();
  return error;
}

// Returns whether only the words of the target's row are concerned.
inline bool is_usual(const Target& target) {
  return target.row && !platform::threads_multiple && target.hold != Hold::unchecked;
}

inline Error take_lock(Window& window, Target& target) {
  if (BATON_UNLIKELY(!is_usual(target))) return take_any_lock(window, target);
  if (Error error = take_turn(window, target, target.hold == Hold::exclusive)) {
    target.hold = Hold::none;
    return error;
  }
  target.open = true;
  return MPI_SUCCESS;
}

inline Error let_go_of(Window& window, Target& target) {
  settle(window);
  Error error = MPI_SUCCESS;
  if (BATON_LIKELY(target.row && target.hold != Hold::unchecked)) {
    error = finish_at(window, target);
    give_turn(window, *target.row, target.number, target.hold == Hold::exclusive);
  } else if (target.hold == Hold::unchecked) {
    error = finish_at(window, target);
  } else {
    error = unlock_remotely(window, target, target.hold == Hold::exclusive);
  }
  target.hold = Hold::none;
  target.open = false;
  return error;
}

BATON_COLD Error refuse_access(const Window& window, int rank) {
  if (window.epoch == Epoch::none)
    return fail(MPI_ERR_RMA_SYNC,
                "no access epoch is open; MPI_Win_lock, MPI_Win_lock_all, MPI_Win_fence or "
                "MPI_Win_start opens one");
  return fail(MPI_ERR_RMA_SYNC,
              "the open access epoch does not reach rank %d of the window; it was not named in the "
              "group of MPI_Win_start, or is not locked",
              rank);
}

// Returns the error of a lock that MPI_Win_lock cannot take, and explains it.
BATON_COLD Error refuse_lock(const Window& window, const Target& target) {
  if (window.epoch != Epoch::locked && !is_free(window)) return refuse(window.epoch);
  return fail(MPI_ERR_RMA_SYNC, "rank %d of the window is locked by this rank already",
              window.rank_of(target));
}

BATON_COLD Error refuse_lock_type(int type) {
  return fail(MPI_ERR_LOCKTYPE,
              "argument 1 (lock_type): %d is neither MPI_LOCK_EXCLUSIVE nor MPI_LOCK_SHARED", type);
}

BATON_COLD Error refuse_unlock(int rank) {
  return fail(MPI_ERR_RMA_SYNC, "rank %d of the window is not locked by MPI_Win_lock", rank);
}

Error check_locks(const Window& window) {
  if (BATON_LIKELY(!window.hints.no_locks)) return message::revoked(window.comm);
  return wrong_epoch("the window was made with the info no_locks=true: no locks are used");
}

void leave_locked_epoch(Window& window) {
  platform::Guard guard(window.epoch_lock);
  if (--window.locks == 0) window.epoch = Epoch::none;
}

}  // namespace

bool try_turn(Window& window, std::uint32_t number, bool writes) {
  Row& row = *window.row;
  if (!is_served(row.lock, number, writes)) return false;
  if (!writes) let_next_readers_in(window, row, number);
  return true;
}

void name_waiter(Window& window, std::uint32_t number) {
  leave_name(window, *window.row, number);
}

void give_own_turn(Window& window, std::uint32_t number, bool writes) {
  give_turn(window, *window.row, number, writes);
}

Error open_target(Window& window, Target& target) {
  const int rank = window.rank_of(target);
  bool another = false;
  {
    platform::Guard guard(window.epoch_lock);
    if (is_open(window, target)) return MPI_SUCCESS;
    if (window.epoch == Epoch::fence) {
      platform::store_shared(window.all_open, true);
      return MPI_SUCCESS;
    }
    if (window.epoch != Epoch::locked_all) return refuse_access(window, rank);
    reach(window, target);
    another = target.hold != Hold::none;  // another thread takes this lock now
    if (!another)
      platform::store_shared(target.hold, window.all_unchecked ? Hold::unchecked : Hold::shared);
  }
  if (!another) {
    const Error error = take_any_lock(window, target);
    platform::Guard guard(window.epoch_lock);
    if (!error) window.accessed[window.accessed_count++] = rank;
    return error;
  }
  const WindowWait wait{WindowWait::Kind::thread, window, target};
  message::wait_until(
      [&] {
        // ORDER window.open: acquire here, release in take_any_lock.
        return std::atomic_ref(target.open).load(std::memory_order_acquire) ||
               platform::load_shared(target.hold) == Hold::none;
      },
      [&] { return subject_of(wait); });
  if (platform::load_shared(target.open)) return MPI_SUCCESS;
  return fail(MPI_ERR_OTHER,
              "rank %d of the window could not be locked, as another thread has told", rank);
}

Error lock(Window& window, int type, int rank, int assertion) {
  if (BATON_UNLIKELY(type != MPI_LOCK_EXCLUSIVE && type != MPI_LOCK_SHARED))
    return refuse_lock_type(type);
  if (Error error = check_assertion(assertion, MPI_MODE_NOCHECK)) return error;
  if (Error error = check_locks(window)) return error;
  if (BATON_UNLIKELY(rank == MPI_PROC_NULL)) return MPI_SUCCESS;
  Target& target = window.targets[rank];
  {
    platform::Guard guard(window.epoch_lock);
    if (BATON_UNLIKELY((window.epoch != Epoch::locked && !is_free(window)) ||
                       target.hold != Hold::none))
      return refuse_lock(window, target);
    target.hold = type == MPI_LOCK_EXCLUSIVE ? Hold::exclusive : Hold::shared;
    if (BATON_UNLIKELY(assertion & MPI_MODE_NOCHECK)) target.hold = Hold::unchecked;
    window.epoch = Epoch::locked;
    ++window.locks;
  }
  reach(window, target);
  const Error error = take_lock(window, target);
  if (BATON_UNLIKELY(error)) leave_locked_epoch(window);
  return error;
}

Error unlock(Window& window, int rank) {
  if (BATON_UNLIKELY(rank == MPI_PROC_NULL)) return MPI_SUCCESS;
  Target& target = window.targets[rank];
  if (BATON_UNLIKELY(window.epoch != Epoch::locked || target.hold == Hold::none))
    return refuse_unlock(rank);
  serve(window);
  const Error error = let_go_of(window, target);
  leave_locked_epoch(window);
  return error;
}

// Locks no target yet: each is locked when it is first accessed. The standard lets a lock wait
// until then, and most epochs over many ranks access few.
Error lock_all(Window& window, int assertion) {
  if (Error error = check_assertion(assertion, MPI_MODE_NOCHECK)) return error;
  if (Error error = check_locks(window)) return error;
  if (!is_free(window)) return refuse(window.epoch);
  window.epoch = Epoch::locked_all;
  window.all_open = false;
  window.all_unchecked = assertion & MPI_MODE_NOCHECK;
  window.accessed_count = 0;
  return MPI_SUCCESS;
}

Error unlock_all(Window& window) {
  if (window.epoch != Epoch::locked_all) return wrong_epoch("no epoch of MPI_Win_lock_all is open");
  serve(window);
  Error error = MPI_SUCCESS;
  for (std::int32_t i = 0; i < window.accessed_count; ++i) {
    Target& target = window.targets[window.accessed[i]];
    if (target.hold == Hold::none) continue;
    if (Error failed = let_go_of(window, target)) error = failed;
  }
  window.epoch = Epoch::none;
  window.accessed_count = 0;
  return error;
}

}  // namespace baton::window
