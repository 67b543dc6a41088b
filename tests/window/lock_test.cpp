// Locks of windows by words in the target's row: who gets them when, what they open, and what is
// refused. Rank 1 is the target, and other ranks are played by numbers at its lock.
#include "tests/window/windows.hpp"
#include "window/remote.hpp"
#include "window/synchronize.hpp"

namespace baton::window {
namespace {

struct a_window_lock : windows_test {
  a_window_lock() { windows.use(mapped_reach); }
  Error lock(int type = MPI_LOCK_EXCLUSIVE, int assertion = 0, int rank = 1) {
    return ranks.as(0, [&] { return window::lock(its, type, rank, assertion); });
  }
  Error unlock(int rank = 1) {
    return ranks.as(0, [&] { return window::unlock(its, rank); });
  }
  Error lock_all(int assertion = 0) {
    return ranks.as(0, [&] { return window::lock_all(its, assertion); });
  }
  Error unlock_all() {
    return ranks.as(0, [&] { return window::unlock_all(its); });
  }
  Error access(int rank = 1) {
    return ranks.as(0, [&] { return check_access(its, its.targets[rank]); });
  }

  Window& its = windows.window();
};

TEST_F(a_window_lock, opens_its_target_alone_until_it_is_let_go) {
  EXPECT_EQ(access(), MPI_ERR_RMA_SYNC);
  ASSERT_EQ(lock(), MPI_SUCCESS);
  EXPECT_EQ(access(), MPI_SUCCESS);
  EXPECT_EQ(access(0), MPI_ERR_RMA_SYNC);
  EXPECT_EQ(its.epoch, Epoch::locked);
  ASSERT_EQ(unlock(), MPI_SUCCESS);
  EXPECT_EQ(access(), MPI_ERR_RMA_SYNC);
  EXPECT_EQ(its.epoch, Epoch::none);
}

TEST_F(a_window_lock, keeps_everybody_out_if_it_is_exclusive) {
  ASSERT_EQ(lock(), MPI_SUCCESS);
  const std::uint32_t next = take_number(windows.row().lock);
  EXPECT_FALSE(is_served(windows.row().lock, next, false));
  ASSERT_EQ(unlock(), MPI_SUCCESS);
  EXPECT_TRUE(is_served(windows.row().lock, next, true));
}

TEST_F(a_window_lock, lets_readers_in_if_it_is_shared) {
  ASSERT_EQ(lock(MPI_LOCK_SHARED), MPI_SUCCESS);
  const std::uint32_t next = take_number(windows.row().lock);
  EXPECT_TRUE(is_served(windows.row().lock, next, false));
  EXPECT_FALSE(is_served(windows.row().lock, next, true));
  ASSERT_EQ(unlock(), MPI_SUCCESS);
  EXPECT_TRUE(is_served(windows.row().lock, next, true));
}

TEST_F(a_window_lock, is_waited_for_until_the_holder_lets_go) {
  for (int type : {MPI_LOCK_EXCLUSIVE, MPI_LOCK_SHARED}) {
    const std::uint32_t held = take_number(windows.row().lock);
    bool let_go = false;
    windows.meanwhile = [&] {
      EXPECT_FALSE(its.targets[1].open);
      let_go = true;
      give_own_turn(windows.window(1), held, true);
    };
    ASSERT_EQ(lock(type), MPI_SUCCESS);
    EXPECT_TRUE(let_go);
    ASSERT_EQ(unlock(), MPI_SUCCESS);
  }
}

TEST_F(a_window_lock, leaves_the_rank_that_waits_where_the_holder_finds_it) {
  const std::uint32_t held = take_number(windows.row().lock);
  bool woken = false;
  windows.meanwhile = [&] {
    // Rank 0 sleeps now, for all that rank 1 can see.
    transport::Doorbell& doorbell = transport::doorbell(LocalRank{0});
    lockfree::announce(doorbell, lockfree::wake_asleep);
    give_own_turn(windows.window(1), held, true);
    woken = !lockfree::end_sleep(doorbell);
  };
  ASSERT_EQ(lock(), MPI_SUCCESS);
  EXPECT_TRUE(woken);
  ASSERT_EQ(unlock(), MPI_SUCCESS);
}

TEST_F(a_window_lock, without_check_takes_nothing) {
  const std::uint32_t held = take_number(windows.row().lock);
  ASSERT_EQ(lock(MPI_LOCK_SHARED, MPI_MODE_NOCHECK), MPI_SUCCESS);
  EXPECT_EQ(access(), MPI_SUCCESS);
  ASSERT_EQ(unlock(), MPI_SUCCESS);
  EXPECT_EQ(access(), MPI_ERR_RMA_SYNC);
  EXPECT_EQ(take_number(windows.row().lock), held + 1);
}

TEST_F(a_window_lock, may_be_held_at_several_targets) {
  ASSERT_EQ(lock(MPI_LOCK_EXCLUSIVE, 0, 0), MPI_SUCCESS);
  ASSERT_EQ(lock(MPI_LOCK_SHARED, 0, 1), MPI_SUCCESS);
  ASSERT_EQ(unlock(0), MPI_SUCCESS);
  EXPECT_EQ(its.epoch, Epoch::locked);
  EXPECT_EQ(access(1), MPI_SUCCESS);
  ASSERT_EQ(unlock(1), MPI_SUCCESS);
  EXPECT_EQ(its.epoch, Epoch::none);
}

TEST_F(a_window_lock, of_no_rank_is_none) {
  EXPECT_EQ(lock(MPI_LOCK_SHARED, 0, MPI_PROC_NULL), MPI_SUCCESS);
  EXPECT_EQ(its.epoch, Epoch::none);
  EXPECT_EQ(unlock(MPI_PROC_NULL), MPI_SUCCESS);
}

TEST_F(a_window_lock, that_makes_no_sense_is_refused_and_changes_nothing) {
  EXPECT_EQ(lock(17), MPI_ERR_LOCKTYPE);
  EXPECT_EQ(lock(MPI_LOCK_SHARED, MPI_MODE_NOPUT), MPI_ERR_ASSERT);
  EXPECT_EQ(unlock(), MPI_ERR_RMA_SYNC);
  EXPECT_EQ(unlock_all(), MPI_ERR_RMA_SYNC);
  its.hints.no_locks = true;
  EXPECT_EQ(lock(), MPI_ERR_RMA_SYNC);
  EXPECT_EQ(lock_all(), MPI_ERR_RMA_SYNC);
  its.hints.no_locks = false;
  its.epoch = Epoch::started;
  EXPECT_EQ(lock(), MPI_ERR_RMA_SYNC);
  EXPECT_NE(std::strstr(last_explanation().text, "MPI_Win_complete"), nullptr);
  EXPECT_EQ(lock_all(), MPI_ERR_RMA_SYNC);
  its.epoch = Epoch::none;
  ASSERT_EQ(lock(), MPI_SUCCESS);
  EXPECT_EQ(lock(), MPI_ERR_RMA_SYNC);
  EXPECT_NE(std::strstr(last_explanation().text, "already"), nullptr);
  EXPECT_EQ(lock_all(), MPI_ERR_RMA_SYNC);
  EXPECT_EQ(unlock_all(), MPI_ERR_RMA_SYNC);
  ASSERT_EQ(unlock(), MPI_SUCCESS);
  EXPECT_TRUE(is_served(windows.row().lock, take_number(windows.row().lock), true));
}

TEST_F(a_window_lock, of_all_ranks_is_taken_at_the_first_access) {
  ASSERT_EQ(lock_all(), MPI_SUCCESS);
  EXPECT_EQ(lock(), MPI_ERR_RMA_SYNC);
  EXPECT_FALSE(its.targets[1].open);
  ASSERT_EQ(access(), MPI_SUCCESS);
  ASSERT_EQ(access(), MPI_SUCCESS);
  EXPECT_TRUE(its.targets[1].open);
  EXPECT_FALSE(its.targets[0].open);
  const std::uint32_t next = take_number(windows.row().lock);
  EXPECT_EQ(next, 1u);
  EXPECT_TRUE(is_served(windows.row().lock, next, false));
  EXPECT_FALSE(is_served(windows.row().lock, next, true));
  ASSERT_EQ(unlock_all(), MPI_SUCCESS);
  EXPECT_TRUE(is_served(windows.row().lock, next, true));
  EXPECT_FALSE(its.targets[1].open);
  EXPECT_EQ(its.epoch, Epoch::none);
  EXPECT_EQ(access(), MPI_ERR_RMA_SYNC);
}

TEST_F(a_window_lock, of_all_ranks_without_check_takes_nothing) {
  const std::uint32_t held = take_number(windows.row().lock);
  ASSERT_EQ(lock_all(MPI_MODE_NOCHECK), MPI_SUCCESS);
  ASSERT_EQ(access(), MPI_SUCCESS);
  ASSERT_EQ(unlock_all(), MPI_SUCCESS);
  EXPECT_EQ(take_number(windows.row().lock), held + 1);
}

TEST_F(a_window_lock, settles_stores_and_ends_the_operations_when_it_is_let_go) {
  ASSERT_EQ(lock(), MPI_SUCCESS);
  its.dirty = true;
  ASSERT_EQ(unlock(), MPI_SUCCESS);
  EXPECT_FALSE(its.dirty);
  windows.use(message_reach);
  ASSERT_EQ(lock(), MPI_SUCCESS);
  const char eight[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  ASSERT_EQ(windows.put(eight, 8, MPI_BYTE, 0), MPI_SUCCESS);
  EXPECT_EQ(windows.memory()[7], 0);
  ASSERT_EQ(unlock(), MPI_SUCCESS);
  EXPECT_EQ(windows.memory()[7], 8);
}

TEST_F(a_window_lock, goes_by_messages_where_the_row_is_not_mapped) {
  windows.use(message_reach);
  windows.target().row = nullptr;
  ASSERT_EQ(lock(), MPI_SUCCESS);
  const std::uint32_t next = take_number(windows.row().lock);
  EXPECT_EQ(next, 1u);
  EXPECT_FALSE(is_served(windows.row().lock, next, false));
  ASSERT_EQ(unlock(), MPI_SUCCESS);
  EXPECT_TRUE(is_served(windows.row().lock, next, true));
}

TEST_F(a_window_lock, is_granted_to_messages_in_the_order_of_their_numbers) {
  windows.use(message_reach);
  windows.target().row = nullptr;
  const std::uint32_t held = take_number(windows.row().lock);
  RemoteHeader header;
  header.window = its.comm->id;
  Expected expected[3];
  for (int i = 0; i < 3; ++i) {
    header.exclusive = i == 2;
    header.token = expected[i].token();
    expected[i].answers = 1;
    RemoteMessage message(RemoteKind::lock, header);
    ranks.as(0, [&] { EXPECT_EQ(message.send(windows.target().process), MPI_SUCCESS); });
  }
  ranks.settle();
  for (const Expected& one : expected) EXPECT_EQ(one.answers, 1u);
  ranks.as(1, [&] {
    // Rank 1 sleeps now, for all that the holder can see.
    transport::Doorbell& doorbell = transport::doorbell(LocalRank{1});
    lockfree::announce(doorbell, lockfree::wake_asleep);
    give_own_turn(windows.window(1), held, true);
    EXPECT_FALSE(lockfree::end_sleep(doorbell));
  });
  for (int i = 0; i < 20; ++i) ranks.step(i % 2 == 0);
  EXPECT_EQ(expected[0].answers, 0u);
  EXPECT_EQ(expected[1].answers, 0u);
  EXPECT_EQ(expected[2].answers, 1u);
  EXPECT_EQ(expected[1].number, held + 2);
  for (int i : {0, 1})
    ranks.as(1, [&] { give_own_turn(windows.window(1), expected[i].number, false); });
  for (int i = 0; i < 20; ++i) ranks.step(i % 2 == 0);
  EXPECT_EQ(expected[2].answers, 0u);
}

}  // namespace
}  // namespace baton::window
