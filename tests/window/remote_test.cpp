// What is the messages' own: what waits for a flush, what the target refuses, locks and epochs
// without a row. Rank 0 is the origin; rank 1 makes progress while it waits.
#include "window/remote.hpp"

#include "tests/window/windows.hpp"
#include "window/synchronize.hpp"

namespace baton::window {
namespace {

struct a_remote_target : windows_test {
  a_remote_target() { windows.use(message_reach); }
  std::uint64_t lines_sent() const { return ranks.network.sent[0][1]; }
  std::vector<char> data = message::pattern(Windows::bytes);
  std::int64_t one = 1, old[4] = {7, 7, 7, 7};
};

// The lock's holder has died, and so has rank 0, which waits for it: nobody lets rank 1 wait to
// free the window.
TEST_F(a_remote_target, forgets_who_waits_for_the_lock_of_a_window_that_is_gone) {
  Window& window = windows.window(1);
  (void)take_number(windows.row().lock);
  Expected expected;
  expected.answers = 1;
  ranks.as(0, [&] {
    RemoteHeader header;
    header.window = window.comm->id;
    header.exclusive = 1;
    header.token = expected.token();
    EXPECT_EQ(RemoteMessage(RemoteKind::lock, header).send(Process{1}), MPI_SUCCESS);
  });
  ranks.step(1);
  EXPECT_EQ(expected.answers, 1u);
  Row* const row = std::exchange(window.row, nullptr);
  ranks.as(1, [&] { one_sided.listeners.remove(window); });
  ranks.settle();
  EXPECT_EQ(expected.answers, 0u);
  EXPECT_EQ(expected.error, MPI_ERR_WIN);
  window.row = row;
  ranks.as(1, [&] { one_sided.listeners.add(window); });
}

// A rank may die while a window is made: then some ranks have it, and others have given it up.
TEST_F(a_remote_target, without_the_window_lets_nobody_wait_for_an_answer) {
  Window& window = windows.window(1);
  ranks.as(1, [&] { one_sided.listeners.remove(window); });
  for (const RemoteKind kind : {RemoteKind::lock, RemoteKind::flush, RemoteKind::unlock}) {
    Expected expected;
    expected.answers = 1;
    ranks.as(0, [&] {
      RemoteHeader header;
      header.window = window.comm->id;
      header.token = expected.token();
      EXPECT_EQ(RemoteMessage(kind, header).send(Process{1}), MPI_SUCCESS);
    });
    ranks.settle();
    EXPECT_EQ(expected.answers, 0u);
    EXPECT_EQ(expected.error, MPI_ERR_WIN);
  }
  ranks.as(1, [&] { one_sided.listeners.add(window); });
}

TEST_F(a_remote_target, short_puts_wait_for_the_flush_and_travel_in_one_message) {
  for (int i = 0; i < 3; ++i)
    ASSERT_EQ(windows.put(data.data(), 8, MPI_BYTE, 100 * i), MPI_SUCCESS);
  ranks.settle();
  EXPECT_EQ(lines_sent(), 0u);
  EXPECT_EQ(windows.memory()[0], 0);
  ASSERT_EQ(windows.flush(), MPI_SUCCESS);
  EXPECT_EQ(lines_sent(), 1u);
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(std::memcmp(windows.memory() + 100 * i, data.data(), 8), 0) << i;
}

TEST_F(a_remote_target, short_gets_wait_for_the_flush_and_travel_in_one_message) {
  std::memcpy(windows.memory(), data.data(), data.size());
  char got[3][8] = {};
  for (int i = 0; i < 3; ++i) ASSERT_EQ(windows.get(got[i], 8, MPI_BYTE, 100 * i), MPI_SUCCESS);
  ranks.settle();
  EXPECT_EQ(lines_sent(), 0u);
  ASSERT_EQ(windows.flush(), MPI_SUCCESS);
  EXPECT_EQ(lines_sent(), 1u);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(std::memcmp(got[i], data.data() + 100 * i, 8), 0) << i;
}

TEST_F(a_remote_target, more_short_puts_and_gets_than_a_message_holds_all_arrive) {
  std::vector<char> got(data.size());
  for (int i = 0; i < 150; ++i)
    ASSERT_EQ(windows.put(data.data() + 100 * i, 90, MPI_BYTE, 100 * i), MPI_SUCCESS);
  ASSERT_EQ(windows.flush(), MPI_SUCCESS);
  for (int i = 0; i < 150; ++i)
    ASSERT_EQ(windows.get(got.data() + 100 * i, 90, MPI_BYTE, 100 * i), MPI_SUCCESS);
  ASSERT_EQ(windows.flush(), MPI_SUCCESS);
  for (std::size_t i = 0; i < 150; ++i) {
    EXPECT_EQ(std::memcmp(windows.memory() + 100 * i, data.data() + 100 * i, 90), 0) << i;
    EXPECT_EQ(std::memcmp(got.data() + 100 * i, data.data() + 100 * i, 90), 0) << i;
  }
}

TEST_F(a_remote_target, a_flush_asks_only_for_what_is_not_known_to_be_done) {
  ASSERT_EQ(windows.flush(), MPI_SUCCESS);
  EXPECT_EQ(lines_sent(), 0u);
  ASSERT_EQ(windows.put(data.data(), 8, MPI_BYTE, 0), MPI_SUCCESS);
  ASSERT_EQ(windows.flush(), MPI_SUCCESS);
  const std::uint64_t sent = lines_sent();
  ASSERT_EQ(windows.flush(), MPI_SUCCESS);
  EXPECT_EQ(lines_sent(), sent);
}

TEST_F(a_remote_target, long_data_goes_beside_its_announcement_and_nothing_is_left) {
  ASSERT_EQ(windows.put(data.data(), 100000, MPI_BYTE, 8), MPI_SUCCESS);
  EXPECT_EQ(windows.transfers_begun(), 1u);
  std::vector<char> got(100000);
  ASSERT_EQ(windows.flush(), MPI_SUCCESS);
  ASSERT_EQ(windows.get(got.data(), 100000, MPI_BYTE, 8), MPI_SUCCESS);
  ASSERT_EQ(windows.flush(), MPI_SUCCESS);
  EXPECT_EQ(windows.transfers_begun(), 0u);
  EXPECT_EQ(std::memcmp(got.data(), data.data(), got.size()), 0);
}

TEST_F(a_remote_target, knows_of_an_announced_transfer_until_it_is_over) {
  windows.announce_put(7, 100);
  ranks.settle();
  EXPECT_FALSE(are_accepted_over(windows.window(1)));
  message::Request send;
  ranks.send(0, 1, data.data(), 100, tag_of(7, false), send);
  ranks.as(1, [&] { await_accepted(windows.window(1)); });
  EXPECT_TRUE(are_accepted_over(windows.window(1)));
  EXPECT_EQ(std::memcmp(windows.memory(), data.data(), 100), 0);
}

TEST_F(a_remote_target, what_lies_outside_of_its_memory_is_refused_at_the_next_flush_alone) {
  auto refused = [&](Error begun) {
    EXPECT_EQ(begun, MPI_SUCCESS);
    EXPECT_EQ(windows.flush(), MPI_ERR_RMA_RANGE);
    ASSERT_EQ(windows.put(&one, 8, MPI_BYTE, 0), MPI_SUCCESS);
    EXPECT_EQ(windows.flush(), MPI_SUCCESS);
  };
  constexpr std::int64_t last = Windows::bytes - 4;  // half of eight bytes
  refused(windows.put(&one, 8, MPI_BYTE, last));
  refused(windows.put(data.data(), 100000, MPI_BYTE, last));
  refused(windows.get(old, 8, MPI_BYTE, last));
  refused(windows.get(data.data(), 100000, MPI_BYTE, last));
  refused(windows.change(MPI_SUM, &one, nullptr, 1, MPI_INT64_T, last));
  refused(windows.change(MPI_SUM, &one, old, 1, MPI_INT64_T, last));
  refused(windows.change(MPI_SUM, data.data(), nullptr, 10000, MPI_INT64_T, last));
  refused(windows.swap(&one, &one, old, MPI_INT64_T, last));
  EXPECT_EQ(old[0], 7);
  EXPECT_EQ(windows.transfers_begun(), 0u);
}

TEST_F(a_remote_target, an_accumulate_waits_for_those_before_it_whose_data_goes_beside) {
  const std::vector<std::int64_t> fives(3000, 5);
  auto* there = reinterpret_cast<std::int64_t*>(windows.memory());
  for (bool swaps : {false, true}) {
    there[2999] = 0;
    ASSERT_EQ(windows.change(MPI_REPLACE, fives.data(), nullptr, 3000, MPI_INT64_T, 0),
              MPI_SUCCESS);
    EXPECT_EQ(there[2999], 0);
    if (swaps)
      ASSERT_EQ(windows.swap(&one, fives.data(), old, MPI_INT64_T, 0), MPI_SUCCESS);
    else
      ASSERT_EQ(windows.change(MPI_SUM, &one, nullptr, 1, MPI_INT64_T, 0), MPI_SUCCESS);
    EXPECT_EQ(there[2999], 5);
    ASSERT_EQ(windows.flush(), MPI_SUCCESS);
    EXPECT_EQ(there[0], swaps ? 1 : 6);
  }
}

TEST_F(a_remote_target, applies_accumulates_as_announced_whichever_data_comes_first) {
  std::int64_t operands[2] = {5, 2};
  const MPI_Op operations[2] = {MPI_REPLACE, MPI_SUM};
  message::Request sendings[2];
  auto announce = [&](std::uint32_t number) {
    RemoteHeader header;
    header.window = windows.window().comm->id;
    header.operation = datatype::operations.to_int(operations[number]);
    header.type = datatype::datatypes.to_int(MPI_INT64_T);
    header.number = number;
    RemoteMessage message(RemoteKind::accumulate_run, header);
    message.add(windows.target().address, nullptr, sizeof one);
    ranks.as(0, [&] { EXPECT_EQ(message.send(windows.target().process), MPI_SUCCESS); });
  };
  auto send = [&](std::uint32_t number) {
    ranks.send(0, 1, &operands[number], sizeof one, tag_of(number, false), sendings[number]);
    ranks.settle();
  };
  auto* there = reinterpret_cast<std::int64_t*>(windows.memory());
  announce(0);
  announce(1);
  send(1);
  EXPECT_EQ(*there, 0);
  send(0);
  EXPECT_EQ(*there, 5 + 2);
}

TEST_F(a_remote_target, answers_a_flush_when_the_data_that_was_announced_before_has_come) {
  RemoteHeader header;
  header.window = windows.window().comm->id;
  RemoteMessage announcement(RemoteKind::put_run, header);
  announcement.add(windows.target().address, nullptr, sizeof one);
  Expected expected;
  expected.answers = 1;
  header.token = expected.token();
  RemoteMessage flush(RemoteKind::flush, header);
  for (RemoteMessage* message : {&announcement, &flush})
    ranks.as(0, [&] { EXPECT_EQ(message->send(windows.target().process), MPI_SUCCESS); });
  ranks.settle();
  EXPECT_EQ(expected.answers, 1u);
  message::Request sending;
  ranks.send(0, 1, &one, sizeof one, tag_of(0, false), sending);
  ranks.settle();
  EXPECT_EQ(expected.answers, 0u);
  EXPECT_EQ(std::memcmp(windows.memory(), &one, sizeof one), 0);
}

TEST_F(a_remote_target, grants_its_lock_when_the_holder_lets_go) {
  const std::uint32_t held = take_number(windows.row().lock);
  bool let_go = false;
  windows.meanwhile = [&] {
    give_own_turn(windows.window(1), held, true);
    let_go = true;
  };
  ranks.as(0, [&] {
    ASSERT_EQ(lock_remotely(windows.window(), windows.target(), true), MPI_SUCCESS);
    EXPECT_TRUE(let_go);
    EXPECT_FALSE(is_served(windows.row().lock, take_number(windows.row().lock), false));
  });
}

TEST_F(a_remote_target, has_all_that_was_put_when_its_lock_is_let_go) {
  ranks.as(0, [&] { ASSERT_EQ(lock_remotely(windows.window(), windows.target(), true), 0); });
  ASSERT_EQ(windows.put(data.data(), 8, MPI_BYTE, 0), MPI_SUCCESS);
  ASSERT_EQ(windows.put(data.data(), 100000, MPI_BYTE, 8), MPI_SUCCESS);
  ranks.as(0, [&] { ASSERT_EQ(unlock_remotely(windows.window(), windows.target(), true), 0); });
  EXPECT_EQ(std::memcmp(windows.memory(), data.data(), 8), 0);
  EXPECT_EQ(std::memcmp(windows.memory() + 8, data.data(), 100000), 0);
  EXPECT_TRUE(is_served(windows.row().lock, take_number(windows.row().lock), true));
}

TEST_F(a_remote_target, hears_of_posts_and_completes_once_each) {
  ranks.as(0, [&] {
    tell_remotely(windows.window(), windows.target(), RemoteKind::post);
    tell_remotely(windows.window(), windows.target(), RemoteKind::complete);
  });
  ranks.settle();
  const lockfree::WindowRowLayout layout(Windows::count);
  EXPECT_EQ(words_at(windows.row(), layout.posted)[0], 1u);
  EXPECT_EQ(windows.row().epochs.completed, 1u);
}

}  // namespace
}  // namespace baton::window
