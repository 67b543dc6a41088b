// How other ranks of the node hear that something was published to them.
#pragma once

#include "message/core/engine.hpp"

namespace baton::message {

// After something was published to a peer: wakes it if it sleeps, rings if it wants that.
BATON_COLD void notify_slow(transport::Slot slot);
BATON_INLINE void notify(const Peer& peer) {
  // The load of the wake word stays behind the publish: in the hardware by the receiver's
  // membarrier or our fence, in the compiler by this.
  lockfree::Hardware::compiler_fence();
  if (BATON_UNLIKELY(engine.fences_before_notify)) lockfree::Hardware::full_fence();
  if (lockfree::wants_attention(*peer.doorbell)) notify_slow(peer.slot);
}
// After something changed that a rank finds without looking for our lines (a rendezvous entry, a
// room): wakes it, but rings nothing, since a bit would make it look into a lane that may have no
// memory yet. Whether it slept.
BATON_COLD bool wake_slow(transport::Slot slot);
inline bool wake_rank(transport::Slot slot) {
  lockfree::Hardware::compiler_fence();  // as in notify
  if (BATON_UNLIKELY(engine.fences_before_notify)) lockfree::Hardware::full_fence();
  return lockfree::wants_attention(transport::doorbell(slot)) && wake_slow(slot);
}
inline bool wake_rank(Process process) {
  return wake_rank(slot_of(process));
}

}  // namespace baton::message
