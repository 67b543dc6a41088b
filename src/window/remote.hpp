// Operations on windows whose memory this rank cannot reach: on other nodes, or where the kernel
// permits no copy between processes. Operations, locks and epochs go by active messages, which the
// target's progress carries out; from one rank to another they come in order. The synchronization
// calls this where a target's memory, or its row, is not shared. Errors: an error of the target
// comes with its next answer, explained (refusal.hpp).
#pragma once

#include "window/reach.hpp"
#include "window/remote_message.hpp"

namespace baton::window {

class MessageReach : public Reach {
 public:
  constexpr explicit MessageReach(ReachWay its = ReachWay::message) : Reach(its) {}
  Error put(Window& window, const Spot& spot, const Data& from, const Place& to) const override;
  Error get(Window& window, const Spot& spot, const Data& to, const Place& from) const override;
  Error change(Window& window, const Spot& spot, const Accumulate& what) const override;
  Error swap(Window& window, const Spot& spot, const Datatype& type, const void* from,
             const void* expected, void* result) const override;
  Error flush(Window& window, Target& target) const override;

 private:
  // Begins a put or get in a quicker way, if there is one for it. Returns whether it has, or has
  // found an error.
  virtual bool begin(Window&, const Spot&, const Data&, const Place&, WindowOperation,
                     Error*) const {
    return false;
  }
};

// Waits for earlier transfers if too many are on their way.
Error make_space_for_transfer(Window& window);

// Waits until everything that was sent is done.
Error flush_all_remotely(Window& window);
// Waits until the operations that this rank has begun at the target (null: at all) are complete
// here: data has left the buffers, and data that was got has arrived.
[[nodiscard]] Error finish_transfers(Window& window, const Target* target);
Error lock_remotely(Window& window, Target& target, bool exclusive);
Error unlock_remotely(Window& window, Target& target, bool exclusive);
// Tells a rank of a post, or of a complete.
void tell_remotely(Window& window, const Target& whom, RemoteKind what);

}  // namespace baton::window
