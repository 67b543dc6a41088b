// This is the exported heap: memory of MPI_Alloc_mem that every rank of the job can map, so that
// messages in it are copied without a system call. Each rank has a part of the job's memory file
// behind the slices; it maps its own with the first allocation, a peer's with the first message
// from there. It is called by world/ and window/ (allocation) and by single copies. Invariant:
// pages that are not allocated have no memory; allocated pages are reserved, unless their owner
// wants each to get memory when it is touched.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/error.hpp"
#include "base/numa_policy.hpp"
#include "transport/arena.hpp"

namespace baton::transport {

// Allocates memory of this rank that its peers can reach, under `policy` (null: where the kernel
// puts it); alignment is a power of two. It reads as zeros. `reserved`: all pages have memory at
// once; otherwise each page gets some when it is touched. Null without an error when there is none:
// the job has no heap (a lone process, a limit on file sizes) or memory is short. An error comes
// from the policy.
[[nodiscard]] Error allocate_exported(std::size_t bytes, std::size_t alignment,
                                      const NumaPolicy* policy, bool reserved, void** memory);
// Frees the block that begins at an exported address. Returns false when no block in use begins
// there.
bool release_exported(void* address);
// Returns the last part of this rank's heap, for the program's own malloc (program_heap.hpp), and
// its offset in the job's file. Null: there is none.
char* map_program_heap(std::uint64_t* offset);
// Returns whether memory of this rank is exported.
bool is_exported(const void* address);

// Returns where an address of another process's exported heap lies in this process; null when it is
// not from there, or cannot be mapped here.
char* reach_exported(Slot owner, const void* address);

// Detaches the heap, before the arena is detached. Memory that the program still has stays mapped.
void detach_heap();

}  // namespace baton::transport
