// Where this thread is: return addresses, and the names of functions. Cold, some microseconds a
// call; no allocation.
#pragma once

#include <cstddef>

namespace baton::platform {

// The return addresses of the calls under way, innermost first, without this one's; how many.
int call_stack(const void** frames, int frames_max);

// Where an address lies: in which file, how far into it, and in which exported function of it.
struct CodePlace {
  const char* file = nullptr;  // null: nowhere
  std::size_t file_offset = 0;
  const char* function = nullptr;  // null: in none that is exported
  std::size_t function_offset = 0;
};
CodePlace code_place(const void* address);

// The innermost function that this library exports and that this thread is in; null: in none, or
// deeper than so many calls.
const char* exported_function_under_way(int depth_max = 64);

}  // namespace baton::platform
