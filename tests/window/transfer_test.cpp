// What this rank has begun, and which of it is waited for.
#include "window/transfer.hpp"

#include "tests/window/windows.hpp"

namespace baton::window {
namespace {

struct begun_transfers : windows_test {
  begun_transfers() { other.targets = its.targets; }
  ~begun_transfers() {
    for (Window* window : {&its, &other}) EXPECT_EQ(forget(*window), MPI_SUCCESS);
    EXPECT_EQ(all.count(), 0u);
  }
  // Begins one that waits for an answer.
  Transfer& begin(Window& window, int rank = 1, bool is_access = false) {
    Transfer& transfer = *new_transfer(window, rank);
    transfer.is_access = is_access;
    transfer.expected.answers = 1;
    all.note(transfer);
    return transfer;
  }
  static void end(Transfer& transfer, Error error = MPI_SUCCESS) {
    transfer.expected.error = error;
    transfer.expected.answers = 0;
  }
  Error forget(Window& window) { return TransfersUntilNow(all, window, nullptr, false).forget(); }

  BegunTransfers all;
  Window& its = windows.window();
  Window other;
};

TEST_F(begun_transfers, that_begin_later_are_not_waited_for) {
  Transfer& first = begin(its);
  const TransfersUntilNow mine(all, its, nullptr, false);
  Transfer& second = begin(its);
  EXPECT_FALSE(mine.are_over());
  end(first);
  EXPECT_TRUE(mine.are_over());
  EXPECT_EQ(mine.forget(), MPI_SUCCESS);
  EXPECT_EQ(all.count(), 1u);
  EXPECT_FALSE(TransfersUntilNow(all, its, nullptr, false).are_over());
  end(second);
}

TEST_F(begun_transfers, of_another_window_are_left_alone) {
  begin(its);
  Transfer& beside = begin(other);
  EXPECT_FALSE(TransfersUntilNow(all, its, nullptr, false).are_over());
  EXPECT_EQ(forget(its), MPI_SUCCESS);
  EXPECT_EQ(all.count(), 1u);
  EXPECT_TRUE(TransfersUntilNow(all, its, nullptr, false).are_over());
  EXPECT_FALSE(TransfersUntilNow(all, other, nullptr, false).are_over());
  end(beside);
}

TEST_F(begun_transfers, to_another_target_are_left_alone) {
  Transfer& there = begin(its, 1);
  const TransfersUntilNow own(all, its, &its.targets[0], false);
  EXPECT_TRUE(own.are_over());
  EXPECT_EQ(own.forget(), MPI_SUCCESS);
  EXPECT_EQ(all.count(), 1u);
  EXPECT_FALSE(TransfersUntilNow(all, its, &its.targets[1], false).are_over());
  end(there);
}

TEST_F(begun_transfers, that_are_accesses_may_be_waited_for_alone) {
  Transfer& message = begin(its);
  Transfer& access = begin(its, 1, true);
  const TransfersUntilNow accesses(all, its, nullptr, true);
  EXPECT_FALSE(accesses.are_over());
  end(access);
  EXPECT_TRUE(accesses.are_over());
  ranks.as(0, [&] { all.await_accesses(its, its.targets[1]); });
  end(message);
}

TEST_F(begun_transfers, give_the_last_error_and_are_all_forgotten) {
  for (Error error : {MPI_SUCCESS, MPI_ERR_RMA_RANGE, MPI_ERR_OP, MPI_SUCCESS})
    end(begin(its), error);
  EXPECT_EQ(forget(its), MPI_ERR_OP);
  EXPECT_FALSE(all.any());
  end(begin(its), MPI_ERR_TYPE);
  EXPECT_TRUE(all.any());
  EXPECT_EQ(forget(its), MPI_ERR_TYPE);
}

TEST_F(begun_transfers, are_kept_in_order_whichever_are_forgotten) {
  begin(its, 0);
  end(begin(other));
  begin(its, 1);
  EXPECT_EQ(forget(other), MPI_SUCCESS);
  for (int rank : {1, 0}) {
    EXPECT_EQ(TransfersUntilNow(all, its, &its.targets[rank], false).forget(), MPI_SUCCESS);
    EXPECT_EQ(all.count(), rank == 1 ? 1u : 0u);
    end(begin(other));
    EXPECT_EQ(forget(other), MPI_SUCCESS);
  }
}

TEST_F(begun_transfers, wait_for_the_caller_of_an_answer_and_hold_its_data) {
  Expected* plain = all.expect_answer(its, 1, false);
  Expected* scattered = all.expect_answer(its, 1, true);
  const TransfersUntilNow mine(all, its, nullptr, false);
  EXPECT_EQ(plain->places, nullptr);
  ASSERT_NE(scattered->places, nullptr);
  EXPECT_EQ(scattered->places->count, 0u);
  for (Expected* one : {plain, scattered}) {
    EXPECT_FALSE(mine.are_over());
    one->answers -= Expected::asking;
  }
  EXPECT_TRUE(mine.are_over());
}

TEST_F(begun_transfers, have_numbers_of_their_own) {
  const std::uint32_t number = all.next_number();
  EXPECT_EQ(all.next_number(), number + 1);
  EXPECT_NE(tag_of(number, true), tag_of(number, false));
  EXPECT_NE(tag_of(number, true), tag_of(number + 1, false));
  EXPECT_GE(tag_of(~0u, true), 0);
}

TEST_F(begun_transfers, seem_to_exist_where_another_thread_may_begin_some) {
  EXPECT_FALSE(all.any());
  platform::threads_multiple = true;
  EXPECT_TRUE(all.any());
  platform::threads_multiple = false;
}

TEST_F(begun_transfers, of_data_that_was_cut_off_are_refused) {
  // The target has sent nothing for a get.
  std::vector<char> here(100);
  const Data data{here.data(), 100, &type_of(MPI_BYTE)};
  message::Request sending;
  ranks.as(0, [&] { EXPECT_EQ(all.begin(its, 1, 5, data, true), MPI_SUCCESS); });
  const TransfersUntilNow mine(all, its, nullptr, false);
  EXPECT_FALSE(mine.are_over());
  ranks.send(1, 0, here.data(), 0, tag_of(5, true), sending);
  ranks.settle();
  EXPECT_TRUE(mine.are_over());
  EXPECT_EQ(ranks.as(0, [&] { return mine.forget(); }), MPI_ERR_RMA_RANGE);
}

}  // namespace
}  // namespace baton::window
