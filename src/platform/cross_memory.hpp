// Cross-memory attach: one copy straight between two processes, where the kernel permits it.
#pragma once

#include <cstddef>
#include <cstdint>

namespace baton::platform {

// Copies from another process's memory. Returns the bytes copied (fewer than asked when part of the
// range is unmapped), or -1 with errno set (EPERM: not permitted here; ESRCH: it has ended).
std::int64_t read_process_memory(int pid, const void* remote, void* local, std::size_t bytes);

// The other way round.
std::int64_t write_process_memory(int pid, const void* local, void* remote, std::size_t bytes);

// Lets a process and its descendants copy from and to our memory where Yama forbids it to all but
// our ancestors (kernel.yama.ptrace_scope 1). Without Yama it does nothing.
void permit_attach(int pid);

}  // namespace baton::platform
