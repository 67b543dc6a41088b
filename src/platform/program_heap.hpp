// These two functions are the interface between the library and the allocator that `mpiexec
// --export-heap` preloads (preload/). They exist only in a process that has preloaded it. The
// library calls them. Invariant: the memory stays mapped as long as the process lives.
#pragma once

#include <cstdint>

namespace baton::platform {

// This is memory of the job's file for the program's own large blocks, in whole pages.
struct ProgramHeap {
  char* address;
  std::uint64_t bytes;   // address space; memory comes with the first touch
  int (*file)();         // returns the file's descriptor; -1: the program has closed it
  std::uint64_t offset;  // in the file
  // Reserves memory for a part before it is used; false: there is none. A null pointer means that
  // the first touch brings the memory. Several threads may call it at once.
  bool (*make_sure)(char* address, std::uint64_t bytes);
};

}  // namespace baton::platform

extern "C" {

// From now on the program's large blocks come from this memory; a child of this process gets a copy
// of its own. It is called at most once in a process. Returns null, or why no blocks can come from
// there.
[[gnu::weak, gnu::visibility("default")]] const char* baton_export_program_heap(
    const baton::platform::ProgramHeap* heap);

// Returns the number of bytes, from the memory's beginning, in which all blocks so far lie.
[[gnu::weak, gnu::visibility("default")]] std::uint64_t baton_program_heap_used();
}
