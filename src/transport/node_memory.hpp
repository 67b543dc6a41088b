// This is memory that the ranks of a node share, by the page: a rank takes some, all ranks of the
// node map it by its owner and offset, and any of them may give pages back. The rooms of
// collectives are made of it. The caller sets the bound on what all ranks of the job have taken
// together.
// Invariant: a range has memory from take_pages to release_pages, and addresses to forget_pages.
#pragma once

#include <cstdint>

#include "transport/arena.hpp"

namespace baton::transport {

// Says why there is no memory. `in_use`: other communicators hold it, and it can be had when they
// give it back.
enum class MemoryLack : std::uint8_t { nothing, no_memory, in_use };

// A range of this rank's pages that is taken; the arena has the list.
struct PageRange {
  std::int64_t offset;
  std::int64_t bytes;
  PageRange* next;
};

struct NodePages {
  std::int64_t offset = -1;  // among this rank's pages
  MemoryLack lack = MemoryLack::nothing;
};

// Takes whole pages of this rank's for `bytes`, if all ranks then have no more than `limit`
// together. The caller makes sure that one thread at a time takes and forgets.
NodePages take_pages(std::uint64_t bytes, std::uint64_t limit);
// Returns where a range of a rank's pages lies in this process; the rank is on this node.
inline char* map_pages(LocalRank owner, std::int64_t offset) {
  return Slot(owner).part(job_arena.layout.rooms + static_cast<std::uint64_t>(offset));
}
// Gives memory of any rank's ranges back to the system: `bytes` are whole pages.
void release_pages(LocalRank owner, std::int64_t offset, std::uint64_t bytes);
// Frees the addresses of a range that take_pages has given.
void forget_pages(std::int64_t offset);

}  // namespace baton::transport
