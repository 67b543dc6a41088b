// This is the synchronization of windows: fences, exposure epochs of post and wait, access epochs
// of start and complete, locks, flushes (MPI 5.0, "Synchronization Calls"). It is called by api/,
// which has checked ranks. On a node all synchronization goes by words in the window's rows, so
// that a target need not call MPI. Errors: MPI_ERR_RMA_SYNC for epochs that do not fit, explained.
#pragma once

#include "message/core/engine.hpp"
#include "message/core/loss.hpp"
#include "message/core/wait.hpp"
#include "window/describe_wait.hpp"
#include "window/window.hpp"

namespace baton::window {

Error fence(Window& window, int assertion);
Error post(Window& window, Group& group, int assertion);
Error start(Window& window, const Group& group, int assertion);
Error complete(Window& window);
Error wait(Window& window);
Error test(Window& window, int* flag);
Error lock(Window& window, int type, int rank, int assertion);
Error unlock(Window& window, int rank);
Error lock_all(Window& window, int assertion);
Error unlock_all(Window& window);
Error flush(Window& window, int rank);
Error flush_all(Window& window);
Error flush_local(Window& window, int rank);
Error flush_local_all(Window& window);
Error sync(Window& window);

// Every end of an epoch, a flush or a request-based operation needs at least this.
[[nodiscard]] Error finish_locally(Window& window);
// Returns when all ranks of the window have called it.
[[nodiscard]] Error meet(Window& window);
// Checks that no epoch is open.
[[nodiscard]] Error check_closed(const Window& window);

// Opens an epoch to a target that the window's own epoch has not opened yet, or explains why there
// is none.
[[nodiscard]] BATON_COLD Error open_target(Window& window, Target& target);
// Checks that an operation may access the target.
inline Error check_access(Window& window, Target& target) {
  return BATON_LIKELY(is_open(window, target)) ? MPI_SUCCESS : open_target(window, target);
}

// Waits for what other ranks of the node write to memory before they wake this rank. Error: a rank
// of the window is lost, who may be the one that is waited for; explained.
template <class Done>
[[nodiscard]] Error wait_at_memory(Done&& done, const WindowWait& wait) {
  if (BATON_LIKELY(done()) || message::look_directly(done)) return MPI_SUCCESS;
  // Where ranks are on other nodes, too, the wait may be for their messages.
  const bool alone = !platform::threads_multiple && !message::is_on_network();
  if (alone) message::engine.watches_memory = true;
  Error error = MPI_SUCCESS;
  message::wait_until([&] { return done() || (error = message::broken(wait.window.comm)); },
                      [&] { return subject_of(wait); });
  if (alone) message::engine.watches_memory = false;
  return done() ? MPI_SUCCESS : error;
}

// These serve ranks on other nodes, in our progress: a number at our lock is served, or given back;
// a post, or a complete, has come from there.
bool try_turn(Window& window, std::uint32_t number, bool writes);
void name_waiter(Window& window, std::uint32_t number);
void give_own_turn(Window& window, std::uint32_t number, bool writes);
void note_post(Window& window, int rank);
void note_complete(Window& window, int rank);

}  // namespace baton::window
