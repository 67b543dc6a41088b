#include "transport/move/reach.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdlib>

#include "base/settings.hpp"
#include "platform/cross_memory.hpp"
#include "platform/lock.hpp"
#include "platform/valgrind.hpp"
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

}  // namespace

void forget_probes(Arena& arena) {
  std::free(arena.verdicts);
  std::free(arena.probe_word);
  arena.verdicts = nullptr;
  arena.probe_word = nullptr;
}

bool kernel_copies_from(Slot owner) {
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

Reach reach_by(Slot reader, const void* ours) {
  if ((reader.arena == &job_arena && exported_heap.contains(ours)) || can_attach(reader))
    return Reach::mapped;
  return kernel_copies_from(reader) ? Reach::by_kernel : Reach::by_both_sides;
}

char* map(const Memory& theirs, std::size_t bytes) {
  char* here = exported_heap.reach(theirs.owner, theirs.address);
  return here ? here : attached_memory.reach(theirs.owner, theirs.address, bytes);
}

char* map_lasting(const Memory& theirs, std::size_t bytes, bool* attached) {
  char* here = exported_heap.reach(theirs.owner, theirs.address);
  if (here) return here;
  here = attached_memory.keep(theirs.owner, theirs.address, bytes);
  *attached = here != nullptr;
  return here;
}

}  // namespace baton::transport
