#include "window/synchronize.hpp"

#include <utility>

#include "collective/form.hpp"
#include "message/engine.hpp"
#include "window/batch.hpp"
#include "window/remote.hpp"

namespace baton::window {

namespace {

Error wrong_epoch(const char* what) {
  return fail(MPI_ERR_RMA_SYNC, "%s", what);
}

const char* name_of(Epoch epoch) {
  switch (epoch) {
    case Epoch::none:
      break;
    case Epoch::fence:
      return "operations since the last MPI_Win_fence await the next one";
    case Epoch::started:
      return "an epoch of MPI_Win_start is open; MPI_Win_complete ends it";
    case Epoch::locked:
      return "targets are locked; MPI_Win_unlock ends that";
    case Epoch::locked_all:
      return "an epoch of MPI_Win_lock_all is open; MPI_Win_unlock_all ends it";
  }
  return "no epoch is open";
}

// A fence opens an epoch only where operations follow it.
bool is_free(const Window& window) {
  return window.epoch == Epoch::none || (window.epoch == Epoch::fence && !window.all_open);
}

Error refuse(Epoch open) {
  return fail(MPI_ERR_RMA_SYNC, "%s first", name_of(open));
}

Error check_assertion(int assertion, int allowed) {
  if (BATON_LIKELY(!(assertion & ~allowed))) return MPI_SUCCESS;
  return fail(MPI_ERR_ASSERT,
              "argument assert: %#x has bits that mean nothing here; 0 always holds",
              static_cast<unsigned>(assertion & ~allowed));
}

lockfree::WindowRowLayout layout_of(const Window& window) {
  return lockfree::WindowRowLayout(static_cast<std::uint32_t>(window.ranks()));
}

SharedWord* waiters_at(const Window& window, Row& row) {
  return words_at(row, layout_of(window).waiters);
}

void note_first(Error& error, Error next) {
  if (!error) error = next;
}

// Until all operations that this rank has begun are done, at all targets.
Error finish_all(Window& window) {
  Error error = finish_batch(window);
  note_first(error, flush_all_remotely(window));
  return error;
}

// What we stored is there before anything that we do next, loads included.
void settle(Window& window) {
  // relaxed: each thread that stored has set it itself.
  if (!platform::load_shared(window.dirty)) return;
  lockfree::Hardware::full_fence();
  std::atomic_ref(window.dirty).store(false, std::memory_order_relaxed);
}

// Waits for the lock that `hold` of the target says it is to have, then opens it. Where that fails
// nothing is held. (relaxed: ordered by `open`.)
Error take_lock(Window& window, Target& target) {
  const bool exclusive = target.hold == Hold::exclusive;
  Error error = MPI_SUCCESS;
  if (target.hold == Hold::unchecked) {
  } else if (!target.row) {
    error = lock_remotely(window, target, exclusive);
  } else {
    target.number = take_turn(window, target, waiters_at(window, *target.row), exclusive);
  }
  if (error) std::atomic_ref(target.hold).store(Hold::none, std::memory_order_relaxed);
  // ORDER window.open: release here, acquire in open_target; the lock is ours, or it is not.
  std::atomic_ref(target.open).store(error == MPI_SUCCESS, std::memory_order_release);
  if (platform::threads_multiple) message::announce_completion();
  return error;
}

Error let_go_of(Window& window, Target& target) {
  settle(window);
  const bool exclusive = target.hold == Hold::exclusive, held = target.hold != Hold::unchecked;
  Error error = finish_batch(window);
  if (held && !target.row)
    note_first(error, unlock_remotely(window, target, exclusive));
  else
    note_first(error, flush_remotely(window, target));
  if (held && target.row)
    give_turn(window, target.row->lock, waiters_at(window, *target.row), target.number, exclusive);
  target.hold = Hold::none;
  target.open = false;
  return error;
}

Error rank_in(const Window& window, const Group& group, std::int32_t i, int* rank) {
  *rank = window.comm->local->rank_of(group.processes[i]);
  if (*rank != MPI_UNDEFINED) return MPI_SUCCESS;
  return fail(MPI_ERR_GROUP, "argument 1 (group): its rank %d is not in the window's group", i);
}

SharedWord& post_word(const Window& window, Row& row, int rank) {
  return words_at(row, layout_of(window).posted)[rank];
}

void begin_exposure(Window& window, Group& group) {
  window.exposed = true;
  window.exposed_to = &group;
  world::retain(group);
  window.completes_expected += static_cast<std::uint32_t>(group.size);
}
void end_exposure(Window& window) {
  window.exposed = false;
  world::release(*std::exchange(window.exposed_to, nullptr));
}

void add_post(SharedWord& word) {
  // ORDER window.post: release here, acquire in start; our stores to our memory are visible.
  // (relaxed load: nobody else writes this word.)
  word.store(word.load(std::memory_order_relaxed) + 1, std::memory_order_release);
}

// A program that calls nothing but this, again and again, awaits what others do to its memory.
void serve(const Window& window) {
  if (BATON_UNLIKELY(window.serves)) (void)message::progress();
}

bool is_passive(const Window& window, const Target& target) {
  return target.hold != Hold::none || window.epoch == Epoch::locked_all;
}

Error check_passive(const Window& window, const Target& target, int rank) {
  if (BATON_LIKELY(is_passive(window, target))) return MPI_SUCCESS;
  return fail(MPI_ERR_RMA_SYNC,
              "rank %d of the window is not locked; a flush needs MPI_Win_lock or MPI_Win_lock_all",
              rank);
}

}  // namespace

Error meet(Window& window) {
  return collective::run_now(
      [&] { return collective::Call{collective::Kind::barrier, window.comm, 0, {}, {}, nullptr}; });
}

Error check_closed(const Window& window) {
  if (!is_free(window)) return refuse(window.epoch);
  if (window.exposed)
    return wrong_epoch("an exposure epoch of MPI_Win_post is open; MPI_Win_wait ends it first");
  return MPI_SUCCESS;
}

static Error refuse_access(const Window& window, int rank) {
  if (window.epoch == Epoch::none)
    return fail(MPI_ERR_RMA_SYNC,
                "no access epoch is open; MPI_Win_lock, MPI_Win_lock_all, MPI_Win_fence or "
                "MPI_Win_start opens one");
  return fail(MPI_ERR_RMA_SYNC,
              "the open access epoch does not reach rank %d of the window; it was not named in the "
              "group of MPI_Win_start, or is not locked",
              rank);
}

Error open_target(Window& window, Target& target) {
  const int rank = window.rank_of(target);
  bool another = false;
  {
    platform::Guard guard(window.epoch_lock);
    if (target.open || window.all_open) return MPI_SUCCESS;
    if (window.epoch == Epoch::fence) {
      window.all_open = true;
      return MPI_SUCCESS;
    }
    if (window.epoch != Epoch::locked_all) return refuse_access(window, rank);
    reach(window, target);
    another = target.hold != Hold::none;  // a thread is at it
    if (!another) {
      target.hold = window.all_unchecked ? Hold::unchecked : Hold::shared;
      window.accessed[window.accessed_count++] = rank;
    }
  }
  if (!another) return take_lock(window, target);
  const WindowWait wait{WindowWait::Kind::thread, window, target};
  message::wait_until(
      [&] {
        // ORDER window.open: acquire here, release in take_lock.
        return std::atomic_ref(target.open).load(std::memory_order_acquire) ||
               platform::load_shared(target.hold) == Hold::none;
      },
      [&] { return subject_of(wait); });
  if (platform::load_shared(target.open)) return MPI_SUCCESS;
  return fail(MPI_ERR_OTHER,
              "rank %d of the window could not be locked, as another thread has told", rank);
}

Error fence(Window& window, int assertion) {
  constexpr int allowed =
      MPI_MODE_NOSTORE | MPI_MODE_NOPUT | MPI_MODE_NOPRECEDE | MPI_MODE_NOSUCCEED;
  if (Error error = check_assertion(assertion, allowed)) return error;
  if (window.epoch != Epoch::none && window.epoch != Epoch::fence) return refuse(window.epoch);
  if (window.exposed)
    return wrong_epoch("an exposure epoch of MPI_Win_post is open; MPI_Win_wait ends it first");
  settle(window);
  Error refusal = finish_all(window);
  const Explanation why = last_explanation();
  window.all_open = false;
  window.epoch = assertion & MPI_MODE_NOSUCCEED ? Epoch::none : Epoch::fence;
  // Also where this rank has failed: the others are not left alone.
  Error error = meet(window);
  if (refusal) last_explanation() = why;
  return refusal ? refusal : error;
}

Error post(Window& window, Group& group, int assertion) {
  constexpr int allowed = MPI_MODE_NOCHECK | MPI_MODE_NOSTORE | MPI_MODE_NOPUT;
  if (Error error = check_assertion(assertion, allowed)) return error;
  if (window.exposed)
    return wrong_epoch("an exposure epoch is open already; MPI_Win_wait ends it first");
  for (std::int32_t i = 0; i < group.size; ++i) {
    int rank;
    if (Error error = rank_in(window, group, i, &rank)) return error;
    reach(window, window.targets[rank]);
  }
  begin_exposure(window, group);
  if (assertion & MPI_MODE_NOCHECK) return MPI_SUCCESS;
  for (std::int32_t i = 0; i < group.size; ++i) {
    Target& origin = window.targets[window.comm->local->rank_of(group.processes[i])];
    if (!origin.row) {
      post_remotely(window, origin);
      continue;
    }
    add_post(post_word(window, *origin.row, window.rank()));
    message::wake_rank(origin.process);
  }
  return MPI_SUCCESS;
}

Error start(Window& window, const Group& group, int assertion) {
  if (Error error = check_assertion(assertion, MPI_MODE_NOCHECK)) return error;
  if (!is_free(window)) return refuse(window.epoch);
  for (std::int32_t i = 0; i < group.size; ++i) {
    if (Error error = rank_in(window, group, i, &window.accessed[i])) return error;
    reach(window, window.targets[window.accessed[i]]);
  }
  window.epoch = Epoch::started;
  window.accessed_count = group.size;
  for (std::int32_t i = 0; i < group.size; ++i) {
    Target& target = window.targets[window.accessed[i]];
    target.open = true;
    if (assertion & MPI_MODE_NOCHECK) continue;
    const SharedWord& word = post_word(window, *window.row, window.accessed[i]);
    // ORDER window.post: acquire here, release in post.
    wait_at_memory(
        [&] { return word.load(std::memory_order_acquire) != target.posts_seen; },
        WindowWait{WindowWait::Kind::posts, window, target, static_cast<std::uint32_t>(i)});
    ++target.posts_seen;
  }
  return MPI_SUCCESS;
}

Error complete(Window& window) {
  if (window.epoch != Epoch::started) return wrong_epoch("no epoch of MPI_Win_start is open");
  const Error error = finish_all(window);
  for (std::int32_t i = 0; i < window.accessed_count; ++i) {
    Target& target = window.targets[window.accessed[i]];
    target.open = false;
    if (!target.row) {
      complete_remotely(window, target);
      continue;
    }
    // ORDER window.complete: release here, acquire in wait; our operations are visible.
    const std::uint32_t number =
        target.row->epochs.completed.fetch_add(1, std::memory_order_release);
    message::wake_rank(target.process);
    write_name(target.row->epochs.completers, number, static_cast<std::uint32_t>(window.rank()));
  }
  window.epoch = Epoch::none;
  window.accessed_count = 0;
  return error;
}

void note_post(Window& window, int rank) {
  add_post(post_word(window, *window.row, rank));
}

void note_complete(Window& window, int rank) {
  auto& epochs = window.row->epochs;
  // ORDER window.complete: release here, acquire in wait.
  const std::uint32_t number = epochs.completed.fetch_add(1, std::memory_order_release);
  write_name(epochs.completers, number, static_cast<std::uint32_t>(rank));
}

static bool all_completed(const Window& window) {
  // ORDER window.complete: acquire here, release in complete.
  return window.row->epochs.completed.load(std::memory_order_acquire) == window.completes_expected;
}

Error wait(Window& window) {
  if (!window.exposed) return wrong_epoch("no exposure epoch of MPI_Win_post is open");
  wait_at_memory([&] { return all_completed(window); },
                 WindowWait{WindowWait::Kind::completes, window, window.own()});
  end_exposure(window);
  return MPI_SUCCESS;
}

Error test(Window& window, int* flag) {
  if (!window.exposed) return wrong_epoch("no exposure epoch of MPI_Win_post is open");
  *flag = all_completed(window);
  if (!*flag) (void)message::progress();
  if (*flag) end_exposure(window);
  return MPI_SUCCESS;
}

Error lock(Window& window, int type, int rank, int assertion) {
  if (type != MPI_LOCK_EXCLUSIVE && type != MPI_LOCK_SHARED)
    return fail(MPI_ERR_LOCKTYPE,
                "argument 1 (lock_type): %d is neither MPI_LOCK_EXCLUSIVE nor MPI_LOCK_SHARED",
                type);
  if (Error error = check_assertion(assertion, MPI_MODE_NOCHECK)) return error;
  if (window.hints.no_locks)
    return wrong_epoch("the window was made with the info no_locks=true: no locks are used");
  if (rank == MPI_PROC_NULL) return MPI_SUCCESS;
  Target& target = window.targets[rank];
  {
    platform::Guard guard(window.epoch_lock);
    if (window.epoch != Epoch::locked && !is_free(window)) return refuse(window.epoch);
    if (target.hold != Hold::none)
      return fail(MPI_ERR_RMA_SYNC, "rank %d of the window is locked by this rank already", rank);
    target.hold = type == MPI_LOCK_EXCLUSIVE ? Hold::exclusive : Hold::shared;
    if (assertion & MPI_MODE_NOCHECK) target.hold = Hold::unchecked;
    window.epoch = Epoch::locked;
    ++window.locks;
  }
  reach(window, target);
  const Error error = take_lock(window, target);
  if (!error) return MPI_SUCCESS;
  platform::Guard guard(window.epoch_lock);
  if (--window.locks == 0) window.epoch = Epoch::none;
  return error;
}

Error unlock(Window& window, int rank) {
  if (rank == MPI_PROC_NULL) return MPI_SUCCESS;
  Target& target = window.targets[rank];
  if (window.epoch != Epoch::locked || target.hold == Hold::none)
    return fail(MPI_ERR_RMA_SYNC, "rank %d of the window is not locked by MPI_Win_lock", rank);
  serve(window);
  const Error error = let_go_of(window, target);
  platform::Guard guard(window.epoch_lock);
  if (--window.locks == 0) window.epoch = Epoch::none;
  return error;
}

// Each target is locked when it is first accessed: the standard lets a lock wait until then, and
// most epochs of many ranks access few.
Error lock_all(Window& window, int assertion) {
  if (Error error = check_assertion(assertion, MPI_MODE_NOCHECK)) return error;
  if (window.hints.no_locks)
    return wrong_epoch("the window was made with the info no_locks=true: no locks are used");
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

// Operations on memory that we reach are over when they return; what is left is that their stores
// are seen before what follows.
Error flush(Window& window, int rank) {
  if (rank == MPI_PROC_NULL) return MPI_SUCCESS;
  Target& target = window.targets[rank];
  if (Error error = check_passive(window, target, rank)) return error;
  settle(window);
  Error error = finish_batch(window);
  serve(window);
  note_first(error, flush_remotely(window, target));
  return error;
}

static Error check_any_passive(const Window& window) {
  if (window.epoch == Epoch::locked || window.epoch == Epoch::locked_all) return MPI_SUCCESS;
  return wrong_epoch("no target is locked; a flush needs MPI_Win_lock or MPI_Win_lock_all");
}

Error flush_all(Window& window) {
  if (Error error = check_any_passive(window)) return error;
  settle(window);
  serve(window);
  return finish_all(window);
}

// Nothing reads or writes this rank's buffers any more for what it has begun.
Error finish_locally(Window& window) {
  Error error = finish_batch(window);
  note_first(error, finish_transfers(window, nullptr));
  return error;
}

Error flush_local(Window& window, int rank) {
  serve(window);
  if (rank == MPI_PROC_NULL) return MPI_SUCCESS;
  if (Error error = check_passive(window, window.targets[rank], rank)) return error;
  return finish_locally(window);
}

Error flush_local_all(Window& window) {
  serve(window);
  if (Error error = check_any_passive(window)) return error;
  return finish_locally(window);
}

Error sync(Window& window) {
  serve(window);
  lockfree::Hardware::full_fence();
  return MPI_SUCCESS;
}

}  // namespace baton::window
