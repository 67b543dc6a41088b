// Copies of runs of all lengths, to places at all distances from their sources that matter.
#include "platform/copy.hpp"

#include <gtest/gtest.h>

namespace baton::platform {
namespace {

alignas(4096) char source[3 * 4096], target[4 * 4096];

TEST(copies, have_all_bytes_and_touch_no_others) {
  for (std::size_t i = 0; i < sizeof source; ++i) source[i] = static_cast<char>(1 + i % 251);
  for (std::size_t bytes : {0, 1, 7, 8, 31, 48, 49, 64, 100, 2047, 2048, 2049, 4096, 5003, 8192})
    for (std::size_t from : {0, 1, 16, 4000})
      for (std::size_t behind : {0, 1, 15, 16, 31, 32, 64, 4095}) {
        std::memset(target, 0, sizeof target);
        char* to = target + 64 + (from + behind) % 4096;
        copy_run(to, source + from, bytes);
        ASSERT_EQ(std::memcmp(to, source + from, bytes), 0)
            << bytes << ' ' << from << ' ' << behind;
        for (const char* at = target; at < to; ++at) ASSERT_EQ(*at, 0);
        for (const char* at = to + bytes; at < target + sizeof target; ++at) ASSERT_EQ(*at, 0);
      }
}

TEST(copies, go_by_vectors_just_behind_a_source_and_nowhere_else) {
  for (std::size_t behind = 0; behind < 4096; ++behind) {
    const char* to = target + behind;
    EXPECT_EQ(is_close_behind(to, source), behind >= 1 && behind <= 31) << behind;
    EXPECT_EQ(is_close_behind(to + 4096, source), behind >= 1 && behind <= 31) << behind;
    EXPECT_EQ(is_close_behind(to, source + 4096), behind >= 1 && behind <= 31) << behind;
  }
}

}  // namespace
}  // namespace baton::platform
