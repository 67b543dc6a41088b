// The target's side of operations, locks and epochs that go by active messages
// (window/remote_message.hpp): they are done in this rank's progress. Called when a window is made.
#pragma once

namespace baton::window {

// From now on such messages are served, for the windows that listen (window/listeners.hpp).
void serve_messages();

}  // namespace baton::window
