// XPMEM: memory of another process mapped into this one. By the libxpmem of a machine that has its
// kernel module, found at run time.
#pragma once

#include <cstddef>
#include <cstdint>

namespace baton::platform {

// Finds libxpmem; false when this machine has none. Once, before the others.
bool open_xpmem();

// Lets the user's other processes map all memory of this one: a segment's number, or -1.
std::int64_t offer_memory();
// Their side: the right to map it, or -1.
std::int64_t accept_memory(std::int64_t segment);

// Maps whole pages of it; null when that cannot be. What is not mapped there is a bus error here.
void* map_offered(std::int64_t access, std::uint64_t address, std::size_t bytes);
void unmap_offered(void* mapped);

}  // namespace baton::platform
