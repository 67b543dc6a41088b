// Chooses how a target is reached, at the first access.
#include "window/reach.hpp"

#include "transport/heap.hpp"
#include "transport/move/reach.hpp"
#include "transport/node.hpp"

namespace baton::window {

void reach_target(Window& window, Target& target) {
  platform::Guard guard(window.memory_lock);
  if (target.reach) return;
  const bool is_far = target.local_rank == not_on_this_node;
  const Reach* reach = is_far && window.provider ? window.provider : &message_reach;
  char* row = nullptr;
  if (!is_far && target.row_address)
    row = transport::exported_heap.reach(target.local_rank,
                                         reinterpret_cast<const void*>(target.row_address));
  target.row = reinterpret_cast<Row*>(row);
  const LocalRank owner = window.targets[target.owner].local_rank;
  const bool is_own = owner == transport::own_rank();
  const auto* address = reinterpret_cast<const char*>(target.address);
  const bool reaches = row && !target.foreign;
  if (reaches && (is_own || transport::kernel_copies_from(owner))) reach = &kernel_reach;
  if (reaches && !window.is_dynamic()) {
    target.memory =
        is_own ? const_cast<char*>(address)
               : transport::map_lasting({owner, address}, static_cast<std::size_t>(target.bytes),
                                        &target.attached);
    if (target.memory) reach = &mapped_reach;
  }
  // relaxed: it is set before the first message that a reader of it sends.
  if (reach->is_remote()) std::atomic_ref(window.sends).store(true, std::memory_order_relaxed);
  // ORDER window.mapped: release here, acquire in is_mapped; the memory.
  std::atomic_ref(target.mapped).store(target.memory != nullptr, std::memory_order_release);
  // ORDER window.reach: release here, acquire in known_reach; the row and the memory.
  std::atomic_ref(target.reach).store(reach, std::memory_order_release);
}

}  // namespace baton::window
