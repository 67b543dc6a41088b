// How memory of one process can be reached by another one: mapped, by the kernel (cross-memory
// attach), or not, so that both sides must take part. A real copy at first contact probes whether
// the kernel permits it. copy.hpp copies.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/reason.hpp"
#include "transport/move/memory.hpp"

namespace baton::transport {

// From way to way a copy costs less beside its bytes: the time of both sides, a system call,
// nothing.
enum class Reach : std::uint8_t { by_both_sides, by_kernel, mapped };

// Returns how another process can reach memory of this one. What the kernel permits here it permits
// there.
Reach reach_by(Slot reader, const void* ours);

// Returns where memory of another process lies in this one, so that it is copied without a system
// call: it is exported, or can be attached; null when neither. The address is for use at once: the
// next call may unmap attached memory.
char* map(const Memory& theirs, std::size_t bytes);
// Maps as `map` does, for an address that is kept: memory that is not exported stays mapped until
// attached_memory.let_go, which the caller owes where `attached` was set.
char* map_lasting(const Memory& theirs, std::size_t bytes, bool* attached);

// Returns whether this process may read from that one's memory by cross-memory attach, which is
// probed once per pair.
bool kernel_copies_from(Slot owner);
// Returns the reason why the kernel does not copy from that process; none: it does.
Reason refusal(Slot owner);
// Returns the errno of the last probe whose refusal was `cma_failed`.
inline int failed_probe_errno() {
  return job_arena.failed_probe_errno;
}

// Permits the job's ranks to attach, and publishes the word that probes read in an arena. It is
// called once for each, at attachment.
void offer_probe_word(Arena& arena);
// Frees what probes need, before the arena is detached.
void forget_probes(Arena& arena);

}  // namespace baton::transport
