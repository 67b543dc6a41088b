// These functions tell where this thread is: return addresses, and the names of functions. They are
// cold (some microseconds a call) and allocate nothing.
#pragma once

#include <cstddef>

namespace baton::platform {

// Writes the return addresses of the calls under way, innermost first, without this function's own.
// Returns how many there are.
int call_stack(const void** frames, int frames_max);

// This says where an address lies: in which file, how far into it, and in which exported function.
struct CodePlace {
  const char* file = nullptr;  // null: in no known file
  std::size_t file_offset = 0;
  const char* function = nullptr;  // null: in no exported one
  std::size_t function_offset = 0;
};
CodePlace code_place(const void* address);

// Returns the name of the innermost exported function of this library in which this thread is.
// Null: it is in none, or deeper than `depth_max` calls.
const char* exported_function_under_way(int depth_max = 64);

}  // namespace baton::platform
