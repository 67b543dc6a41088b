// Memory files: shared memory without a name. Nothing is left behind when the last holder dies.
#pragma once

#include <cstddef>
#include <cstdint>

namespace baton::platform {

// Makes a sparse memory file of `bytes`, sealed against shrinking and growing, inherited by exec.
// Returns the descriptor, or -1 with errno set.
int make_memory_file(const char* name, std::uint64_t bytes);

// The file's size in bytes, or 0 with errno set.
std::uint64_t memory_file_bytes(int descriptor);

// Maps `bytes` of the file from an offset (whole pages), shared and writable. Null with errno set
// when that fails.
void* map_memory_file(int descriptor, std::uint64_t bytes, std::uint64_t offset = 0);
void unmap_memory(void* address, std::uint64_t bytes);

// Makes sure that the range has memory, so that touching it later cannot kill the process. False
// with errno set when there is none.
bool reserve_memory(int descriptor, std::uint64_t offset, std::uint64_t bytes);
// Gives the memory of a range (whole pages) back; it reads as zeros from then on.
void release_memory(int descriptor, std::uint64_t offset, std::uint64_t bytes);
// Copies the first bytes of the file. False with errno set when there are fewer.
bool read_memory_file(int descriptor, void* target, std::size_t bytes);

}  // namespace baton::platform
