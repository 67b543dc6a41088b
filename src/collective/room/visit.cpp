#include "collective/room/visit.hpp"

#include <algorithm>

#include "message/core/engine.hpp"
#include "message/core/notify.hpp"
#include "platform/copy.hpp"

namespace baton::collective {

using message::engine;

namespace {

// Wakes a rank, after a fence where one is needed.
void wake_after_fence(const Communicator& comm, int rank) {
  const LocalRank local = transport::local_rank_of(comm.collective.process(rank));
  if (local != engine.local_rank && lockfree::wants_attention(transport::doorbell(local)))
    message::wake_slow(local);
}

}  // namespace

void Visit::put_part(int of, std::int64_t offset, const void* buffer, const Datatype& type,
                     std::int64_t from, std::int64_t bytes) const {
  // Other ranks have read these lines last, so they are fetched with ownership, some ahead.
  constexpr std::int64_t step_bytes = 512;
  char* to = payload(of) + offset;
  auto fetch = [&](std::int64_t start) {
    const std::int64_t end = std::min(bytes, start + step_bytes);
    for (; start < end; start += cache_line_bytes) platform::prefetch_for_write(to + start);
  };
  fetch(0);
  for (std::int64_t position = 0; position < bytes; position += step_bytes) {
    fetch(position + step_bytes);
    datatype::pack(type, buffer, from + position, to + position,
                   std::min(step_bytes, bytes - position), run_.is_host());
  }
}

void Visit::take_part(int of, std::int64_t offset, void* buffer, const Datatype& type,
                      std::int64_t from, std::int64_t bytes) const {
  constexpr std::int64_t step_bytes = 512;
  const char* data = payload(of) + offset;
  auto fetch = [&](std::int64_t start) {
    const std::int64_t end = std::min(bytes, start + step_bytes);
    for (; start < end; start += cache_line_bytes) __builtin_prefetch(data + start);
  };
  fetch(0);
  for (std::int64_t position = 0; position < bytes; position += step_bytes) {
    fetch(position + step_bytes);
    datatype::unpack(type, buffer, from + position, data + position,
                     std::min(step_bytes, bytes - position), run_.is_host());
  }
}

void Visit::wake(int rank) {
  message::wake_rank(comm_.collective.process(rank));
}

void Visit::wake(Places ranks) {
  if (engine.senders_fence) lockfree::Hardware::full_fence();
  for (int i = 0; i < ranks.count; ++i) wake_after_fence(comm_, ranks[i]);
}

void Visit::wake_all() {
  if (engine.senders_fence) lockfree::Hardware::full_fence();
  for (int r = 0; r < comm_.size(); ++r) wake_after_fence(comm_, r);
}

void Visit::wake_waiting() {
  if (engine.senders_fence) lockfree::Hardware::full_fence();
  if (BATON_UNLIKELY(view_.room.anybody_waits())) wake_all();
}

bool Visit::others_missing() {
  // If all sides use fences, at least one rank surely sees all slots. With membarrier only the
  // waiter orders, so no rank can tell that it is not the last.
  if (!engine.senders_fence) return false;
  lockfree::Hardware::full_fence();
  auto ranks = static_cast<std::uint32_t>(comm_.size());
  return view_.room.first_missing(0, ranks, round_) != ranks;
}

bool Visit::others_missing(Places places) {
  if (!engine.senders_fence) return false;
  lockfree::Hardware::full_fence();
  return first_missing(places, 0) != places.count;
}

std::uint64_t Visit::finished_by(Places places) const {
  std::uint64_t least = UINT64_MAX;
  for (int i = 0; i < places.count; ++i)
    least = std::min(least, view_.room.finished_at(static_cast<std::uint32_t>(places[i]), round_));
  return least;
}

}  // namespace baton::collective
