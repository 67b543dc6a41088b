// Whether addresses of this process are memory now: for those that somebody else names.
#pragma once

#include <cstdint>

namespace baton::platform {

// Whether all these bytes are mapped, to be read and written. Slow: it reads /proc/self/maps.
// Another thread may unmap them at once. False where /proc is not there.
bool is_mapped_now(std::uint64_t address, std::uint64_t bytes);

}  // namespace baton::platform
