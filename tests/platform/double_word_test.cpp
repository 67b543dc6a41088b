// Sixteen bytes as one: threads that change them lose nothing, and see no half of a change.
#include "platform/double_word.hpp"

#include <gtest/gtest.h>

#include <thread>

namespace baton::platform {
namespace {

TEST(DoubleWord, is_exchanged_only_where_all_of_it_is_expected) {
  if (!has_double_words()) GTEST_SKIP() << "this CPU has none";
  DoubleWord word{1, 2}, expected{1, 3};
  EXPECT_FALSE(exchange_double_word(word, expected, {7, 8}));
  EXPECT_EQ(expected.low, 1u);
  EXPECT_EQ(expected.high, 2u);
  EXPECT_TRUE(exchange_double_word(word, expected, {7, 8}));
  const DoubleWord now = load_double_word(word);
  EXPECT_EQ(now.low, 7u);
  EXPECT_EQ(now.high, 8u);
}

TEST(DoubleWord, changes_of_two_threads_are_whole_and_none_is_lost) {
  if (!has_double_words()) GTEST_SKIP() << "this CPU has none";
  constexpr std::uint64_t each = 200000;
  DoubleWord word{0, 0};
  bool whole[2] = {true, true};
  auto count = [&](bool* is_whole) {
    for (std::uint64_t i = 0; i < each; ++i) {
      DoubleWord before = load_double_word(word);
      do *is_whole = *is_whole && before.low + before.high == 0;
      while (!exchange_double_word(word, before, {before.low + 1, before.high - 1}));
    }
  };
  std::thread other(count, &whole[1]);
  count(&whole[0]);
  other.join();
  EXPECT_TRUE(whole[0] && whole[1]);
  EXPECT_EQ(word.low, 2 * each);
}

}  // namespace
}  // namespace baton::platform
