// Short operations on memory that only the kernel copies: how many are gathered, what makes them
// done, and that they are done the same by the target and by the kernel.
#include "window/batch.hpp"

#include "tests/window/delegating.hpp"

namespace baton::window {
namespace {

struct a_batch : delegating_test {
  // Eight bytes of data for an offset of the target's memory.
  Error put8(std::int64_t offset) { return windows.put(data.data() + offset, 8, MPI_BYTE, offset); }
  bool is_put(std::int64_t offset) {
    return std::memcmp(windows.memory() + offset, data.data() + offset, 8) == 0;
  }
  // The number of operations that the batch holds.
  std::uint32_t held() {
    return ranks.as(
        0, [] { return one_sided.batch.window ? one_sided.delegation.own_work()->ranges : 0; });
  }
};

TEST_F(a_batch, waits_for_the_flush_and_is_asked_for_once) {
  for (std::int64_t offset : {160, 80, 0}) ASSERT_EQ(put8(offset), MPI_SUCCESS);
  EXPECT_TRUE(windows.window().gathered);
  EXPECT_EQ(works_done(), 0);
  EXPECT_EQ(std::memcmp(windows.memory(), std::vector<char>(200).data(), 200), 0);
  ASSERT_EQ(windows.flush(), MPI_SUCCESS);
  EXPECT_FALSE(windows.window().gathered);
  EXPECT_EQ(works_done(), 1);
  for (std::int64_t offset : {160, 80, 0}) EXPECT_TRUE(is_put(offset)) << offset;
  ASSERT_EQ(windows.flush(), MPI_SUCCESS);
  EXPECT_EQ(works_done(), 0);
}

TEST_F(a_batch, gives_its_data_away_when_the_operation_is_called) {
  char eight[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  ASSERT_EQ(windows.put(eight, 8, MPI_BYTE, 0), MPI_SUCCESS);
  std::memset(eight, 0, 8);
  ASSERT_EQ(windows.flush(), MPI_SUCCESS);
  EXPECT_EQ(windows.memory()[7], 8);
}

TEST_F(a_batch, has_space_for_so_many_operations_and_no_more) {
  for (std::int64_t i = 0; i < Work::ranges_max; ++i) ASSERT_EQ(put8(8 * i), MPI_SUCCESS);
  EXPECT_EQ(works_done(), 0);
  EXPECT_EQ(held(), Work::ranges_max);
  ASSERT_EQ(put8(8 * Work::ranges_max), MPI_SUCCESS);
  EXPECT_EQ(works_done(), 1);
  EXPECT_EQ(held(), 1u);
  ASSERT_EQ(windows.flush(), MPI_SUCCESS);
  for (std::int64_t i = 0; i <= Work::ranges_max; ++i) EXPECT_TRUE(is_put(8 * i)) << i;
}

TEST_F(a_batch, has_space_for_so_many_bytes_and_no_more) {
  constexpr std::int64_t rest = Work::data_bytes_max - batch_bytes_max;
  ASSERT_EQ(windows.put(data.data(), batch_bytes_max, MPI_BYTE, 0), MPI_SUCCESS);
  ASSERT_EQ(windows.put(data.data(), rest, MPI_BYTE, 10000), MPI_SUCCESS);
  EXPECT_EQ(works_done(), 0);
  ASSERT_EQ(windows.put(data.data(), 1, MPI_BYTE, 20000), MPI_SUCCESS);
  EXPECT_EQ(works_done(), 1);
  ASSERT_EQ(windows.flush(), MPI_SUCCESS);
  EXPECT_EQ(std::memcmp(windows.memory(), data.data(), batch_bytes_max), 0);
  EXPECT_EQ(std::memcmp(windows.memory() + 10000, data.data(), rest), 0);
  EXPECT_EQ(windows.memory()[20000], data[0]);
}

TEST_F(a_batch, takes_runs_up_to_its_limit_only) {
  ASSERT_EQ(windows.put(data.data(), batch_bytes_max + 1, MPI_BYTE, 0), MPI_SUCCESS);
  EXPECT_EQ(held(), 0u);
  EXPECT_EQ(std::memcmp(windows.memory(), data.data(), batch_bytes_max + 1), 0);
  ASSERT_EQ(windows.put(data.data(), 2, MPI_DOUBLE_INT, 8000), MPI_SUCCESS);  // has gaps
  EXPECT_EQ(held(), 0u);
}

TEST_F(a_batch, is_done_before_operations_that_do_not_belong_to_it) {
  std::int64_t got = 0, old = 0, one = 1, two = 2;
  const auto twice = [&](MPI_Op operation) {
    return windows.change(operation, &two, nullptr, 1, MPI_INT64_T, 0);
  };
  ASSERT_EQ(windows.put(&one, 8, MPI_BYTE, 0), MPI_SUCCESS);
  ASSERT_EQ(windows.get(&got, 8, MPI_BYTE, 0), MPI_SUCCESS);  // of another kind
  EXPECT_EQ(number(), 1);
  ASSERT_EQ(twice(MPI_SUM), MPI_SUCCESS);
  EXPECT_EQ(got, 1);
  ASSERT_EQ(twice(MPI_PROD), MPI_SUCCESS);  // with another operation
  EXPECT_EQ(number(), 1 + 2);
  const std::int32_t three = 3;
  ASSERT_EQ(windows.change(MPI_PROD, &three, nullptr, 1, MPI_INT32_T, 0), MPI_SUCCESS);
  EXPECT_EQ(number(), (1 + 2) * 2);  // of another type
  ASSERT_EQ(windows.change(MPI_SUM, &one, &old, 1, MPI_INT64_T, 0), MPI_SUCCESS);
  EXPECT_EQ(old, (1 + 2) * 2 * 3);  // with a result
  ASSERT_EQ(twice(MPI_SUM), MPI_SUCCESS);
  std::int64_t expected = (1 + 2) * 2 * 3 + 1 + 2;
  ASSERT_EQ(windows.swap(&one, &expected, &old, MPI_INT64_T, 0), MPI_SUCCESS);
  EXPECT_EQ(old, expected);
  EXPECT_EQ(number(), 1);
  ASSERT_EQ(twice(MPI_SUM), MPI_SUCCESS);
  const std::vector<std::int64_t> fives(1000, 5);
  ASSERT_EQ(windows.change(MPI_REPLACE, fives.data(), nullptr, 1000, MPI_INT64_T, 0), MPI_SUCCESS);
  ASSERT_EQ(windows.flush(), MPI_SUCCESS);
  EXPECT_EQ(number(), 5);  // a long one
}

TEST_F(a_batch, for_another_target_lets_go_of_the_first_ones) {
  ASSERT_EQ(put8(0), MPI_SUCCESS);
  Target& own = windows.window().own();
  own.reach = &kernel_reach;
  ranks.as(0, [&] {
    const Data from{data.data(), 8, &type_of(MPI_BYTE)};
    const Spot here{&own, nullptr, own.address};
    EXPECT_EQ(kernel_reach.put(windows.window(), here, from, {0, 0, 8, &type_of(MPI_BYTE)}),
              MPI_SUCCESS);
  });
  EXPECT_TRUE(is_put(0));
  EXPECT_EQ(windows.memory(0)[0], 0);
  let_answer(false);
  ASSERT_EQ(windows.flush(), MPI_SUCCESS);
  EXPECT_EQ(std::memcmp(windows.memory(0), data.data(), 8), 0);
}

TEST_F(a_batch, of_another_window_is_left_alone) {
  ASSERT_EQ(put8(0), MPI_SUCCESS);
  Window other;
  other.comm = windows.window().comm;
  other.gathered = true;  // as another thread may have seen it
  ranks.as(0, [&] { EXPECT_EQ(finish_batch(other), MPI_SUCCESS); });
  EXPECT_FALSE(is_put(0));
  EXPECT_EQ(held(), 1u);
}

struct a_batch_that_nobody_takes : a_batch {
  a_batch_that_nobody_takes() { let_answer(false); }
};

TEST_F(a_batch_that_nobody_takes, is_put_by_the_kernel_in_the_order_of_the_calls) {
  const char first[8] = {1, 1, 1, 1, 1, 1, 1, 1}, second[8] = {2, 2, 2, 2, 2, 2, 2, 2};
  ASSERT_EQ(put8(800), MPI_SUCCESS);
  ASSERT_EQ(windows.put(first, 8, MPI_BYTE, 0), MPI_SUCCESS);
  ASSERT_EQ(windows.put(second, 8, MPI_BYTE, 4), MPI_SUCCESS);
  ASSERT_EQ(windows.flush(), MPI_SUCCESS);
  EXPECT_TRUE(is_put(800));
  const char together[12] = {1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2};
  EXPECT_EQ(std::memcmp(windows.memory(), together, 12), 0);
  EXPECT_EQ(windows.memory()[12], 0);
}

TEST_F(a_batch_that_nobody_takes, is_got_by_the_kernel_to_each_place) {
  std::memcpy(windows.memory(), data.data(), 2000);
  char got[3][9] = {};
  for (int i = 0; i < 3; ++i)
    ASSERT_EQ(windows.get(got[i], 8, MPI_BYTE, 900 - 300 * i), MPI_SUCCESS);
  EXPECT_EQ(got[0][0], 0);
  ASSERT_EQ(windows.flush(), MPI_SUCCESS);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(std::memcmp(got[i], data.data() + 900 - 300 * i, 8), 0) << i;
    EXPECT_EQ(got[i][8], 0) << i;
  }
}

TEST_F(a_batch_that_nobody_takes, changes_each_element_as_often_as_it_was_called_for) {
  std::int64_t what = 1;
  for (std::int64_t offset : {0, 8, 8, 0, 16, 24, 24}) {
    ASSERT_EQ(add(what, offset), MPI_SUCCESS);
    what *= 2;
  }
  ASSERT_EQ(windows.flush(), MPI_SUCCESS);
  EXPECT_EQ(works_done(), 0);
  EXPECT_EQ(number(0), 1 + 8);
  EXPECT_EQ(number(8), 2 + 4);
  EXPECT_EQ(number(16), 16);
  EXPECT_EQ(number(24), 32 + 64);
  EXPECT_EQ(number(32), 0);
  EXPECT_EQ(mode_of(windows.row().guard), lockfree::GuardMode::always_locked);
  EXPECT_TRUE(is_served(windows.row().elements, take_number(windows.row().elements), true));
}

TEST_F(a_batch_that_nobody_takes, fails_with_words_and_is_forgotten) {
  const std::uint64_t there = windows.target().address;
  char got[8] = {7};
  for (int kind = 0; kind < 3; ++kind) {
    windows.target().address = 4096;  // nothing is mapped there
    ASSERT_EQ(kind == 0   ? windows.get(got, 8, MPI_BYTE, 0)
              : kind == 1 ? add(1)
                          : windows.put(got, 8, MPI_BYTE, 0),
              MPI_SUCCESS);
    EXPECT_EQ(windows.flush(), MPI_ERR_RMA_RANGE) << kind;
    EXPECT_EQ(got[0], 7);
    windows.target().address = there;
    ranks.as(0, [] { partner().skips = 0; });
    EXPECT_EQ(windows.flush(), MPI_SUCCESS) << kind;
  }
  EXPECT_EQ(held(), 0u);
}

TEST_F(a_batch, without_a_slot_is_none_and_the_kernel_moves_all_at_once) {
  DelegationSpace* space = nullptr;
  ranks.as(0, [&] { std::swap(space, one_sided.delegation.own_space); });
  ASSERT_EQ(put8(0), MPI_SUCCESS);
  EXPECT_TRUE(is_put(0));
  number() = 5;
  ASSERT_EQ(add(2), MPI_SUCCESS);
  EXPECT_EQ(number(), 7);
  EXPECT_FALSE(windows.window().gathered);
  ranks.as(0, [&] { std::swap(space, one_sided.delegation.own_space); });
}

}  // namespace
}  // namespace baton::window
