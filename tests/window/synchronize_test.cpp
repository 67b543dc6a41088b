// Epochs of post, start, complete and wait between two ranks, and flushes: what is waited for, and
// what is refused. Of fences, what is waited for when all ranks have met.
#include "window/synchronize.hpp"

#include "tests/window/windows.hpp"
#include "window/remote.hpp"

namespace baton::window {
namespace {

struct a_window_epoch : windows_test {
  a_window_epoch() {
    windows.use(mapped_reach);
    for (std::uint32_t rank = 0; rank < Windows::count; ++rank) {
      only[rank] = world::new_group(1);
      only[rank]->processes[0] = static_cast<Process>(rank);
    }
  }
  ~a_window_epoch() {
    for (Group* group : only) world::release(*group);
  }
  Error post(int assertion = 0) {
    return ranks.as(1, [&] { return window::post(windows.window(1), *only[0], assertion); });
  }
  Error start(int assertion = 0) {
    return ranks.as(0, [&] { return window::start(its, *only[1], assertion); });
  }
  // Begins the epoch before rank 1 has posted.
  void start_waits_for_post() {
    bool posted = false;
    windows.meanwhile = [&] {
      posted = true;
      EXPECT_EQ(window::post(windows.window(1), *only[0], 0), MPI_SUCCESS);
    };
    EXPECT_EQ(start(), MPI_SUCCESS);
    EXPECT_TRUE(posted);
  }
  Error complete() {
    return ranks.as(0, [&] { return window::complete(its); });
  }
  // What MPI_Win_test says at rank 1; -1: an error.
  int test() {
    int flag = 0;
    const Error error = ranks.as(1, [&] { return window::test(windows.window(1), &flag); });
    return error ? -1 : flag;
  }
  Error put(char value) { return windows.put(&value, 1, MPI_BYTE, 0); }
  template <class Call>
  Error call(Call what) {
    return ranks.as(0, [&] { return what(its); });
  }

  Window& its = windows.window();
  Group* only[Windows::count];
};

TEST_F(a_window_epoch, of_two_ranks_begins_with_the_post_and_ends_with_the_complete) {
  for (int i = 0; i < 3; ++i) {
    ASSERT_EQ(post(), MPI_SUCCESS);
    EXPECT_EQ(test(), 0);
    ASSERT_EQ(start(), MPI_SUCCESS);
    EXPECT_TRUE(windows.target().open);
    EXPECT_EQ(test(), 0);
    ASSERT_EQ(complete(), MPI_SUCCESS);
    EXPECT_FALSE(windows.target().open);
    EXPECT_EQ(test(), 1);
    EXPECT_EQ(test(), -1);
  }
}

TEST_F(a_window_epoch, waits_for_a_post_each_time) {
  for (int i = 0; i < 2; ++i) {
    start_waits_for_post();
    ASSERT_EQ(complete(), MPI_SUCCESS);
    EXPECT_EQ(test(), 1);
  }
}

TEST_F(a_window_epoch, waits_for_the_completes_of_all_origins) {
  Group& both = *windows.window(1).comm->local;
  ranks.as(1, [&] { ASSERT_EQ(window::post(windows.window(1), both, 0), MPI_SUCCESS); });
  ASSERT_EQ(start(), MPI_SUCCESS);
  ASSERT_EQ(complete(), MPI_SUCCESS);
  EXPECT_EQ(test(), 0);
  ranks.as(1, [&] {
    ASSERT_EQ(window::start(windows.window(1), *only[1], 0), MPI_SUCCESS);
    ASSERT_EQ(window::complete(windows.window(1)), MPI_SUCCESS);
    EXPECT_EQ(window::wait(windows.window(1)), MPI_SUCCESS);
  });
  EXPECT_FALSE(windows.window(1).exposed);
}

TEST_F(a_window_epoch, without_check_waits_for_no_post) {
  ASSERT_EQ(post(MPI_MODE_NOCHECK), MPI_SUCCESS);
  ASSERT_EQ(start(MPI_MODE_NOCHECK), MPI_SUCCESS);
  EXPECT_TRUE(windows.target().open);
  ASSERT_EQ(complete(), MPI_SUCCESS);
  EXPECT_EQ(test(), 1);
  start_waits_for_post();  // the next one, with check
  ASSERT_EQ(complete(), MPI_SUCCESS);
  EXPECT_EQ(test(), 1);
}

TEST_F(a_window_epoch, ends_all_operations_before_it_tells_the_target) {
  for (const Reach* reach : {&message_reach, &kernel_reach}) {
    windows.use(*reach);
    windows.memory()[0] = 0;
    ASSERT_EQ(post(), MPI_SUCCESS);
    ASSERT_EQ(start(), MPI_SUCCESS);
    ASSERT_EQ(put(9), MPI_SUCCESS);
    ASSERT_EQ(complete(), MPI_SUCCESS);
    EXPECT_EQ(windows.memory()[0], 9);
    EXPECT_EQ(test(), 1);
  }
}

TEST_F(a_window_epoch, goes_by_messages_where_the_other_row_is_not_mapped) {
  windows.use(message_reach);
  windows.target().row = nullptr;
  windows.window(1).targets[0].row = nullptr;
  windows.window(1).targets[0].reach = &message_reach;
  ASSERT_EQ(post(), MPI_SUCCESS);
  ASSERT_EQ(start(), MPI_SUCCESS);
  ASSERT_EQ(put(9), MPI_SUCCESS);
  ASSERT_EQ(complete(), MPI_SUCCESS);
  EXPECT_EQ(test(), 0);  // makes progress
  EXPECT_EQ(test(), 1);
  EXPECT_EQ(windows.memory()[0], 9);
}

TEST_F(a_window_epoch, that_does_not_fit_is_refused) {
  EXPECT_EQ(complete(), MPI_ERR_RMA_SYNC);
  EXPECT_EQ(test(), -1);
  ranks.as(1, [&] { EXPECT_EQ(window::wait(windows.window(1)), MPI_ERR_RMA_SYNC); });
  EXPECT_EQ(start(MPI_MODE_NOPUT), MPI_ERR_ASSERT);
  EXPECT_EQ(post(MPI_MODE_NOPRECEDE), MPI_ERR_ASSERT);
  ASSERT_EQ(post(), MPI_SUCCESS);
  EXPECT_EQ(post(), MPI_ERR_RMA_SYNC);
  EXPECT_EQ(check_closed(windows.window(1)), MPI_ERR_RMA_SYNC);
  ranks.as(1, [&] { EXPECT_EQ(fence(windows.window(1), 0), MPI_ERR_RMA_SYNC); });
  ASSERT_EQ(start(), MPI_SUCCESS);
  EXPECT_EQ(start(), MPI_ERR_RMA_SYNC);
  EXPECT_EQ(check_closed(its), MPI_ERR_RMA_SYNC);
  EXPECT_EQ(call([](Window& window) { return fence(window, 0); }), MPI_ERR_RMA_SYNC);
  ASSERT_EQ(complete(), MPI_SUCCESS);
  EXPECT_EQ(check_closed(its), MPI_SUCCESS);
  only[1]->processes[0] = static_cast<Process>(7);
  EXPECT_EQ(start(), MPI_ERR_GROUP);
  only[1]->processes[0] = static_cast<Process>(1);
  EXPECT_EQ(test(), 1);
}

TEST_F(a_window_epoch, has_flushes_only_where_the_target_is_locked) {
  const auto one = [](Window& window) { return window::flush(window, 1); };
  const auto one_local = [](Window& window) { return flush_local(window, 1); };
  EXPECT_EQ(call(one), MPI_ERR_RMA_SYNC);
  EXPECT_EQ(call(one_local), MPI_ERR_RMA_SYNC);
  EXPECT_EQ(call(flush_all), MPI_ERR_RMA_SYNC);
  EXPECT_EQ(call(flush_local_all), MPI_ERR_RMA_SYNC);
  EXPECT_EQ(call([](Window& window) { return window::flush(window, MPI_PROC_NULL); }), MPI_SUCCESS);
  ASSERT_EQ(call([](Window& window) { return lock(window, MPI_LOCK_SHARED, 1, 0); }), MPI_SUCCESS);
  EXPECT_EQ(call(one), MPI_SUCCESS);
  EXPECT_EQ(call(one_local), MPI_SUCCESS);
  EXPECT_EQ(call([](Window& window) { return window::flush(window, 0); }), MPI_ERR_RMA_SYNC);
  EXPECT_EQ(call(flush_all), MPI_SUCCESS);
  EXPECT_EQ(call(flush_local_all), MPI_SUCCESS);
  ASSERT_EQ(call([](Window& window) { return unlock(window, 1); }), MPI_SUCCESS);
}

TEST_F(a_window_epoch, has_what_was_put_at_the_target_after_a_flush) {
  ASSERT_EQ(call([](Window& window) { return lock_all(window, 0); }), MPI_SUCCESS);
  windows.use(message_reach);
  char value = 1;
  for (auto flush : {+[](Window& window) { return window::flush(window, 1); }, flush_all}) {
    its.dirty = true;
    ASSERT_EQ(put(value), MPI_SUCCESS);
    ASSERT_EQ(call(flush), MPI_SUCCESS);
    EXPECT_EQ(windows.memory()[0], value++);
    EXPECT_FALSE(its.dirty);
  }
  ASSERT_EQ(call(unlock_all), MPI_SUCCESS);
}

TEST_F(a_window_epoch, has_what_was_got_here_after_a_local_flush) {
  ASSERT_EQ(call([](Window& window) { return lock_all(window, 0); }), MPI_SUCCESS);
  windows.use(message_reach);
  windows.memory()[0] = 5;
  for (auto flush : {+[](Window& window) { return flush_local(window, 1); }, flush_local_all}) {
    char got = 0;
    ASSERT_EQ(windows.get(&got, 1, MPI_BYTE, 0), MPI_SUCCESS);
    EXPECT_EQ(got, 0);
    ASSERT_EQ(call(flush), MPI_SUCCESS);
    EXPECT_EQ(got, 5);
  }
  ASSERT_EQ(call(unlock_all), MPI_SUCCESS);
}

// Rank 0 has announced a transfer to rank 1, and its data has not come.
struct a_transfer_under_way : a_window_epoch {
  void announce() { windows.announce_put(7, sizeof data); }
  void send_data() { ranks.send(0, 1, data, sizeof data, tag_of(7, false), sending); }
  bool is_over() { return are_accepted_over(windows.window(1)); }
  message::Request sending;
  char data[100] = {};
};

TEST_F(a_transfer_under_way, keeps_the_targets_epoch_open) {
  for (bool waits : {false, true}) {
    ASSERT_EQ(post(), MPI_SUCCESS);
    ASSERT_EQ(start(), MPI_SUCCESS);
    announce();
    ASSERT_EQ(complete(), MPI_SUCCESS);
    EXPECT_EQ(test(), 0);
    send_data();
    if (waits)
      EXPECT_EQ(ranks.as(1, [&] { return window::wait(windows.window(1)); }), MPI_SUCCESS);
    else
      for (int look = 0; look < 1000 && test() == 0; ++look) {
      }
    EXPECT_TRUE(is_over());
    EXPECT_FALSE(windows.window(1).exposed);
  }
}

TEST_F(a_transfer_under_way, keeps_its_target_in_a_fence) {
  the_others_meet = true;
  announce();
  send_data();
  EXPECT_EQ(ranks.as(1, [&] { return fence(windows.window(1), 0); }), MPI_SUCCESS);
  EXPECT_TRUE(is_over());
  the_others_meet = false;
}

}  // namespace
}  // namespace baton::window
