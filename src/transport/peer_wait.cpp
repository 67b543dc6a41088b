#include "transport/peer_wait.hpp"

#include "platform/process_life.hpp"
#include "transport/node.hpp"

namespace baton::transport {

bool may_go_on(Slot slot) {
  if (slot.arena == &job_arena) {
    if (has_died(slot)) return false;
    if (!job().foreign_launcher) return true;
  }
  // relaxed: its death orders what it has written before our next look.
  const int process = status_row(slot).state.pid.load(std::memory_order_relaxed);
  return process != lockfree::left_process && (process == 0 || platform::may_run(process));
}

}  // namespace baton::transport
