#include "lockfree/channel.hpp"

#include <gtest/gtest.h>

#include <cstring>

namespace {

using namespace baton::lockfree;

TEST(channel, classes_grow_by_four_and_each_ends_where_the_next_begins) {
  EXPECT_EQ(channel_class(-1), channel_idle);
  for (int size = 0; size < channel_class_max; ++size) {
    const std::int64_t limit = channel_class_limit(static_cast<ChannelClass>(size));
    EXPECT_EQ(channel_class(limit), size);
    EXPECT_EQ(channel_class(limit + 1), size + 1);
  }
  EXPECT_EQ(channel_class(INT64_MAX), channel_class_max);
}

TEST(channel, says_what_was_published_and_no_class_that_does_not_exist) {
  ChannelLine line{};
  EXPECT_EQ(look_at_channel(line), channel_idle);
  publish_channel(line, 7);
  EXPECT_EQ(look_at_channel(line), 7);
  std::memset(static_cast<void*>(&line), 0xff, sizeof line);
  EXPECT_EQ(look_at_channel(line), channel_class_max);
}

}  // namespace
