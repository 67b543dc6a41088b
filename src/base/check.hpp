// A broken invariant ends the process and is printed by name. User errors are handled elsewhere
// (error.hpp).
#pragma once

#include "base/cache_line.hpp"

namespace baton {

// Prints the broken invariant with its place and aborts the process.
[[noreturn]] BATON_COLD void invariant_broken(const char* expression, const char* file, int line);

}  // namespace baton

#define BATON_INVARIANT(condition) \
  (BATON_LIKELY(condition) ? (void)0 : ::baton::invariant_broken(#condition, __FILE__, __LINE__))
