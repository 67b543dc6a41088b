// The synchronization of windows: fences, exposure epochs of post and wait, access epochs of start
// and complete, locks, flushes (MPI 5.0, "Synchronization Calls"). Called by api/; arguments that
// are ranks were checked there. On a node all of it goes by words in the window's rows, so that a
// target need not call MPI. Errors: MPI_ERR_RMA_SYNC for epochs that do not fit, explained.
#pragma once

#include "message/core/engine.hpp"
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

// What every end of an epoch, a flush or a request form needs at least.
[[nodiscard]] Error finish_locally(Window& window);
// All ranks of the window are here.
[[nodiscard]] Error meet(Window& window);
// No epoch is open.
[[nodiscard]] Error check_closed(const Window& window);

// Opens an epoch to a target that the window's own epoch has not opened yet, or says why none is.
[[nodiscard]] BATON_COLD Error open_target(Window& window, Target& target);
// Whether an operation may go there.
inline Error check_access(Window& window, Target& target) {
  return BATON_LIKELY(window.all_open || target.open) ? MPI_SUCCESS : open_target(window, target);
}

// Waits for what other ranks of the node write to memory, and then wake us.
template <class Done>
void wait_at_memory(Done&& done, const WindowWait& wait) {
  if (BATON_LIKELY(done()) || message::look_directly(done)) return;
  // Where ranks are on other nodes, too, their messages may be what is waited for.
  const bool alone = !platform::threads_multiple && !transport::spans_nodes();
  if (alone) message::engine.watches_memory = true;
  message::wait_until(done, [&] { return subject_of(wait); });
  if (alone) message::engine.watches_memory = false;
}

// For ranks elsewhere, in our progress: a number at our lock is served, or given back; a post, or a
// complete, has come from there.
bool try_turn(Window& window, std::uint32_t number, bool writes);
void name_waiter(Window& window, std::uint32_t number);
void give_own_turn(Window& window, std::uint32_t number, bool writes);
void note_post(Window& window, int rank);
void note_complete(Window& window, int rank);

}  // namespace baton::window
