// XPMEM maps memory of another process into this one. It needs the kernel module, and libxpmem,
// which is found at run time.
#pragma once

#include <cstddef>
#include <cstdint>

namespace baton::platform {

// Finds libxpmem; false when this machine has none. It is called once, before the others.
bool open_xpmem();

// Lets the user's other processes map all memory of this one. Returns a segment's number, or -1.
std::int64_t offer_memory();
// Gets the right to map another process's segment. Returns an access id, or -1.
std::int64_t accept_memory(std::int64_t segment);

// Maps whole pages of that process; null when that cannot be. A page that is not mapped there is a
// bus error here.
void* map_offered(std::int64_t access, std::uint64_t address, std::size_t bytes);
void unmap_offered(void* mapped);

}  // namespace baton::platform
