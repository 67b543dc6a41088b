// This checks addresses that another process names: whether they are memory of this process now.
#pragma once

#include <cstdint>

namespace baton::platform {

// Returns whether all these bytes are mapped, readable and writable. It is slow, since it reads
// /proc/self/maps. Another thread may unmap them at once. False where there is no /proc.
bool is_mapped_now(std::uint64_t address, std::uint64_t bytes);

}  // namespace baton::platform
