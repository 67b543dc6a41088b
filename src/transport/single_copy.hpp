// Single copy: the receiver reads the sender's buffer by cross-memory attach, where both sides'
// kernels permit it. Probed with a real copy at first contact.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/identity.hpp"
#include "base/reason.hpp"
#include "platform/cross_memory.hpp"

namespace baton::transport {

// Whether this process may read from the given rank's memory by cross-memory attach; probed once
// per pair.
bool can_read_from(LocalRank owner);
// Whether it can copy from that address there: so, or because the address is exported.
bool can_reach(LocalRank owner, const void* address);
// Whether that rank can copy to and from an address of ours without a system call.
bool is_mappable_by(LocalRank rank, const void* address);
// Whether it can copy there at all; by system calls, as far as we can there.
bool is_reachable_by(LocalRank rank, const void* address);
// Where memory of that rank lies in this process, so that it is copied without a system call: it is
// exported, or can be attached. Null when neither. For use at once: the next call may unmap what is
// attached.
char* reach(LocalRank owner, const void* address, std::size_t bytes);
// The same for an address that is kept: what is not exported is mapped until `let_go`, which the
// caller owes where `attached` was set.
char* reach_lasting(LocalRank owner, const void* address, std::size_t bytes, bool* attached);
void let_go(char* here);
// Before the arena is detached: another job's ranks may permit other things.
void forget_verdicts();
// What speaks against it; none: it may.
Reason refusal(LocalRank owner);
// Of the last probe whose refusal was `cma_failed`.
int failed_probe_errno();

// Permits the job's ranks to attach, and publishes the word that their probes read. Once, at start.
void offer_probe_word();

// Copies `bytes` from `address` in the rank's memory. False when the kernel refused part of it.
bool read_from(LocalRank owner, const void* address, void* target, std::int64_t bytes);

// Copies `bytes` to `address` in the rank's memory. False as above.
bool write_to(LocalRank owner, const void* source, void* address, std::int64_t bytes);

// The same by the kernel, whatever is mapped. Where it has refused, errno says why here and above:
// EPERM; or ESRCH, its process has ended; or EFAULT, nothing is mapped there.
bool read_by_kernel(LocalRank owner, const void* address, void* target, std::int64_t bytes);
bool write_by_kernel(LocalRank owner, const void* source, void* address, std::int64_t bytes);
// Copies pieces of the rank's memory by the kernel, from or to one piece of ours. False as above.
bool read_runs_from(LocalRank owner, const platform::ProcessRuns& runs, void* target);
bool write_runs_to(LocalRank owner, const void* source, const platform::ProcessRuns& runs);

}  // namespace baton::transport
