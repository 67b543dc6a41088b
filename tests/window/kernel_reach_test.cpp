// What is the kernel's reach's own: what the kernel refuses, elements under the lock, long runs
// between short ones.
#include "tests/window/windows.hpp"

namespace baton::window {
namespace {

struct a_private_target : windows_test {
  a_private_target() { windows.use(kernel_reach); }
  // From here on the target has no memory any more.
  void lose_memory() { windows.target().address = 4096; }
  std::vector<char> data = message::pattern(Windows::bytes);
};

TEST_F(a_private_target, memory_that_is_gone_is_refused_with_words_whatever_the_operation) {
  lose_memory();
  std::int64_t one = 1, old;
  EXPECT_EQ(windows.put(data.data(), 10000, MPI_BYTE, 0), MPI_ERR_RMA_RANGE);
  EXPECT_EQ(windows.put(data.data(), 10, MPI_DOUBLE_INT, 0), MPI_ERR_RMA_RANGE);
  EXPECT_EQ(windows.get(data.data(), 10000, MPI_BYTE, 0), MPI_ERR_RMA_RANGE);
  EXPECT_EQ(windows.get(data.data(), 10, MPI_DOUBLE_INT, 0), MPI_ERR_RMA_RANGE);
  EXPECT_EQ(windows.change(MPI_SUM, &one, nullptr, 1, MPI_INT64_T, 0), MPI_ERR_RMA_RANGE);
  EXPECT_EQ(windows.change(MPI_MINLOC, data.data(), nullptr, 2, MPI_DOUBLE_INT, 0),
            MPI_ERR_RMA_RANGE);
  EXPECT_EQ(windows.swap(&one, &one, &old, MPI_INT64_T, 0), MPI_ERR_RMA_RANGE);
  EXPECT_NE(std::strstr(last_explanation().text, "at rank 1 of the window"), nullptr);
}

TEST_F(a_private_target, elements_are_locked_from_the_first_change_on) {
  const std::int64_t one = 1;
  ASSERT_EQ(windows.change(MPI_SUM, &one, nullptr, 1, MPI_INT64_T, 0), MPI_SUCCESS);
  EXPECT_EQ(mode_of(windows.row().guard), lockfree::GuardMode::always_locked);
  EXPECT_TRUE(is_served(windows.row().elements, take_number(windows.row().elements), true));
}

TEST_F(a_private_target, elements_are_locked_from_the_first_swap_on) {
  std::int64_t one = 1, old;
  ASSERT_EQ(windows.swap(&one, &one, &old, MPI_INT64_T, 0), MPI_SUCCESS);
  EXPECT_EQ(mode_of(windows.row().guard), lockfree::GuardMode::always_locked);
}

TEST_F(a_private_target, the_lock_is_free_again_after_what_the_kernel_refuses) {
  lose_memory();
  std::int64_t one = 1, old;
  EXPECT_EQ(windows.change(MPI_SUM, &one, nullptr, 1, MPI_INT64_T, 0), MPI_ERR_RMA_RANGE);
  EXPECT_EQ(windows.swap(&one, &one, &old, MPI_INT64_T, 0), MPI_ERR_RMA_RANGE);
  EXPECT_TRUE(is_served(windows.row().elements, take_number(windows.row().elements), true));
}

TEST_F(a_private_target, an_accumulate_whose_length_is_no_multiple_of_the_copy_is_whole) {
  // More than one copy of 64 KiB, in elements that do not divide it.
  constexpr std::int64_t pairs = 3 * ((1 << 16) / 8) + 1;
  std::vector<std::int32_t> from(2 * pairs, 3);
  std::vector<std::int32_t> old(2 * pairs, -1);
  ASSERT_EQ(windows.change(MPI_MAXLOC, from.data(), old.data(), pairs, MPI_2INT, 4), MPI_SUCCESS);
  EXPECT_EQ(std::memcmp(windows.memory() + 4, from.data(), pairs * 8), 0);
  EXPECT_EQ(old, std::vector<std::int32_t>(2 * pairs, 0));
  EXPECT_EQ(windows.memory()[4 + pairs * 8], 0);
}

}  // namespace
}  // namespace baton::window
