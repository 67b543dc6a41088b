// Cuts a block into parts where its first node has no space for all of it. The function is pure.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "base/cache_line.hpp"

namespace baton::transport {

struct NodeShare {
  int node;
  std::uint64_t bytes;  // whole pages
};

// Cuts `bytes` (whole pages) among `nodes` in their order: each gets as much as `space_of(node)`
// says it has. The rest, for which no node has space, goes to the first, and the kernel decides.
// Fills `shares`, which is as long as `nodes`; returns how many it has filled.
template <class SpaceOf>
int share_out(std::uint64_t bytes, std::span<const std::uint8_t> nodes, SpaceOf space_of,
              NodeShare* shares) {
  int count = 0;
  for (std::uint8_t node : nodes) {
    std::uint64_t part = std::min(bytes, space_of(node) / page_bytes * page_bytes);
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
