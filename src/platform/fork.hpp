// What a process keeps from the children it forks and from the programs they run: shared memory and
// descriptors are its alone. Called once at start by world/ and transport/.
#pragma once

#include <cstdint>

namespace baton::platform {

// Children do not get this range; touching it kills them instead of harming the job. Where the
// kernel refuses, they get it after all.
void keep_from_children(void* address, std::uint64_t bytes);

// Programs that this process or a child of it runs do not get this descriptor.
void keep_from_programs(int descriptor);

// Calls `function` in every child that fork makes from now on, before fork returns there. It may
// only store. False when there is no memory for that.
bool call_in_children(void (*function)());

}  // namespace baton::platform
