#include "lockfree/wait_lines.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdio>
#include <cstring>
#include <memory>
#include <thread>

namespace {

using namespace baton::lockfree;

TEST(awaited_ranks, neighbors_join_and_what_does_not_fit_is_said) {
  AwaitedRanks ranks;
  for (std::uint32_t rank : {3u, 4u, 5u, 9u, 5u}) ranks.add(rank);
  EXPECT_EQ(ranks.count, 2u);
  std::uint32_t sum = 0;
  ranks.each([&](std::uint32_t rank) { sum += rank; });
  EXPECT_EQ(sum, 21u);
  for (std::uint32_t rank = 100; !ranks.more && rank < 200; rank += 2) ranks.add(rank);
  EXPECT_EQ(ranks.count, AwaitedRanks::ranges_max);
}

TEST(wait_lines, nothing_is_seen_before_a_wait_and_after_it) {
  auto lines = std::make_unique<WaitLines>();
  WaitDescription wait;
  EXPECT_FALSE(lines->look(&wait));
  std::strcpy(wait.words, "a receive");
  wait.awaited.add(7);
  lines->publish(wait);
  WaitDescription seen;
  EXPECT_TRUE(lines->look(&seen));
  EXPECT_STREQ(seen.words, "a receive");
  EXPECT_EQ(seen.awaited.count, 1u);
  lines->retract();
  EXPECT_FALSE(lines->look(&seen));
}

TEST(wait_lines, what_is_read_belongs_together_while_it_changes) {
  auto lines = std::make_unique<WaitLines>();
  std::atomic<bool> stop{false};
  std::thread writer([&] {
    for (std::uint32_t i = 1; !stop.load(); ++i) {
      WaitDescription wait;
      wait.number = i;
      wait.since_ns = i;
      std::snprintf(wait.words, sizeof wait.words, "%u", i);
      lines->publish(wait);
      if (i % 3 == 0) lines->retract();
    }
  });
  int seen = 0;
  // On a busy machine the writer may get no CPU for a while.
  for (int i = 0; i < 100000000 && seen < 20000; ++i) {
    WaitDescription wait;
    if (!lines->look(&wait)) {
      if (i % 1000 == 0) std::this_thread::yield();
      continue;
    }
    ++seen;
    ASSERT_EQ(wait.since_ns, wait.number);
    ASSERT_EQ(std::to_string(wait.number), wait.words);
  }
  stop = true;
  writer.join();
  EXPECT_GT(seen, 0);
}

TEST(wait_lines, garbage_is_bounded) {
  alignas(WaitLines) char memory[sizeof(WaitLines)];
  std::memset(memory, 0xff, sizeof memory);
  WaitDescription wait;
  reinterpret_cast<WaitLines*>(memory)->look(&wait);
  EXPECT_LE(wait.awaited.count, AwaitedRanks::ranges_max);
  EXPECT_LT(std::strlen(wait.words), sizeof wait.words);
}

}  // namespace
