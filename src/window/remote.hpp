// Operations on windows whose memory this rank cannot reach: on other nodes, or where the kernel
// permits no copy between processes. Operations, locks and epochs go by active messages, which the
// target's progress carries out; from one rank to another they come in order. They are called by
// the operations and the synchronization where a target's way, or its row, is not shared. Errors:
// an error of the target comes with its next answer, explained (refusal.hpp).
#pragma once

#include "datatype/operation.hpp"
#include "window/place.hpp"

namespace baton::window {

// These are the operations at a spot. `from` and `result` may be null.
Error put_remotely(Window& window, const Spot& spot, const Data& from, const Place& to);
Error get_remotely(Window& window, const Spot& spot, const Data& to, const Place& from);
Error accumulate_remotely(Window& window, const Spot& spot, const Data* from, const Data* result,
                          const Place& at, const Operation& operation);
Error compare_and_swap_remotely(Window& window, const Spot& spot, const void* from,
                                const void* expected, void* result, const Place& at);

// Waits until everything that was sent to the target is done.
Error flush_remotely(Window& window, Target& target);
Error flush_all_remotely(Window& window);
// Waits until the operations that this rank has begun at the target (null: at all) are complete
// here: data has left the buffers, and data that was got has arrived.
[[nodiscard]] Error finish_transfers(Window& window, const Target* target);
Error lock_remotely(Window& window, Target& target, bool exclusive);
Error unlock_remotely(Window& window, Target& target, bool exclusive);
void post_remotely(Window& window, const Target& origin);
void complete_remotely(Window& window, const Target& target);

}  // namespace baton::window
