// Where data begins, as the kernel's copy into its socket likes it. The kernel copies what is sent
// over TCP one behind the other into pages of its own, a message of libfabric's TCP provider with a
// header before it. A copy whose target begins less than 64 bytes behind its source, modulo
// a page, is slow (Zen 4, 2026-11-25, 256 KiB between two hosts, us by that distance: 0 55,
// 8 114, 16 55, 24 60, 32 55, 40 60, 48 60, 64 and more 55). Page-aligned buffers meet that.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/cache_line.hpp"

namespace baton::transport::network {

inline constexpr std::size_t tcp_message_header_bytes = 16, tcp_write_header_bytes = 48;
inline constexpr std::size_t copy_distance_bytes = 64;

// How far the target of data with `before` bytes before it lies behind its source, in a page; 0:
// far enough, or not at all.
inline std::size_t short_distance(const void* data, std::size_t before) {
  const std::size_t distance = (before - reinterpret_cast<std::uintptr_t>(data)) % page_bytes;
  return distance < copy_distance_bytes ? distance : 0;
}
// So many bytes more before the data, a multiple of 8, and the distance is none of these.
inline std::size_t bytes_behind(const void* data, std::size_t before) {
  const std::size_t distance = short_distance(data, before);
  return distance ? (copy_distance_bytes - distance + 7) & ~std::size_t{7} : 0;
}
// Or so many bytes of the data sent otherwise: 16 remain, which are as good as none; then what is
// written next, behind another header, is far enough.
inline std::size_t bytes_ahead(const void* data, std::size_t before) {
  const std::size_t distance = short_distance(data, before);
  return distance > 16 ? distance - 16 : 0;
}

}  // namespace baton::transport::network
