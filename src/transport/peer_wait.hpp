// This waits for another process of the node that is in the middle of something short, mostly
// between two stores, unless that process is gone. Layers 5 and 6 use it.
#pragma once

#include "platform/peer_pause.hpp"
#include "transport/arena.hpp"

namespace baton::transport {

// Returns whether a process may still go on with what it has begun. It cannot once it has died, in
// a job that goes on without it, or has left or ended, in another job. Asks the kernel where no
// mpiexec tells: about processes of other jobs, or under another launcher.
bool may_go_on(Slot slot);

// One wait for a process. Called repeatedly, it pauses as platform::PeerPause does. It returns
// false when the process is gone and the caller has looked once more since: what that has written
// is visible then, and nothing else will come.
class PeerWait {
 public:
  explicit PeerWait(Slot whom) : whom_(whom) {}
  bool operator()() {
    constexpr std::uint32_t pauses_per_look = 64;  // as many as PeerPause makes before it yields
    if (BATON_UNLIKELY(is_gone_)) return false;
    pause_();
    if (BATON_UNLIKELY(++times_ % pauses_per_look == 0)) is_gone_ = !may_go_on(whom_);
    return true;
  }

 private:
  Slot whom_;
  platform::PeerPause pause_;
  std::uint32_t times_ = 0;
  bool is_gone_ = false;
};

}  // namespace baton::transport
