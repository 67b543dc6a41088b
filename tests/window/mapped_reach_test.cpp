// What is the mapped reach's own: stores that a flush has to order, and instructions that need no
// lock.
#include "tests/window/windows.hpp"

namespace baton::window {
namespace {

struct a_mapped_target : windows_test {
  a_mapped_target() { windows.use(mapped_reach); }
  std::int64_t ones[100] = {1}, old[100] = {};
};

TEST_F(a_mapped_target, puts_are_noted_as_stores_and_gets_are_not) {
  ASSERT_EQ(windows.get(old, 1, MPI_INT64_T, 0), MPI_SUCCESS);
  EXPECT_FALSE(windows.window().dirty);
  ASSERT_EQ(windows.put(ones, 1, MPI_INT64_T, 0), MPI_SUCCESS);
  EXPECT_TRUE(windows.window().dirty);
}

TEST_F(a_mapped_target, short_changes_are_instructions_and_take_no_lock) {
  ASSERT_EQ(windows.change(MPI_SUM, ones, old, 100, MPI_INT64_T, 0), MPI_SUCCESS);
  EXPECT_TRUE(windows.target().visited);
  EXPECT_FALSE(windows.window().dirty);
  EXPECT_EQ(mode_of(windows.row().guard), lockfree::GuardMode::atomic);
  EXPECT_FALSE(is_busy(windows.row(0).busy));
}

TEST_F(a_mapped_target, changes_of_what_no_instruction_can_change_are_plain_under_the_lock) {
  ASSERT_EQ(windows.change(MPI_SUM, ones, old, 1, MPI_INT64_T, 1), MPI_SUCCESS);  // not aligned
  EXPECT_TRUE(windows.window().dirty);
  EXPECT_EQ(mode_of(windows.row().guard), lockfree::GuardMode::locked);
  EXPECT_TRUE(is_served(windows.row().elements, take_number(windows.row().elements), true));
}

TEST_F(a_mapped_target, swaps_of_what_no_instruction_can_change_are_plain_under_the_lock) {
  const std::int32_t wanted = 6, expected = 0;
  std::int32_t result = 1;
  ASSERT_EQ(windows.swap(&wanted, &expected, &result, MPI_INT32_T, 2), MPI_SUCCESS);
  EXPECT_EQ(result, 0);
  EXPECT_EQ(std::memcmp(windows.memory() + 2, &wanted, sizeof wanted), 0);
  EXPECT_TRUE(windows.window().dirty);
  EXPECT_EQ(mode_of(windows.row().guard), lockfree::GuardMode::locked);
  ASSERT_EQ(windows.swap(&expected, &expected, &result, MPI_INT32_T, 2), MPI_SUCCESS);
  EXPECT_EQ(result, wanted);
  EXPECT_EQ(std::memcmp(windows.memory() + 2, &wanted, sizeof wanted), 0);
}

TEST_F(a_mapped_target, needs_no_flush) {
  ASSERT_EQ(windows.put(ones, 1, MPI_INT64_T, 0), MPI_SUCCESS);
  ASSERT_EQ(windows.flush(), MPI_SUCCESS);
  EXPECT_EQ(ranks.network.sent[0][1], 0u);
}

}  // namespace
}  // namespace baton::window
