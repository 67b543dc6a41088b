#include "transport/node_memory.hpp"

#include <atomic>
#include <cstdlib>

#include "platform/memory_file.hpp"
#include "transport/slice_memory.hpp"

namespace baton::transport {

namespace {

// Returns the count of bytes that all ranks have taken together.
std::atomic_ref<std::uint64_t> taken_bytes() {
  return std::atomic_ref(job_arena.job->rooms.bytes);
}
// relaxed, both: only the sum matters; the memory itself is ordered by its users.
bool add_taken(std::uint64_t bytes, std::uint64_t limit) {
  if (taken_bytes().fetch_add(bytes, std::memory_order_relaxed) + bytes <= limit) return true;
  taken_bytes().fetch_sub(bytes, std::memory_order_relaxed);
  return false;
}
void subtract_taken(std::uint64_t bytes) {
  taken_bytes().fetch_sub(bytes, std::memory_order_relaxed);  // relaxed: as above
}

// Takes a range in the first gap that is long enough; null where there is none, or no memory to
// note it.
PageRange* take_addresses(std::int64_t bytes) {
  const auto end = static_cast<std::int64_t>(lockfree::room_pool_bytes(job_arena.slots));
  PageRange** link = &job_arena.page_ranges;
  std::int64_t offset = 0;
  for (; *link && (*link)->offset - offset < bytes; link = &(*link)->next)
    offset = (*link)->offset + (*link)->bytes;
  if (offset + bytes > end) return nullptr;
  auto* range = static_cast<PageRange*>(std::malloc(sizeof(PageRange)));
  if (range) *range = {offset, bytes, *link};
  if (range) *link = range;
  return range;
}

}  // namespace

NodePages take_pages(std::uint64_t bytes, std::uint64_t limit) {
  bytes = round_up(bytes, page_bytes);
  if (!add_taken(bytes, limit)) return {-1, MemoryLack::in_use};
  PageRange* range = take_addresses(static_cast<std::int64_t>(bytes));
  if (!range) {
    subtract_taken(bytes);
    return {-1, MemoryLack::in_use};
  }
  const std::uint64_t start = job_arena.layout.rooms + static_cast<std::uint64_t>(range->offset);
  if (reserve(job_arena.own_slot(), start, bytes) == MPI_SUCCESS) return {range->offset};
  // The part that did get memory is given back, too.
  release_pages(static_cast<LocalRank>(job_arena.own), range->offset, bytes);
  forget_pages(range->offset);
  return {-1, MemoryLack::no_memory};
}

void release_pages(LocalRank owner, std::int64_t offset, std::uint64_t bytes) {
  const std::uint64_t start = lockfree::slice_offset(*job_arena.job, number_of(owner)) +
                              job_arena.layout.rooms + static_cast<std::uint64_t>(offset);
  platform::release_memory(job_file(), start, bytes);
  subtract_taken(bytes);
}

void forget_pages(std::int64_t offset) {
  PageRange** link = &job_arena.page_ranges;
  while ((*link)->offset != offset) link = &(*link)->next;
  PageRange* range = *link;
  *link = range->next;
  std::free(range);
}

}  // namespace baton::transport
