#include "platform/own_memory.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>

namespace baton::platform {
namespace {

constexpr std::uint64_t page = 4096;

TEST(own_memory, memory_is_mapped_until_it_is_unmapped_or_forbidden) {
  void* memory =
      ::mmap(nullptr, 8 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  const auto begin = reinterpret_cast<std::uint64_t>(memory);
  auto at = [&](std::uint64_t pages) { return static_cast<char*>(memory) + pages * page; };
  EXPECT_TRUE(is_mapped_now(begin, 8 * page));
  EXPECT_TRUE(is_mapped_now(begin + 5, 1));
  ::munmap(at(6), page);
  ::mprotect(at(3), page, PROT_READ);
  EXPECT_TRUE(is_mapped_now(begin, 3 * page));
  EXPECT_FALSE(is_mapped_now(begin, 3 * page + 1));
  EXPECT_TRUE(is_mapped_now(begin + 4 * page, 2 * page));
  EXPECT_FALSE(is_mapped_now(begin + 4 * page, 2 * page + 1));
  EXPECT_FALSE(is_mapped_now(begin + 6 * page, 1));
  EXPECT_TRUE(is_mapped_now(begin + 7 * page, page));
  ::munmap(memory, 8 * page);
}

// Two mappings that the kernel lists apart.
TEST(own_memory, neighboring_mappings_are_one) {
  void* memory =
      ::mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  ASSERT_NE(::mmap(static_cast<char*>(memory) + page, page, PROT_READ | PROT_WRITE,
                   MAP_SHARED | MAP_ANONYMOUS | MAP_FIXED, -1, 0),
            MAP_FAILED);
  EXPECT_TRUE(is_mapped_now(reinterpret_cast<std::uint64_t>(memory), 2 * page));
  ::munmap(memory, 2 * page);
}

TEST(own_memory, no_address_is_no_memory) {
  EXPECT_FALSE(is_mapped_now(0, 8));
}

}  // namespace
}  // namespace baton::platform
