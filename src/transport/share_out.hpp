// How a block is cut where its first node has no room for all of it. Pure.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "base/cache_line.hpp"
#include "platform/node_memory.hpp"

namespace baton::transport {

struct NodeShare {
  int node;
  std::uint64_t bytes;  // whole pages
};

// What the kernel keeps of a node at the most: it raises its own reserve for huge pages to 5 % of a
// small node, seen in the guest of ./dev test-numa, 2026-11-22. The bound of large nodes is a
// guess.
inline std::uint64_t kept_by_kernel(const platform::NodeRoom& room) {
  return std::min<std::uint64_t>(room.bytes / 14, 128 << 20);
}

// What a node can give without being scraped out: below, the kernel itself goes elsewhere. Guess.
inline std::uint64_t room_without_pressure(const platform::NodeRoom& room) {
  if (room.bytes == 0) return ~std::uint64_t{0};  // unknown
  std::uint64_t kept = std::max(room.bytes / 256, kept_by_kernel(room)) + (1 << 20);
  return room.free_bytes > kept ? room.free_bytes - kept : 0;
}

// What a node can give to memory that must lie there: the kernel makes room by dropping file pages.
// More must be left, since what is beyond kills. Guess.
inline std::uint64_t room_under_pressure(const platform::NodeRoom& room) {
  if (room.bytes == 0) return ~std::uint64_t{0};
  std::uint64_t kept = std::max(room.bytes / 64, kept_by_kernel(room)) + (4 << 20);
  std::uint64_t all = room.free_bytes + room.reclaimable_bytes;
  return all > kept ? all - kept : 0;
}

// Cuts `bytes` (whole pages) among `nodes` in their order: to each what `room_of(node)` says it
// has. What none has room for goes to the first, and the kernel decides. Fills `shares`, as long as
// `nodes`; returns how many.
template <class RoomOf>
int share_out(std::uint64_t bytes, std::span<const std::uint8_t> nodes, RoomOf room_of,
              NodeShare* shares) {
  int count = 0;
  for (std::uint8_t node : nodes) {
    std::uint64_t part = std::min(bytes, room_of(node) / page_bytes * page_bytes);
    if (part > 0) shares[count++] = {node, part};
    bytes -= part;
    if (bytes == 0) return count;
  }
  if (count == 0 || shares[0].node != nodes[0]) {
    std::copy_backward(shares, shares + count, shares + count + 1);
    shares[0] = {nodes[0], 0};
    ++count;
  }
  shares[0].bytes += bytes;
  return count;
}

}  // namespace baton::transport
