// A memory policy of the kernel says on which NUMA nodes pages are to lie; it is set by system
// calls without libnuma. It is used by the launcher (slices, processes) and by transport/ (blocks
// of the heap). A policy set on shared memory belongs to the file's range: whoever reserves or
// touches it later follows it.
#pragma once

#include <cstdint>

namespace baton::platform {

// This is a set of nodes as bits; nodes above 63 cannot be named.
using NodeMask = std::uint64_t;
constexpr NodeMask node_bit(int node) {
  return NodeMask{1} << node;
}

enum class MemoryMode : std::uint8_t {
  standard,    // the process's own policy, or the kernel's default
  local,       // near the CPU that touches the page
  prefer,      // the first of the nodes, while it has space
  bind,        // these nodes only: when they are full the kernel kills
  interleave,  // page by page in turn
  weighted,  // interleave by the weights of this system; plain interleave where the kernel has none
};

struct MemoryBinding {
  MemoryMode mode = MemoryMode::standard;
  NodeMask nodes = 0;
};

// Binds pages of the range (whole pages) that do not exist yet. False with errno set: the kernel or
// a container's filter refuses. The standard mode undoes only policies that were set through this
// mapping.
bool bind_memory(void* address, std::uint64_t bytes, const MemoryBinding& binding);

// Moves pages that this process alone has mapped and that are on none of these nodes to one of
// them, as long as there is space.
void gather_pages(void* address, std::uint64_t bytes, NodeMask nodes);

// Sets the policy of the calling thread and of the processes and threads it starts from now on. It
// makes system calls only. False as above.
bool bind_process(const MemoryBinding& binding);

// Returns the nodes of the policy of the range's first page. 0: it has no policy of its own.
NodeMask policy_nodes(const void* address);

// Returns the nodes that the control group and the inherited restrictions allow; 0 with errno set
// when the kernel does not say.
NodeMask allowed_nodes();

}  // namespace baton::platform
