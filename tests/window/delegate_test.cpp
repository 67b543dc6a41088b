// What ranks of a node do for each other on memory that only the kernel copies: whom they ask, what
// the target does, and what is left to the origin.
#include "window/delegate.hpp"

#include "platform/clock.hpp"
#include "tests/window/delegating.hpp"
#include "transport/heap.hpp"

namespace baton::window {
namespace {

struct delegated_work : delegating_test {
  // From here on the kernel finds no memory at the target, and nor would the target.
  void lose_memory() { windows.target().address = 4096; }
  // Describes work on the eight bytes at the beginning, and asks for it. Returns whether the target
  // has done it.
  bool ask(WorkKind kind, const Datatype* type, const Operation* operation) {
    return ranks.as(0, [&] {
      Work& work = *one_sided.delegation.own_work();
      describe_work(work, windows.window(), kind, type, operation);
      std::memset(work.add(windows.target().address, 8), 0, 8);
      return one_sided.delegation.delegate(windows.target(), work);
    });
  }
};

TEST_F(delegated_work, is_done_by_a_target_that_is_in_mpi) {
  ASSERT_EQ(windows.put(data.data(), 3000, MPI_BYTE, 5), MPI_SUCCESS);
  ASSERT_EQ(windows.flush(), MPI_SUCCESS);
  EXPECT_EQ(works_done(), 1);
  EXPECT_EQ(windows.memory()[4], 0);
  EXPECT_EQ(std::memcmp(windows.memory() + 5, data.data(), 3000), 0);
  EXPECT_EQ(windows.memory()[3005], 0);
  std::vector<char> got(3001);
  ASSERT_EQ(windows.get(got.data(), 3000, MPI_BYTE, 5), MPI_SUCCESS);
  ASSERT_EQ(windows.flush(), MPI_SUCCESS);
  EXPECT_EQ(works_done(), 1);
  EXPECT_EQ(std::memcmp(got.data(), data.data(), 3000), 0);
  EXPECT_EQ(got[3000], 0);
}

TEST_F(delegated_work, changes_elements_once_and_gives_their_values_before) {
  number() = 40;
  ASSERT_EQ(add_now(2), MPI_SUCCESS);
  EXPECT_EQ(number(), 42);
  const std::int64_t three = 3;
  std::int64_t before = 0;
  ASSERT_EQ(windows.change(MPI_PROD, &three, &before, 1, MPI_INT64_T, 0), MPI_SUCCESS);
  EXPECT_EQ(before, 42);
  EXPECT_EQ(number(), 126);
  ASSERT_EQ(windows.change(MPI_NO_OP, nullptr, &before, 1, MPI_INT64_T, 0), MPI_SUCCESS);
  EXPECT_EQ(before, 126);
  EXPECT_EQ(number(), 126);
  EXPECT_EQ(works_done(), 3);
}

TEST_F(delegated_work, swaps_what_is_as_expected_and_gives_what_was_there) {
  std::int64_t wanted = 8, expected = 7, found = 0;
  number() = 7;
  for (std::int64_t before : {7, 8}) {
    ASSERT_EQ(windows.swap(&wanted, &expected, &found, MPI_INT64_T, 0), MPI_SUCCESS);
    EXPECT_EQ(found, before);
    EXPECT_EQ(number(), 8);
    wanted = 9;
  }
  EXPECT_EQ(works_done(), 2);
}

TEST_F(delegated_work, that_nobody_takes_is_withdrawn_and_done_once) {
  let_answer(false);
  ASSERT_EQ(add_now(1), MPI_SUCCESS);
  EXPECT_EQ(number(), 1);
  ranks.step(1);  // finds the bell rung
  EXPECT_EQ(works_done(), 0);
  EXPECT_EQ(number(), 1);
}

TEST_F(delegated_work, of_a_window_that_the_target_has_freed_is_refused) {
  ranks.as(1, [&] { one_sided.listeners.remove(windows.window(1)); });
  EXPECT_EQ(add_now(1), MPI_ERR_WIN);
  EXPECT_EQ(number(), 0);
}

TEST_F(delegated_work, with_a_type_or_an_operation_that_the_target_does_not_know_is_refused) {
  const Datatype& type = type_of(MPI_INT64_T);
  EXPECT_TRUE(ask(WorkKind::accumulate, &type, nullptr));
  EXPECT_EQ(work().error, MPI_ERR_OP);
  EXPECT_TRUE(ask(WorkKind::accumulate, &type, &operation_of(MPI_SUM)));
  EXPECT_EQ(work().error, MPI_SUCCESS);
  Datatype unknown;
  unknown.handle = MPI_DATATYPE_NULL;
  EXPECT_TRUE(ask(WorkKind::compare_and_swap, &unknown, nullptr));
  EXPECT_EQ(work().error, MPI_ERR_OP);
}

TEST_F(delegated_work, on_memory_that_is_not_attached_is_left_to_the_kernel) {
  for (std::uint32_t rank = 0; rank < Windows::count; ++rank)
    windows.window(rank).flavor = MPI_WIN_FLAVOR_DYNAMIC;
  ASSERT_EQ(add_now(1), MPI_SUCCESS);
  EXPECT_EQ(number(), 1);
  EXPECT_EQ(works_done(), 1);  // it has looked
  lose_memory();
  EXPECT_EQ(add_now(1), MPI_ERR_RMA_RANGE);
}

TEST_F(delegated_work, is_done_for_others_while_this_rank_waits) {
  let_answer(false);
  ask_rank_0(5);
  ASSERT_EQ(add_now(1), MPI_SUCCESS);
  EXPECT_TRUE(has_rank_0_put(5));
  EXPECT_EQ(number(), 1);
}

TEST_F(delegated_work, is_done_for_others_while_this_rank_offers_a_stream) {
  let_answer(false);
  ask_rank_0(5);
  ASSERT_EQ(windows.put(data.data(), 100000, MPI_BYTE, 0), MPI_SUCCESS);
  EXPECT_TRUE(has_rank_0_put(5));
  EXPECT_TRUE(was_asked());
}

struct a_target_to_be_asked : delegated_work {
  // How many operations go by before the target is asked.
  int operations_until_asked() {
    int operations = 0;
    do EXPECT_EQ(add_now(1), MPI_SUCCESS);
    while (++operations < 100 && !was_asked());
    return operations;
  }
};

TEST_F(a_target_to_be_asked, that_does_not_answer_is_asked_ever_more_rarely) {
  let_answer(false);
  for (int operations : {1, 1 + 2, 1 + 4, 1 + 8, 1 + 16, 1 + 16})
    EXPECT_EQ(operations_until_asked(), operations);
}

TEST_F(a_target_to_be_asked, that_answers_again_is_asked_each_time) {
  let_answer(false);
  EXPECT_EQ(operations_until_asked(), 1);
  let_answer(true);
  for (int i = 0; i < 5; ++i) ASSERT_EQ(add_now(1), MPI_SUCCESS);
  EXPECT_EQ(works_done(), 3);
  let_answer(false);
  EXPECT_EQ(operations_until_asked(), 1);
  EXPECT_EQ(operations_until_asked(), 1 + 2);
}

TEST_F(a_target_to_be_asked, whose_space_is_a_new_one_is_asked_at_once) {
  let_answer(false);
  EXPECT_EQ(operations_until_asked(), 1);
  ranks.as(0, [] {
    DelegationSpace* space = partner().space;
    one_sided.delegation.note_space(LocalRank{1}, 64);
    EXPECT_EQ(partner().space, nullptr);
    partner().space = space;
  });
  EXPECT_EQ(operations_until_asked(), 1);
}

TEST_F(a_target_to_be_asked, keeps_its_space_when_another_window_tells_of_it) {
  let_answer(false);
  EXPECT_EQ(operations_until_asked(), 1);
  ranks.as(0, [] { one_sided.delegation.note_space(LocalRank{1}, partner().address); });
  EXPECT_EQ(operations_until_asked(), 1 + 2);
}

TEST_F(a_target_to_be_asked, without_a_space_is_not_asked) {
  ranks.as(0, [] { one_sided.delegation.note_space(LocalRank{1}, 0); });
  ASSERT_EQ(add_now(1), MPI_SUCCESS);
  EXPECT_EQ(number(), 1);
  EXPECT_EQ(works_done(), 0);
  ranks.as(0, [] { EXPECT_EQ(partner().skips, 0u); });
}

TEST_F(a_target_to_be_asked, is_not_asked_without_patience) {
  settings.delegation_polls = 0;
  ASSERT_EQ(add_now(1), MPI_SUCCESS);
  EXPECT_FALSE(was_asked());
  settings.delegation_polls = -1;
  for (bool crowded : {true, false}) {
    ranks.as(0, [=] {
      message::engine.oversubscribed = crowded;
      one_sided.delegation.own_ticks = std::int64_t{1} << 40;
    });
    ASSERT_EQ(add_now(1), MPI_SUCCESS);
    EXPECT_EQ(works_done(), crowded ? 0 : 1);
  }
  EXPECT_EQ(number(), 3);
}

TEST_F(a_target_to_be_asked, that_sleeps_is_woken_and_not_asked_until_it_may_be_awake) {
  let_answer(false);
  ranks.as(1, [] {
    lockfree::announce(transport::doorbell(transport::own_rank()), lockfree::wake_asleep);
  });
  ranks.as(0, [] { one_sided.delegation.own_ticks = std::int64_t{1} << 50; });
  EXPECT_EQ(operations_until_asked(), 1);
  EXPECT_EQ(operations_until_asked(), 100);
  ranks.as(0, [] { partner().wakes_ticks = 0; });
  EXPECT_EQ(operations_until_asked(), 1);
}

TEST_F(delegated_work, has_a_space_from_the_first_window_to_the_last) {
  ranks.as(1, [] {
    Delegation& delegation = one_sided.delegation;
    DelegationSpace* space = delegation.own_space;
    EXPECT_EQ(delegation.open(nullptr), reinterpret_cast<std::uint64_t>(space));
    delegation.close();
    EXPECT_EQ(delegation.own_space, space);
    EXPECT_NE(message::attendance.askers, &message::nobody);
    delegation.close();
    EXPECT_EQ(delegation.own_work(), nullptr);
    EXPECT_EQ(message::attendance.askers, &message::nobody);
    EXPECT_NE(message::attendance.attend, nullptr) << "another thread may be about to call it";
    char* start = nullptr;
    std::size_t bytes = 0;
    EXPECT_TRUE(transport::exported_heap.find_block(space, &start, &bytes)) << "others may look";
    delegation.note_space(LocalRank{0}, 64);  // of a window that was freed meanwhile
    EXPECT_FALSE(delegation.attend(one_sided.listeners));
    EXPECT_NE(delegation.open(attend), 0u);
  });
}

// Rank 1 looks why its bell has rung when the window is gone, and rank 0 has taken memory since.
TEST_F(delegated_work, that_was_withdrawn_before_its_window_went_leaves_other_memory_alone) {
  let_answer(false);
  ASSERT_EQ(add_now(1), MPI_SUCCESS);
  constexpr std::size_t words = sizeof(DelegationSpace) / sizeof(std::uint32_t);
  const std::vector<std::uint32_t> mine(words, lockfree::delegation_asked + 1);
  void* memory = nullptr;
  ranks.as(0, [&] {
    one_sided.delegation.close();
    ASSERT_EQ(transport::exported_heap.allocate(sizeof(DelegationSpace), cache_line_bytes, nullptr,
                                                false, &memory),
              MPI_SUCCESS);
    std::memcpy(memory, mine.data(), sizeof(DelegationSpace));
  });
  ranks.as(1, [] { EXPECT_FALSE(one_sided.delegation.attend(one_sided.listeners)); });
  EXPECT_EQ(std::memcmp(memory, mine.data(), sizeof(DelegationSpace)), 0);
  ranks.as(0, [&] {
    EXPECT_TRUE(transport::exported_heap.release(memory));
    EXPECT_NE(one_sided.delegation.open(attend), 0u);
  });
}

TEST(the_time_of_own_work, falls_at_once_and_grows_slowly) {
  Delegation delegation;
  constexpr std::int64_t long_ticks = std::int64_t{1} << 40;
  { const OwnWay first(delegation); }
  EXPECT_GE(delegation.own_way_ticks(), 0);
  delegation.own_ticks = long_ticks;
  { const OwnWay shorter(delegation); }
  EXPECT_LT(delegation.own_way_ticks(), long_ticks);
  delegation.own_ticks = 16;
  {
    const OwnWay longer(delegation);
    for (const std::int64_t start = platform::now_ticks();
         platform::now_ticks() - start < 100000;) {
    }
  }
  EXPECT_EQ(delegation.own_way_ticks(), 16 + 1 + 1);
}

}  // namespace
}  // namespace baton::window
