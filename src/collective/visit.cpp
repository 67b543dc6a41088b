#include "collective/visit.hpp"

namespace baton::collective {

using message::engine;

void Visit::wake(int rank) {
  message::wake_rank(comm_.collective.job_rank(rank));
}

void Visit::wake_all() {
  if (engine.senders_fence) lockfree::Hardware::full_fence();
  for (int r = 0; r < comm_.size(); ++r) {
    std::uint32_t job_rank = comm_.collective.job_rank(r);
    if (job_rank != engine.rank && lockfree::wants_attention(transport::arena.doorbell(job_rank)))
      message::wake_slow(job_rank);
  }
}

bool Visit::others_missing() {
  // With fences on all sides somebody surely sees all; with membarrier the waiter's alone orders.
  if (!engine.senders_fence) return false;
  lockfree::Hardware::full_fence();
  auto ranks = static_cast<std::uint32_t>(comm_.size());
  return comm_.room.first_missing(0, ranks, meeting_) != ranks;
}

}  // namespace baton::collective
