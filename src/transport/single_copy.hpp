// In a single copy the receiver reads the sender's buffer by cross-memory attach, where the kernel
// permits it to both. A real copy at first contact probes this.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/reason.hpp"
#include "platform/cross_memory.hpp"
#include "transport/arena.hpp"

namespace baton::transport {

// Returns whether this process may read from the given rank's memory by cross-memory attach, which
// is probed once per pair.
bool can_read_from(Slot owner);
// Returns whether this process can copy from that address of the rank: by cross-memory attach, or
// because the address is exported.
bool can_reach(Slot owner, const void* address);
// Returns whether that rank can copy to and from an address of ours without a system call.
bool is_mappable_by(Slot reader, const void* address);
// Returns whether that rank can copy there at all. By system calls it can if we can copy at that
// rank.
bool is_reachable_by(Slot reader, const void* address);
// Returns where memory of that rank lies in this process, so that it is copied without a system
// call: it is exported, or can be attached; null when neither. The address is for use at once: the
// next call may unmap attached memory.
char* reach(Slot owner, const void* address, std::size_t bytes);
// Reaches memory as `reach` does, for an address that is kept: memory that is not exported stays
// mapped until attached_memory.let_go, which the caller owes where `attached` was set.
char* reach_lasting(Slot owner, const void* address, std::size_t bytes, bool* attached);
// Frees what probes need, before the arena is detached.
void forget_probes(Arena& arena);
// Returns the reason why single copies from that rank are refused; none: they are permitted.
Reason refusal(Slot owner);
// Returns the errno of the last probe whose refusal was `cma_failed`.
inline int failed_probe_errno() {
  return job_arena.failed_probe_errno;
}

// Permits the job's ranks to attach, and publishes the word that probes read in an arena. It is
// called once for each, at attachment.
void offer_probe_word(Arena& arena);

// Copies `bytes` from `address` in the rank's memory. Returns false when the kernel refused part of
// it.
bool read_from(Slot owner, const void* address, void* target, std::int64_t bytes);

// Copies `bytes` to `address` in the rank's memory. Returns false as read_from does.
bool write_to(Slot owner, const void* source, void* address, std::int64_t bytes);

// Copies as read_from does, but by the kernel, whatever is mapped. Where the kernel has refused,
// here and above, errno says why: EPERM; or ESRCH, the process has ended; or EFAULT, nothing is
// mapped there.
bool read_by_kernel(Slot owner, const void* address, void* target, std::int64_t bytes);
bool write_by_kernel(Slot owner, const void* source, void* address, std::int64_t bytes);
// Copies ranges of the rank's memory by the kernel, from or to one range of ours. Returns false as
// read_from does.
bool read_runs_from(Slot owner, const platform::ProcessRuns& runs, void* target);
bool write_runs_to(Slot owner, const void* source, const platform::ProcessRuns& runs);

}  // namespace baton::transport
