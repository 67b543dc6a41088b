// A process keeps shared memory and descriptors from the children it forks and from the programs
// they run. world/ and transport/ call this once at start.
#pragma once

#include <cstdint>

namespace baton::platform {

// Children do not inherit this range; touching it kills them instead of harming the job. Where the
// kernel refuses, they get it after all.
void keep_from_children(void* address, std::uint64_t bytes);

// Programs that this process or a child of it runs do not inherit this descriptor.
void keep_from_programs(int descriptor);

// Calls `function` in every child that fork makes from now on, before fork returns there. The
// function may only store. False when there is no memory for that.
bool call_in_children(void (*function)());

}  // namespace baton::platform
