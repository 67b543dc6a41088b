#include "collective/turn.hpp"

#include <atomic>

#include "base/settings.hpp"
#include "world/agree/agree.hpp"

namespace baton::collective {

bool is_next(const Run& run) {
  const auto tag = [](std::uint32_t number) {
    return world::own_tag(world::TagKind::collective, number);
  };
  // ORDER communicator.checked: acquire here, release in count_begun.
  return tag(run.number().number) ==
         tag(std::atomic_ref(run.program_call().comm->checked).load(std::memory_order_acquire));
}

void count_begun(const Call& call) {
  // Under `check` tasks are counted before they begin (form.cpp).
  if (call.persistent || (settings.check && call.task)) return;
  // ORDER communicator.checked: release here, acquire in is_next; what the ranks have learned.
  std::atomic_ref(call.comm->checked).fetch_add(1, std::memory_order_release);
}

}  // namespace baton::collective
