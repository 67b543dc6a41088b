// What the library and the allocator that `mpiexec --export-heap` preloads (preload/) know of each
// other: these two functions, which are there only in a process that has it. The library calls
// them. Invariant: the memory stays mapped as long as the process lives.
#pragma once

#include <cstdint>

namespace baton::platform {

// Memory of the job's file for the program's own large blocks; whole pages.
struct ProgramHeap {
  char* address;
  std::uint64_t bytes;   // address space; memory comes with the first touch
  int (*file)();         // its descriptor; -1: the program has closed it
  std::uint64_t offset;  // in the file
  // Gives a part memory where it is wanted before it is used; false: there is none. Null: whatever
  // the first touch brings. May be called by several threads at once.
  bool (*make_sure)(char* address, std::uint64_t bytes);
};

}  // namespace baton::platform

extern "C" {

// From now on the program's large blocks come from there; a child of this process gets a copy of
// its own. At most once a process. Null, or why nothing can come from there.
[[gnu::weak, gnu::visibility("default")]] const char* baton_export_program_heap(
    const baton::platform::ProgramHeap* heap);

// All blocks so far lie in so many bytes from its beginning.
[[gnu::weak, gnu::visibility("default")]] std::uint64_t baton_program_heap_used();
}
