// Kinds of memory that a program may communicate from (MPI 5.0, "Memory Allocation Info"): lists
// such as "mpi:alloc_mem,system". Here every buffer is ordinary memory, so all of "mpi" and
// "system" is supported, and nothing else.
#pragma once

namespace baton::world {

inline constexpr char memory_kinds_key[] = "mpi_memory_alloc_kinds";
inline constexpr char asserted_kinds_key[] = "mpi_assert_memory_alloc_kinds";
inline constexpr char all_memory_kinds[] = "mpi,system";

// What is supported, and said so, when a session asks for these kinds: all, and beside them those
// of the list that name a part of one. The text lives for ever.
const char* memory_kinds_with(const char* requested);

// A copy that lives for ever of a list that a program promises to keep to; null when the list has a
// kind that is not supported, or twice the same, or memory is short: then there is no promise. The
// empty list is one.
const char* keep_asserted_kinds(const char* asserted);

}  // namespace baton::world
