// A program may have been built with AddressSanitizer, whose LeakSanitizer takes memory for leaked
// to which it finds no pointer. It does not look for pointers in memory that a process gets from
// the kernel, so that it has to be told of tables that lie there.
#pragma once

#include <cstddef>

namespace baton::platform {

// Tells the program's leak checker, if it has one, that [address, address + bytes) holds pointers;
// and that it no longer does, before the memory is given back.
void register_pointers(const void* address, std::size_t bytes);
void unregister_pointers(const void* address, std::size_t bytes);

}  // namespace baton::platform
