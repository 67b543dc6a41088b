// Long operations on memory that only the kernel copies: the origin's side, and the choice of the
// way. A thread stands for the target, because both sides work at the same time.
#include "window/stream.hpp"

#include <functional>
#include <thread>

#include "tests/window/delegating.hpp"

namespace baton::window {
namespace {

// Does the target's side of a stream.
void do_side(Work& work) {
  StreamSide side(work, LocalRank{0}, LocalRank{0});
  char* memory = reinterpret_cast<char*>(work.first.address);
  char* there = nullptr;
  std::memcpy(&there, work.data, sizeof there);
  const bool puts = work.kind == WorkKind::put_stream;
  if (work.stream.way == StreamWay::both_by_kernel)
    return side.copy_by_kernel([&](std::int64_t position, std::int64_t bytes) {
      std::memcpy((puts ? memory : there) + position, (puts ? there : memory) + position,
                  static_cast<std::size_t>(bytes));
      return true;
    });
  if (work.kind == WorkKind::get_stream) return side.fill(memory);
  side.empty([&](const char* staged, std::int64_t position, std::int64_t bytes) {
    if (puts) {
      std::memcpy(memory + position, staged, static_cast<std::size_t>(bytes));
      return true;
    }
    EXPECT_EQ(bytes % 8, 0);
    for (std::int64_t i = 0; i < bytes; i += 8) {
      std::int64_t before, more;
      std::memcpy(&before, memory + position + i, 8);
      std::memcpy(&more, staged + i, 8);
      before += more;
      std::memcpy(memory + position + i, &before, 8);
    }
    return true;
  });
}

// A target that takes all work at once. It has no engine.
class StandIn {
 public:
  StandIn(Work& work, std::function<void(Work&)> what, std::function<void(Work&)> first = {})
      : work_(work), what_(std::move(what)), first_(std::move(first)), thread_([this] { run(); }) {}
  // Ends it, and returns the ways of the streams that it has taken.
  std::vector<StreamWay> ways() {
    over_ = true;
    thread_.join();
    return ways_;
  }

 private:
  void run() {
    while (!over_) {
      if (first_ && work_.state.step == lockfree::delegation_asked + 1) first_(work_);
      if (!lockfree::take(work_.state, 1)) {
        std::this_thread::yield();
        continue;
      }
      ways_.push_back(work_.stream.way);
      what_(work_);
      lockfree::finish(work_.state);
    }
  }

  Work& work_;
  std::function<void(Work&)> what_, first_;
  std::vector<StreamWay> ways_;
  std::atomic<bool> over_{false};
  std::thread thread_;  // the last: it uses the others
};

struct a_long_run : delegating_test {
  static constexpr std::int64_t bytes = 300001;
  a_long_run() {
    settings.non_temporal_stores = true;
    let_answer(false);
  }
  // The next run of this kind (0: put, 1: get, 2: accumulate) goes this way.
  void go(StreamWay way, int kind = 0, std::int64_t length = bytes) {
    choice(kind, length).use(static_cast<int>(way));
  }
  StreamChoice& choice(int kind, std::int64_t length) {
    return *ranks.as(0, [&] {
      return &one_sided.delegation.streams.choices_of(LocalRank{1})->at(kind, length);
    });
  }
  // For as long as it takes; a target that never comes is ended by the test's time limit.
  void wait_for_target() { settings.delegation_polls = std::int64_t{1} << 40; }
  void put_and_look(std::int64_t length = bytes) {
    std::memset(windows.memory(), 0, Windows::bytes);
    ASSERT_EQ(windows.put(data.data(), length, MPI_BYTE, 24), MPI_SUCCESS);
    EXPECT_EQ(windows.memory()[23], 0);
    EXPECT_EQ(std::memcmp(windows.memory() + 24, data.data(), static_cast<std::size_t>(length)), 0);
    EXPECT_EQ(windows.memory()[24 + length], 0);
  }
};

using Ways = std::vector<StreamWay>;
constexpr StreamWay through = StreamWay::through_cache, around = StreamWay::around_cache,
                    both = StreamWay::both_by_kernel;

TEST_F(a_long_run, is_put_each_way) {
  wait_for_target();
  StandIn target(work(), do_side);
  for (int way = 0; way < stream_ways; ++way) {
    go(static_cast<StreamWay>(way));
    put_and_look();
  }
  EXPECT_EQ(target.ways(), (Ways{through, around, both}));
}

TEST_F(a_long_run, tries_all_ways_soon) {
  wait_for_target();
  StandIn target(work(), do_side);
  for (int i = 0; i < 16; ++i) put_and_look();
  EXPECT_TRUE(choice(0, bytes).has_seen_all());
  EXPECT_GE(target.ways().size(), 7u);
}

TEST_F(a_long_run, is_got_each_way) {
  wait_for_target();
  StandIn target(work(), do_side);
  std::memcpy(windows.memory(), data.data(), data.size());
  for (int i = 0; i < stream_ways; ++i) {
    std::vector<char> got(bytes + 1);
    go(static_cast<StreamWay>(i), 1);
    ASSERT_EQ(windows.get(got.data(), bytes, MPI_BYTE, 24), MPI_SUCCESS);
    EXPECT_EQ(std::memcmp(got.data(), data.data() + 24, bytes), 0) << i;
    EXPECT_EQ(got[bytes], 0);
  }
  EXPECT_EQ(target.ways(), (Ways{through, around, both}));
}

TEST_F(a_long_run, is_accumulated_through_staging_or_by_the_origin) {
  wait_for_target();
  StandIn target(work(), do_side);
  constexpr std::int64_t elements = 30001;
  std::vector<std::int64_t> from(elements);
  for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<std::int64_t>(i);
  for (int i = 1; i < stream_ways; ++i) {
    go(static_cast<StreamWay>(i - 1), 2, 8 * elements);
    ASSERT_EQ(windows.change(MPI_SUM, from.data(), nullptr, elements, MPI_INT64_T, 8), MPI_SUCCESS);
    for (std::int64_t at = 0; at < elements; ++at) ASSERT_EQ(number(8 + 8 * at), i * at) << i;
    EXPECT_EQ(number(8 + 8 * elements), 0);
  }
  EXPECT_EQ(target.ways(), (Ways{through, around}));
}

TEST_F(a_long_run, goes_around_no_cache_where_that_is_not_wanted) {
  wait_for_target();
  settings.non_temporal_stores = false;
  StandIn target(work(), do_side);
  go(around);
  put_and_look();
  EXPECT_EQ(target.ways(), Ways{through});
}

TEST_F(a_long_run, goes_in_turns_of_the_target_when_it_is_very_long) {
  constexpr std::int64_t most = 9 << 20;
  std::vector<char> from = message::pattern(most), to(most + 1);
  windows.target().address = reinterpret_cast<std::uint64_t>(to.data());
  wait_for_target();
  StandIn target(work(), do_side);
  for (int i = 0; i < stream_ways; ++i) {
    go(static_cast<StreamWay>(i), 0, most);
    std::fill(to.begin(), to.end(), 0);
    ASSERT_EQ(windows.put(from.data(), most, MPI_BYTE, 0), MPI_SUCCESS);
    EXPECT_EQ(std::memcmp(to.data(), from.data(), most), 0) << i;
    EXPECT_EQ(to[most], 0);
  }
  EXPECT_EQ(target.ways(),
            (Ways{through, through, through, around, around, around, both, both, both}));
}

TEST_F(a_long_run, is_moved_to_its_end_by_the_kernel_when_the_target_goes) {
  constexpr std::int64_t most = 9 << 20;
  std::vector<char> from = message::pattern(most), to(most + 1);
  windows.target().address = reinterpret_cast<std::uint64_t>(to.data());
  wait_for_target();
  int works = 0;
  StandIn target(work(), [&](Work& work) {
    if (++works == 1) return do_side(work);
    work.error = Work::not_done;
  });
  ASSERT_EQ(windows.put(from.data(), most, MPI_BYTE, 0), MPI_SUCCESS);
  EXPECT_EQ(target.ways().size(), 2u);
  EXPECT_EQ(std::memcmp(to.data(), from.data(), most), 0);
  EXPECT_EQ(to[most], 0);
}

TEST_F(a_long_run, that_nobody_takes_is_moved_by_the_kernel) {
  for (int i = 0; i < 4; ++i) put_and_look();
  EXPECT_TRUE(was_asked());
  std::memset(windows.memory(), 0, Windows::bytes);
  ranks.step(1);
  EXPECT_EQ(works_done(), 0);
  EXPECT_EQ(windows.memory()[24], 0);
}

TEST_F(a_long_run, that_the_target_leaves_is_moved_by_the_kernel) {
  wait_for_target();
  StandIn target(work(), [](Work& work) { work.error = Work::not_done; });
  put_and_look();
  EXPECT_EQ(target.ways(), Ways{through});
}

TEST_F(a_long_run, that_fails_at_the_target_is_an_error) {
  wait_for_target();
  StandIn target(work(), [](Work& work) { work.error = MPI_ERR_OP; });
  EXPECT_EQ(windows.put(data.data(), bytes, MPI_BYTE, 0), MPI_ERR_OP);
  EXPECT_EQ(target.ways(), Ways{through});
}

TEST_F(a_long_run, has_no_hole_where_the_target_could_not_copy) {
  wait_for_target();
  // The target claims the first segment, and fails, before the origin begins.
  auto fail = [](Work& work) {
    if (work.stream.way != both || work.claimed != 0) return;
    work.claimed = static_cast<std::uint64_t>(work.stream.copied_bytes);
    work.left = {0, work.claimed};
  };
  auto do_the_rest = [](Work& work) {
    if (work.stream.way != both) do_side(work);
  };
  StandIn target(work(), do_the_rest, fail);
  go(both);
  put_and_look();
  EXPECT_EQ(target.ways(), Ways{both});
}

TEST_F(a_long_run, does_not_copy_again_what_was_left_of_another) {
  wait_for_target();
  auto leave_all = [](Work& work) {
    if (work.stream.way == both && work.first.bytes == bytes) work.left = {0, bytes};
  };
  StandIn target(work(), do_side, leave_all);
  for (std::int64_t length : {bytes, std::int64_t{100000}}) {
    go(both, 0, length);
    put_and_look(length);
  }
  EXPECT_EQ(target.ways(), (Ways{both, both}));
}

TEST_F(a_long_run, counts_as_an_answer_of_a_target_that_seldom_gave_one) {
  put_and_look();
  ranks.as(0, [] {
    EXPECT_EQ(partner().misses, 1u);
    EXPECT_EQ(partner().skips, 2u);
    partner().skips = 0;
  });
  wait_for_target();
  StandIn target(work(), do_side);
  put_and_look();
  EXPECT_EQ(target.ways(), Ways{through});
  ranks.as(0, [] { EXPECT_EQ(partner().misses, 0u); });
}

TEST_F(a_long_run, wakes_a_target_that_sleeps_and_asks_it_again) {
  const auto doorbell = [] { return &transport::doorbell(LocalRank{1}); };
  ranks.as(1, [&] { lockfree::announce(*doorbell(), lockfree::wake_asleep); });
  put_and_look();
  ranks.as(1, [&] { EXPECT_FALSE(lockfree::end_sleep(*doorbell())); });
  ranks.as(0, [] {
    EXPECT_EQ(partner().misses, 0u);
    EXPECT_EQ(partner().wakes_ticks, 0);
  });
}

TEST_F(a_long_run, adds_what_it_took) {
  for (int i = 0; i < 6; ++i) {
    go(StreamWay::kernel);
    put_and_look();
  }
  EXPECT_FALSE(was_asked());
  EXPECT_NE(choice(0, bytes).now(), static_cast<int>(StreamWay::kernel)) << "another is tried";
}

TEST_F(a_long_run, adds_nothing_where_the_target_has_not_come) {
  for (int i = 0; i < 10; ++i) put_and_look();
  EXPECT_TRUE(was_asked());
  EXPECT_EQ(choice(0, bytes).now(), static_cast<int>(through));
}

TEST_F(a_long_run, ends_the_batch_that_has_the_slot) {
  ASSERT_EQ(windows.put(data.data() + 700000, 8, MPI_BYTE, 700000), MPI_SUCCESS);
  ASSERT_EQ(windows.put(data.data(), bytes, MPI_BYTE, 24), MPI_SUCCESS);
  EXPECT_FALSE(windows.window().gathered);
  EXPECT_EQ(std::memcmp(windows.memory() + 700000, data.data() + 700000, 8), 0);
  EXPECT_EQ(std::memcmp(windows.memory() + 24, data.data(), bytes), 0);
}

TEST_F(a_long_run, is_left_to_the_kernel_where_threads_would_wait_for_the_slot) {
  platform::threads_multiple = true;
  put_and_look();
  platform::threads_multiple = false;
  EXPECT_FALSE(was_asked());
}

TEST_F(a_long_run, is_left_to_the_kernel_without_a_slot) {
  DelegationSpace* space = nullptr;
  ranks.as(0, [&] { std::swap(space, one_sided.delegation.own_space); });
  put_and_look();
  ranks.as(0, [&] { std::swap(space, one_sided.delegation.own_space); });
}

TEST_F(a_long_run, is_left_to_the_kernel_without_staging) {
  auto& free = ranks.as(0, [] { return &transport::doorbell(transport::own_rank()); })->chunks.free;
  const lockfree::StagingBuffer all = lockfree::take_chunks(free, lockfree::chunks_per_rank);
  put_and_look();
  EXPECT_FALSE(was_asked());
  lockfree::give_back_chunks(free, all);
  put_and_look();
  EXPECT_TRUE(was_asked());
}

TEST(a_choice_of_ways, is_by_kind_and_number_of_digits) {
  auto choices = std::make_unique<StreamChoices>();
  EXPECT_EQ(&choices->at(0, 5000), &choices->at(0, 8191));
  EXPECT_NE(&choices->at(0, 8191), &choices->at(0, 8192));
  EXPECT_NE(&choices->at(0, 8191), &choices->at(1, 8191));
  EXPECT_EQ(&choices->at(2, 1), &choices->of[2][0]);
  EXPECT_EQ(&choices->at(2, std::int64_t{1} << 40), std::end(choices->of[2]) - 1);
}

}  // namespace
}  // namespace baton::window
