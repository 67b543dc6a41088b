// On which NUMA nodes pages are to lie: the kernel's memory policies, by its own system calls.
// Called by the launcher (slices, processes) and by transport/ (blocks of the heap). A policy set
// on shared memory belongs to the file's range: whoever reserves or touches it later follows it.
#pragma once

#include <cstdint>

namespace baton::platform {

// Nodes as bits; nodes above 63 cannot be named.
using NodeMask = std::uint64_t;
constexpr NodeMask node_bit(int node) {
  return NodeMask{1} << node;
}

enum class MemoryMode : std::uint8_t {
  standard,    // as the process's own policy, or the kernel's, has it
  local,       // near the CPU that touches the page
  prefer,      // the first of the nodes, while it has room
  bind,        // these nodes only: when they are full the kernel kills
  interleave,  // page by page in turn
  weighted,    // the same, by the weights of this system; interleave where the kernel has none
};

struct MemoryBinding {
  MemoryMode mode = MemoryMode::standard;
  NodeMask nodes = 0;
};

// For pages of the range (whole pages) that do not exist yet. False with errno set: the kernel or a
// container's filter refuses. The standard mode takes back only what came through this mapping.
bool bind_memory(void* address, std::uint64_t bytes, const MemoryBinding& binding);

// Moves pages that this process alone has mapped and that are on none of these nodes to one of
// them, as far as there is room.
void gather_pages(void* address, std::uint64_t bytes, NodeMask nodes);

// For the calling thread and what it starts, from now on. System calls only. False as above.
bool bind_process(const MemoryBinding& binding);

// The nodes of the policy that the range's first page has; 0: none of its own.
NodeMask policy_nodes(const void* address);

// The nodes that the control group and the process's start allow; 0 with errno set when the kernel
// does not say.
NodeMask allowed_nodes();

}  // namespace baton::platform
