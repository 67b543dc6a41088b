#include "lockfree/wait_lines.hpp"

#include <algorithm>

namespace baton::lockfree {

// relaxed, all but the episode: it publishes and orders the other words.

void WaitLines::publish(const WaitDescription& wait) {
  // An earlier wait is retracted first, so that no reader mistakes a mixture of both for one of
  // them.
  if (episode.load(std::memory_order_relaxed) % 2 == 1) retract();
  std::atomic_thread_fence(std::memory_order_release);
  collective.store(wait.collective, std::memory_order_relaxed);
  communicator.store(wait.communicator, std::memory_order_relaxed);
  number.store(wait.number, std::memory_order_relaxed);
  members.store(wait.members, std::memory_order_relaxed);
  since_ns.store(wait.since_ns, std::memory_order_relaxed);
  awaited_count.store(wait.awaited.count, std::memory_order_relaxed);
  awaited_more.store(wait.awaited.more, std::memory_order_relaxed);
  for (std::uint32_t i = 0; i < wait.awaited.count; ++i)
    awaited[i].store(wait.awaited.ranges[i], std::memory_order_relaxed);
  procedure.write(wait.procedure);
  words.write(wait.words);
  // ORDER board.wait: release here, acquire in look.
  episode.store(episode.load(std::memory_order_relaxed) + 1, std::memory_order_release);
}

void WaitLines::retract() {
  // ORDER board.wait: release here, acquire in look; what was published is over.
  episode.store(episode.load(std::memory_order_relaxed) + 1, std::memory_order_release);
}

bool WaitLines::look(WaitDescription* wait) const {
  // ORDER board.wait: acquire here, release in publish and retract.
  const std::uint32_t before = episode.load(std::memory_order_acquire);
  if (before % 2 == 0) return false;
  wait->collective = collective.load(std::memory_order_relaxed);
  wait->communicator = communicator.load(std::memory_order_relaxed);
  wait->number = number.load(std::memory_order_relaxed);
  wait->members = members.load(std::memory_order_relaxed);
  wait->since_ns = since_ns.load(std::memory_order_relaxed);
  wait->awaited.count =
      std::min(awaited_count.load(std::memory_order_relaxed), AwaitedRanks::ranges_max);
  wait->awaited.more = awaited_more.load(std::memory_order_relaxed) != 0;
  for (std::uint32_t i = 0; i < wait->awaited.count; ++i)
    wait->awaited.ranges[i] = awaited[i].load(std::memory_order_relaxed);
  procedure.read(wait->procedure);
  words.read(wait->words);
  // The reads above stay before the second look.
  std::atomic_thread_fence(std::memory_order_acquire);
  return episode.load(std::memory_order_relaxed) == before;
}

}  // namespace baton::lockfree
