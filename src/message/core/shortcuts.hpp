// The shortest ways of messages, which look at nothing but their lane.
#pragma once

namespace baton::message {

// Notes whether they may be taken: not where several threads call at once, nor where data may lie
// in foreign memory, nor when a peer is lost or a communicator revoked, nor while a tool wants to
// know how messages go. Any thread.
void note_shortcuts();

}  // namespace baton::message
