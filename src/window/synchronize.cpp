// Fences, exposure and access epochs of groups, and flushes. Locks are in lock.cpp.
#include "window/synchronize.hpp"

#include <utility>

#include "collective/form.hpp"
#include "message/core/engine.hpp"
#include "message/core/notify.hpp"
#include "message/core/progress.hpp"
#include "window/epoch.hpp"
#include "window/transfer_target.hpp"

namespace baton::window {

namespace {

lockfree::WindowRowLayout layout_of(const Window& window) {
  return lockfree::WindowRowLayout(static_cast<std::uint32_t>(window.ranks()));
}

// Waits until all operations that this rank has begun are done, at all targets.
Error finish_all(Window& window) {
  Error error = finish_batch(window);
  if (BATON_UNLIKELY(platform::load_shared(window.sends)))
    note_first(error, flush_all_remotely(window));
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

bool is_passive(const Window& window, const Target& target) {
  return platform::load_shared(target.hold) != Hold::none || window.epoch == Epoch::locked_all;
}

BATON_COLD Error not_passive(int rank) {
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
  // A rank that has failed still meets the others, so that they do not wait for ever.
  Error error = meet(window);
  await_accepted(window);
  if (refusal) last_explanation() = why;
  return refusal ? refusal : error;
}

Error post(Window& window, Group& group, int assertion) {
  constexpr int allowed = MPI_MODE_NOCHECK | MPI_MODE_NOSTORE | MPI_MODE_NOPUT;
  if (Error error = check_assertion(assertion, allowed)) return error;
  if (Error error = message::revoked(window.comm)) return error;
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
      tell_remotely(window, origin, RemoteKind::post);
      continue;
    }
    add_post(post_word(window, *origin.row, window.rank()));
    message::wake_rank(origin.process);
  }
  return MPI_SUCCESS;
}

Error start(Window& window, const Group& group, int assertion) {
  if (Error error = check_assertion(assertion, MPI_MODE_NOCHECK)) return error;
  if (Error error = message::revoked(window.comm)) return error;
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
    if (Error error = wait_at_memory(
            [&] { return word.load(std::memory_order_acquire) != target.posts_seen; },
            WindowWait{WindowWait::Kind::posts, window, target, static_cast<std::uint32_t>(i)}))
      return error;
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
      tell_remotely(window, target, RemoteKind::complete);
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
  const Error error = wait_at_memory([&] { return all_completed(window); },
                                     WindowWait{WindowWait::Kind::completes, window, window.own()});
  await_accepted(window);
  end_exposure(window);
  return error;
}

Error test(Window& window, int* flag) {
  if (!window.exposed) return wrong_epoch("no exposure epoch of MPI_Win_post is open");
  *flag = all_completed(window) && are_accepted_over(window);
  if (!*flag) (void)message::progress();
  const Error error = *flag ? Error{MPI_SUCCESS} : message::broken(window.comm);
  // Transfers that others have announced are over before the epoch is, as in `wait`.
  if (error) await_accepted(window);
  if (*flag || error) end_exposure(window);
  return error;
}

// Operations on memory that this rank reaches are over when they return; what is left is to make
// their stores visible before what follows.
Error flush(Window& window, int rank) {
  if (rank == MPI_PROC_NULL) return MPI_SUCCESS;
  Target& target = window.targets[rank];
  if (BATON_UNLIKELY(!is_passive(window, target))) return not_passive(rank);
  settle(window);
  serve(window);
  return finish_at(window, target);
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

// Waits until nothing reads or writes this rank's buffers any more for the operations that it has
// begun.
Error finish_locally(Window& window) {
  Error error = finish_batch(window);
  if (BATON_UNLIKELY(platform::load_shared(window.sends)))
    note_first(error, finish_transfers(window, nullptr));
  return error;
}

Error flush_local(Window& window, int rank) {
  serve(window);
  if (rank == MPI_PROC_NULL) return MPI_SUCCESS;
  if (BATON_UNLIKELY(!is_passive(window, window.targets[rank]))) return not_passive(rank);
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
