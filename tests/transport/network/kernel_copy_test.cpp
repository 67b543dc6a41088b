// Where data begins that the kernel copies.
#include "transport/network/kernel_copy.hpp"

#include <gtest/gtest.h>

#include "transport/network/packet.hpp"

namespace baton::transport::network {
namespace {

const void* at(std::uintptr_t address) {
  return reinterpret_cast<const void*>(address);
}
std::size_t distance(std::uintptr_t source, std::size_t target) {
  return (target - source) % 4096;
}

TEST(kernel_copy, begins_at_a_distance_whatever_the_address) {
  for (std::uintptr_t source = 1 << 20; source < (1 << 20) + 8192; ++source) {
    const std::size_t more = bytes_behind(at(source), 56);
    EXPECT_LE(more, skip_bytes_max);
    EXPECT_EQ(more % 8, 0u);
    const std::size_t left = distance(source, 56 + more);
    EXPECT_TRUE(left == 0 || left >= copy_distance_bytes) << source;
    const std::size_t ahead = bytes_ahead(at(source), tcp_write_header_bytes);
    EXPECT_LE(ahead, tcp_write_header_bytes);
    const std::size_t then = distance(source + ahead, tcp_write_header_bytes);
    EXPECT_TRUE(then <= 16 || then >= copy_distance_bytes) << source;
  }
}

TEST(kernel_copy, is_left_alone_where_it_is_quick) {
  EXPECT_EQ(bytes_behind(at(4096 + 200), 56), 0u);
  EXPECT_EQ(bytes_ahead(at(4096 + 200), 48), 0u);
  EXPECT_EQ(bytes_behind(at(4096), 56), 8u);
  EXPECT_EQ(bytes_ahead(at(4096), 48), 32u);
}

}  // namespace
}  // namespace baton::transport::network
