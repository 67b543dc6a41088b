// This is alignment of data that the kernel copies quickly into its socket. The kernel copies the
// data sent over TCP one behind the other into pages of its own; a message of libfabric's TCP
// provider has a header before it. A copy whose target begins less than 64 bytes behind its source,
// modulo
// a page, is slow (Zen 4, 2026-11-25, 256 KiB between two hosts, us by that distance: 0 55,
// 8 114, 16 55, 24 60, 32 55, 40 60, 48 60, 64 and more 55). Page-aligned buffers meet the slow
// case.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/cache_line.hpp"

namespace baton::transport::network {

inline constexpr std::size_t tcp_message_header_bytes = 16, tcp_write_header_bytes = 48;
inline constexpr std::size_t copy_distance_bytes = 64;

// Returns how far the target of data, with `before` bytes before it, lies behind its source, modulo
// a page; 0: far enough, or not behind it.
inline std::size_t short_distance(const void* data, std::size_t before) {
  const std::size_t distance = (before - reinterpret_cast<std::uintptr_t>(data)) % page_bytes;
  return distance < copy_distance_bytes ? distance : 0;
}
// Returns how many bytes more before the data, a multiple of 8, make the distance long enough.
inline std::size_t bytes_behind(const void* data, std::size_t before) {
  const std::size_t distance = short_distance(data, before);
  return distance ? (copy_distance_bytes - distance + 7) & ~std::size_t{7} : 0;
}
// Returns how many bytes of the data to send otherwise instead. The distance is then 16, which is
// as good as none; and the rest, which is written behind another header, is far enough.
inline std::size_t bytes_ahead(const void* data, std::size_t before) {
  const std::size_t distance = short_distance(data, before);
  return distance > 16 ? distance - 16 : 0;
}

}  // namespace baton::transport::network
