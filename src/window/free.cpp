// A window is freed when all ranks that live have come to that, and nobody uses its memory any
// more.
#include "window/free.hpp"

#include "base/failure_class.hpp"
#include "message/core/loss.hpp"
#include "transport/node.hpp"
#include "window/remote.hpp"
#include "window/synchronize.hpp"
#include "window/transfer_target.hpp"
#include "window/window.hpp"
#include "world/failure/recovery.hpp"

namespace baton::window {

namespace {

// Waits until all ranks that live free the window. After this no other rank uses our memory any
// more. A rank that has revoked the window does not meet the others, so that all agree.
Error meet_to_free(Window& window) {
  if (BATON_LIKELY(!transport::job().continues) && !message::revoked(window.comm)) {
    const Error error = meet(window);
    if (error != error_revoked) return error;
  }
  int flag = 1;
  const Error error = world::agree(*window.comm, &flag);
  return error == error_process_failed ? Error{MPI_SUCCESS} : error;
}

}  // namespace

Error free_window(Window& window) {
  if (!message::is_impaired(window.comm)) {
    if (Error error = check_closed(window)) return error;
  } else {
    // Epochs with a rank that is lost do not end; what is under way there fails, all else ends.
    (void)finish_locally(window);
  }
  if (Error error = delete_attributes(window.attributes, window.handle)) return error;
  if (Error error = meet_to_free(window)) return error;
  await_accepted(window);
  dispose(window);
  return MPI_SUCCESS;
}

}  // namespace baton::window
