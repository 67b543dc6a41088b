// This is the target's side of operations, locks and epochs that go by active messages
// (window/remote_message.hpp): this rank's progress carries them out. It is called when a window is
// made.
#pragma once

namespace baton::window {

// Serves such messages from now on, for the windows in the list of window/listeners.hpp.
void serve_messages();

}  // namespace baton::window
