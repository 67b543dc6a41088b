// Reports of long waits in procedures on windows, for the status board
// (message/core/wait_report.hpp): they say whose lock, elements, posts, completes or answers a rank
// waits for. A report is made where the rank waits, and put into words on cold paths only.
#pragma once

#include "message/core/wait_report.hpp"
#include "window/window.hpp"

namespace baton::window {

struct WindowWait {
  enum class Kind : std::uint8_t {
    turn,         // for `number` at the lock of `target`
    elements,     // for `number` at the lock of the target's elements
    changes,      // for the rank `number` to end atomic changes of the target's elements
    remote_lock,  // for the lock of `target`, by messages
    answer,       // for an answer of `target`, which carries out what we have sent
    thread,       // for another thread of this rank, which locks `target`
    posts,        // for the posts of the group of MPI_Win_start, from its rank `number` on
    completes,    // for the completes of the group of MPI_Win_post; `target` is this rank
  };
  Kind kind;
  const Window& window;
  const Target& target;
  std::uint32_t number = 0;
};

void describe_wait(const void* wait, lockfree::WaitDescription& description);

// Makes the subject of a report. `wait` must last as long as the subject is used.
inline message::WaitSubject subject_of(const WindowWait& wait) {
  message::WaitSubject subject;
  subject.kind = message::WaitSubject::Kind::own;
  subject.object = &wait;
  subject.describe = describe_wait;
  return subject;
}

// Gives the window's communicator a name, which reports of its collective calls then contain.
void name_communicator(Window& window);

}  // namespace baton::window
