// These are the kinds of memory that a program may communicate from (MPI 5.0, "Memory Allocation
// Info"): lists such as "mpi:alloc_mem,system". All of "mpi" and "system" is supported, as ordinary
// memory; and "cuda", which is granted where it is asked for, on machines with such a device.
#pragma once

namespace baton::world {

inline constexpr char memory_kinds_key[] = "mpi_memory_alloc_kinds";
inline constexpr char asserted_kinds_key[] = "mpi_assert_memory_alloc_kinds";
inline constexpr char all_memory_kinds[] = "mpi,system";

// Returns the supported kinds for a session that asks for `requested`: all supported ones, and in
// addition those of the list that name a part of one. The text lives for ever.
const char* memory_kinds_with(const char* requested);

// Returns a copy, which lives for ever, of a list that a program promises to keep to; null when the
// list has a kind that is not supported, or has one twice, or memory is short: then there is no
// promise. The empty list is a promise, too.
const char* keep_asserted_kinds(const char* asserted);

// Returns whether all memory of the kinds of such a list is host memory: then a driver need not be
// asked what a buffer is.
bool are_host_kinds(const char* kinds);

}  // namespace baton::world
