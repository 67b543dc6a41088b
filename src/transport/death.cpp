#include "transport/death.hpp"

#include "transport/sleep.hpp"

namespace baton::transport {

namespace {

std::atomic<std::uint32_t>& died_of(Process process) {
  const LocalRank here = local_rank_of(process);
  return here != not_on_this_node ? status_row(here).launcher.died : process_entry(process).died;
}

}  // namespace

bool write_death(Process process) {
  if (number_of(process) >= process_count()) return false;
  // ORDER rank.died: release here, acquire in has_died; who has seen a process gone passes that on.
  if (died_of(process).exchange(1, std::memory_order_acq_rel)) return false;
  // ORDER job.deaths: release here, acquire in Deaths; the row or the entry says who has died.
  std::atomic_ref(job().deaths).fetch_add(1, std::memory_order_release);
  return true;
}

bool has_died_elsewhere(Process process) {
  // ORDER rank.died: acquire here, release in write_death.
  return process_entry(process).died.load(std::memory_order_acquire) != 0;
}

void wake_own_sleeper() {
  const Slot own = job_arena.own_slot();
  if (lockfree::end_sleep(own.doorbell())) wake_sleeper(own);
}

}  // namespace baton::transport
