// What a rank that waits long in a procedure on windows says of it on the status board: whose lock,
// elements, posts, completes or answers it waits for (message/core/wait_report.hpp). Made where it
// waits; put into words on cold paths only.
#pragma once

#include "message/core/wait_report.hpp"
#include "window/window.hpp"

namespace baton::window {

struct WindowWait {
  enum class Kind : std::uint8_t {
    turn,         // `number`, at the lock of `target`
    elements,     // the same at the lock of its elements
    changes,      // of its elements, by the rank `number`
    remote_lock,  // the same by messages
    answer,       // of `target`, which carries out what we have sent
    thread,       // of this rank, which locks `target`
    posts,        // of the group of MPI_Win_start, from its rank `number` on
    completes,    // of the group of MPI_Win_post; `target` is this rank
  };
  Kind kind;
  const Window& window;
  const Target& target;
  std::uint32_t number = 0;
};

void describe_wait(const void* wait, lockfree::WaitDescription& description);

// `wait` lasts as long as what is made of it is used.
inline message::WaitSubject subject_of(const WindowWait& wait) {
  message::WaitSubject subject;
  subject.kind = message::WaitSubject::Kind::own;
  subject.object = &wait;
  subject.describe = describe_wait;
  return subject;
}

// The window's communicator has its name, in words, where its collective calls are told.
void name_communicator(Window& window);

}  // namespace baton::window
