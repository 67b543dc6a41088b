// Copies between memory of this process and of another one, at once and by this side alone: without
// a system call where the other's memory is mapped here, else by the kernel. All return false where
// the kernel refused part of it; errno then says why: EPERM; or ESRCH, the process has ended; or
// EFAULT, nothing is mapped there.
#pragma once

#include <cstdint>

#include "platform/cross_memory.hpp"
#include "transport/move/memory.hpp"

namespace baton::transport {

bool copy_from(const Memory& theirs, void* ours, std::int64_t bytes);
bool copy_to(const Memory& theirs, const void* ours, std::int64_t bytes);

// These copy by the kernel, whatever is mapped.
bool kernel_copy_from(const Memory& theirs, void* ours, std::int64_t bytes);
bool kernel_copy_to(const Memory& theirs, const void* ours, std::int64_t bytes);
// These copy ranges of the other process's memory by the kernel, to or from one range of ours.
bool kernel_copy_runs_from(Slot owner, const platform::ProcessRuns& theirs, void* ours);
bool kernel_copy_runs_to(Slot owner, const platform::ProcessRuns& theirs, const void* ours);

}  // namespace baton::transport
