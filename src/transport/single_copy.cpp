#include "transport/single_copy.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "base/settings.hpp"
#include "platform/lock.hpp"
#include "platform/valgrind.hpp"
#include "transport/arena.hpp"
#include "transport/attached.hpp"
#include "transport/heap.hpp"

namespace baton::transport {

namespace {

// Values of Arena::verdicts: unknown, permitted, or refused + errno (below 250).
constexpr std::uint8_t unknown = 0, permitted = 1, refused = 2;

// Returns whether this rank takes no part: under valgrind others would write where valgrind does
// not see it.
bool is_off() {
  return !settings.cma || platform::runs_under_valgrind();
}
constexpr std::uint64_t off_value = 0;  // in place of a probe word's value

std::uint8_t probe(Slot owner) {
  if (is_off()) return refused + ECANCELED;
  auto& state = owner.row().state;
  // ORDER probe.word: acquire here, release in offer_probe_word; pid and value belong to the
  // address.
  auto* address = reinterpret_cast<void*>(state.probe_address.load(std::memory_order_acquire));
  if (!address) return unknown;  // the rank has not published it yet
  std::uint64_t copy = 0;
  // relaxed: it is ordered by the address.
  int pid = state.pid.load(std::memory_order_relaxed);
  std::uint64_t expected = state.probe_value.load(std::memory_order_relaxed);
  if (expected == off_value) return refused + ECANCELED;
  std::int64_t got = platform::read_process_memory(pid, address, &copy, sizeof copy);
  if (got == sizeof copy && copy == expected) return permitted;
  // A process with that id that is not our peer (in another process-id namespace) reads as ESRCH.
  int cause = got < 0 ? errno : ESRCH;
  return static_cast<std::uint8_t>(refused + std::min(cause, 250));
}

std::uint8_t verdict_on(Slot owner) {
  if (!owner.arena->verdicts) return refused + ENOMEM;
  // Several threads may probe at once: they find the same.
  std::uint8_t& verdict = owner.arena->verdicts[owner.index];
  if (platform::load_shared(verdict) == unknown) platform::store_shared(verdict, probe(owner));
  return platform::load_shared(verdict);
}

int pid_of(Slot owner) {
  // relaxed: it was set before contact.
  return owner.row().state.pid.load(std::memory_order_relaxed);
}

// Calls copy(process id, offset, bytes) until all is copied; returns false when the kernel refuses.
template <class Copy>
bool copy_all(Slot owner, std::int64_t bytes, Copy copy) {
  constexpr std::int64_t step_bytes = 1 << 20;  // guess: short enough to be interruptible
  const int pid = pid_of(owner);
  for (std::int64_t done = 0; done < bytes;) {
    std::int64_t got =
        copy(pid, done, static_cast<std::size_t>(std::min(bytes - done, step_bytes)));
    if (got <= 0) return false;
    done += got;
  }
  return true;
}

}  // namespace

void forget_probes(Arena& arena) {
  std::free(arena.verdicts);
  std::free(arena.probe_word);
  arena.verdicts = nullptr;
  arena.probe_word = nullptr;
}

bool can_read_from(Slot owner) {
  return verdict_on(owner) == permitted;
}

Reason refusal(Slot owner) {
  std::uint8_t verdict = verdict_on(owner);
  if (verdict == permitted) return Reason::none;
  if (verdict == unknown) return Reason::cma_not_probed;
  switch (int cause = verdict - refused) {
    case ECANCELED:
      return Reason::cma_off;
    case EPERM:
    case EACCES:
      return Reason::cma_not_permitted;
    case ESRCH:
    case EFAULT:  // the peer's word lies at that address, so this was another process
      return Reason::cma_no_process;
    case ENOSYS:
      return Reason::cma_not_in_kernel;
    default:
      platform::store_shared(job_arena.failed_probe_errno, cause);
      return Reason::cma_failed;
  }
}

void offer_probe_word(Arena& arena) {
  arena.verdicts = static_cast<std::uint8_t*>(std::calloc(arena.slots, 1));
  // All ranks are descendants of mpiexec, so permitting it permits them.
  if (settings.cma && arena.job->launcher_pid) platform::permit_attach(arena.job->launcher_pid);
  auto* word = static_cast<std::uint64_t*>(std::malloc(sizeof(std::uint64_t)));
  if (!word) return;  // then nobody copies
  arena.probe_word = word;
  auto& state = arena.own_slot().row().state;
  int pid = state.pid.load(std::memory_order_relaxed);  // relaxed: our own store
  *word = lockfree::job_magic ^ (std::uint64_t{static_cast<std::uint32_t>(pid)} << 20) ^ arena.own;
  state.probe_value.store(is_off() ? off_value : *word,
                          std::memory_order_relaxed);  // relaxed: ordered by the address
  // ORDER probe.word: release here, acquire in probe.
  state.probe_address.store(reinterpret_cast<std::uint64_t>(word), std::memory_order_release);
}

bool can_reach(Slot owner, const void* address) {
  return exported_heap.reach(owner, address) || can_attach(owner) || can_read_from(owner);
}

bool is_mappable_by(Slot reader, const void* address) {
  return (reader.arena == &job_arena && exported_heap.contains(address)) || can_attach(reader);
}

bool is_reachable_by(Slot reader, const void* address) {
  return is_mappable_by(reader, address) || can_read_from(reader);
}

char* reach(Slot owner, const void* address, std::size_t bytes) {
  char* here = exported_heap.reach(owner, address);
  return here ? here : attached_memory.reach(owner, address, bytes);
}

char* reach_lasting(Slot owner, const void* address, std::size_t bytes, bool* attached) {
  char* here = exported_heap.reach(owner, address);
  if (here) return here;
  here = attached_memory.keep(owner, address, bytes);
  *attached = here != nullptr;
  return here;
}

bool read_from(Slot owner, const void* address, void* target, std::int64_t bytes) {
  if (const char* here = reach(owner, address, static_cast<std::size_t>(bytes))) {
    std::memcpy(target, here, static_cast<std::size_t>(bytes));
    return true;
  }
  return read_by_kernel(owner, address, target, bytes);
}

bool read_by_kernel(Slot owner, const void* address, void* target, std::int64_t bytes) {
  auto* from = static_cast<const char*>(address);
  auto* to = static_cast<char*>(target);
  return copy_all(owner, bytes, [&](int pid, std::int64_t offset, std::size_t step) {
    return platform::read_process_memory(pid, from + offset, to + offset, step);
  });
}

bool write_to(Slot owner, const void* source, void* address, std::int64_t bytes) {
  if (char* here = reach(owner, address, static_cast<std::size_t>(bytes))) {
    std::memcpy(here, source, static_cast<std::size_t>(bytes));
    return true;
  }
  return write_by_kernel(owner, source, address, bytes);
}

bool write_by_kernel(Slot owner, const void* source, void* address, std::int64_t bytes) {
  auto* from = static_cast<const char*>(source);
  auto* to = static_cast<char*>(address);
  return copy_all(owner, bytes, [&](int pid, std::int64_t offset, std::size_t step) {
    return platform::write_process_memory(pid, from + offset, to + offset, step);
  });
}

bool read_runs_from(Slot owner, const platform::ProcessRuns& runs, void* target) {
  return runs.read(pid_of(owner), target);
}

bool write_runs_to(Slot owner, const void* source, const platform::ProcessRuns& runs) {
  return runs.write(pid_of(owner), source);
}

}  // namespace baton::transport
