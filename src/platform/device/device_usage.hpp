// This tells how much memory of devices the process has, as the driver's management library (NVML)
// counts it: allocations of the program and of its libraries, and contexts. The library is opened
// for the question alone, which takes milliseconds: `mpiexec --memory-report` asks it once, at the
// end.
#pragma once

#include <cstdint>

namespace baton::platform {

// Returns false where nothing tells it: there is no such library, or the process has another number
// there, as in containers.
bool count_device_bytes(std::uint64_t* bytes);

}  // namespace baton::platform
