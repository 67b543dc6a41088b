// This is the state of one-sided communication in this process, apart from the table of windows. It
// is used by all of window/. It is one object, so that a test can have several and exchange them
// (tests/window/windows.hpp).
// Invariant: it is initialized before the program starts, so that no access asks whether it is.
#pragma once

#include "window/delegate.hpp"
#include "window/listeners.hpp"
#include "window/remote_message.hpp"
#include "window/transfer.hpp"
#include "window/transfer_target.hpp"
#include "window/work.hpp"

namespace baton::window {

struct OneSided {
  Listeners listeners;
  Delegation delegation;
  Batch batch;  // what the delegation slot of this rank holds
  BegunTransfers begun;
  AcceptedTransfers accepted;
  message::ListSource<WaitingTurn> waiting_turns;
  std::uint32_t notes_given = 0;  // without a job; see JobHeader::notes_given
};
inline constinit OneSided one_sided;

}  // namespace baton::window
