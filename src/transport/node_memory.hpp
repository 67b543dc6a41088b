// Memory that the ranks of a node share, by the page: a rank takes some, all ranks of the node map
// it by its owner and offset, and any of them may give pages back. Rooms of collectives have theirs
// from here. What all ranks of the job have taken together is bounded by the caller.
// Invariant: a piece has memory from take_pages to release_pages, and addresses to forget_pages.
#pragma once

#include <cstdint>

#include "transport/arena.hpp"

namespace baton::transport {

// Why there is none. `in_use`: others have what there may be; what they give back can be had.
enum class MemoryLack : std::uint8_t { nothing, no_memory, in_use };

struct NodePages {
  std::int64_t offset = -1;  // among this rank's pages
  MemoryLack lack = MemoryLack::nothing;
};

// Takes whole pages of this rank's for so many bytes, if all ranks then have no more than `limit`
// together. The caller makes sure that one thread at a time takes and forgets.
NodePages take_pages(std::uint64_t bytes, std::uint64_t limit);
// Where a piece of a rank's lies in this process.
inline char* map_pages(LocalRank owner, std::int64_t offset) {
  return arena.part(owner, arena.layout.rooms + static_cast<std::uint64_t>(offset));
}
// Whether this process can map what a rank takes: it is on this node.
inline bool reaches_pages_of(LocalRank rank) {
  return number_of(rank) < arena.ranks;
}
// Gives memory back to the system, of any rank's pieces: `bytes` are whole pages.
void release_pages(LocalRank owner, std::int64_t offset, std::uint64_t bytes);
// The addresses of a piece that take_pages has given are free again.
void forget_pages(std::int64_t offset);

}  // namespace baton::transport
