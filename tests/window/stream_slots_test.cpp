// The slots of long operations: each side fills or empties them, or copies other segments. The
// origin's side is played first where the slots hold all its data, and last where they are to.
#include "window/stream_slots.hpp"

#include <thread>

#include "tests/window/delegating.hpp"
#include "transport/heap.hpp"

namespace baton::window {
namespace {

struct stream_slots : delegating_test {
  static constexpr std::int64_t bytes = 50000;  // less than all slots hold, and no whole segment
  stream_slots() {
    ranks.as(0, [&] { slots = one_sided.delegation.streams.own_slots(); });
    EXPECT_NE(slots, nullptr);
  }
  // Describes a run of the first bytes at the target.
  void describe(WorkKind kind, StreamWay way, MPI_Datatype type = MPI_BYTE,
                MPI_Op operation = MPI_SUM, std::int64_t segment_bytes = 4000) {
    Work& its = work();
    describe_work(its, windows.window(), kind, &type_of(type), &operation_of(operation));
    its.ranges = 1;
    its.first = {windows.target().address, static_cast<std::uint64_t>(bytes)};
    its.stream = {reinterpret_cast<std::uint64_t>(slots), static_cast<std::int32_t>(segment_bytes),
                  way};
    char* here = data.data();
    std::memcpy(its.data, &here, sizeof here);
    begin_stream(slots->progress);
    slots->claimed = 0;
    slots->left = {0, 0};
  }
  StreamSide origin() { return StreamSide(work(), *slots, true); }
  void do_target() {
    Work& its = work();
    ranks.as(1, [&] { stream_for(its, LocalRank{0}, windows.window(1)); });
  }

  StreamSlots* slots = nullptr;
};

TEST_F(stream_slots, carry_what_is_put_to_the_target) {
  for (StreamWay way : {StreamWay::through_cache, StreamWay::around_cache}) {
    describe(WorkKind::put_stream, way);
    origin().fill(data.data());
    do_target();
    EXPECT_EQ(std::memcmp(windows.memory(), data.data(), bytes), 0);
    EXPECT_EQ(windows.memory()[bytes], 0);
    EXPECT_EQ(work().error, MPI_SUCCESS);
    std::memset(windows.memory(), 0, bytes);
  }
}

TEST_F(stream_slots, carry_what_is_got_to_the_origin) {
  for (StreamWay way : {StreamWay::through_cache, StreamWay::around_cache}) {
    std::vector<char> got(bytes + 1);
    std::memcpy(windows.memory(), data.data(), data.size());
    describe(WorkKind::get_stream, way);
    do_target();
    origin().empty([&](const char* slot, std::int64_t position, std::int64_t here) {
      std::memcpy(got.data() + position, slot, static_cast<std::size_t>(here));
      return true;
    });
    EXPECT_EQ(std::memcmp(got.data(), data.data(), bytes), 0);
    EXPECT_EQ(got[bytes], 0);
  }
}

TEST_F(stream_slots, carry_elements_that_the_target_changes) {
  constexpr std::int64_t elements = bytes / 8;
  std::vector<std::int64_t> from(elements);
  for (std::int64_t i = 0; i < elements; ++i) {
    from[static_cast<std::size_t>(i)] = i;
    number(8 * i) = 1000;
  }
  describe(WorkKind::accumulate_stream, StreamWay::through_cache, MPI_INT64_T);
  origin().fill(reinterpret_cast<char*>(from.data()));
  do_target();
  for (std::int64_t i = 0; i < elements; ++i) ASSERT_EQ(number(8 * i), 1000 + i);
  EXPECT_EQ(number(8 * elements), 0);
  EXPECT_EQ(work().error, MPI_SUCCESS);
}

TEST_F(stream_slots, carry_nothing_on_once_the_target_has_failed) {
  describe(WorkKind::accumulate_stream, StreamWay::through_cache, MPI_DOUBLE, MPI_BAND);
  origin().fill(data.data());
  do_target();
  EXPECT_EQ(work().error, MPI_ERR_OP);
  EXPECT_EQ(slots->progress.emptied.segments, 0u);
  EXPECT_EQ(windows.memory()[0], 0);
}

TEST_F(stream_slots, that_the_target_cannot_reach_leave_all_to_the_origin) {
  describe(WorkKind::put_stream, StreamWay::through_cache);
  work().stream.slots = reinterpret_cast<std::uint64_t>(data.data());  // not in the exported heap
  do_target();
  EXPECT_EQ(work().ranges, 0u);
}

TEST_F(stream_slots, give_each_segment_to_the_side_that_claims_it) {
  for (WorkKind kind : {WorkKind::put_stream, WorkKind::get_stream}) {
    const bool puts = kind == WorkKind::put_stream;
    std::vector<char> here(data), before(bytes);
    std::memset(windows.memory(), 0, bytes);
    describe(kind, StreamWay::both_by_kernel);
    char* buffer = here.data();
    std::memcpy(work().data, &buffer, sizeof buffer);
    int claimed = 0;
    origin().copy_by_kernel([&](std::int64_t position, std::int64_t segment) {
      EXPECT_EQ(position, 4000 * claimed);
      EXPECT_EQ(segment, 4000);
      if (++claimed == 2) do_target();  // takes all others
      return true;
    });
    EXPECT_EQ(claimed, 2);
    EXPECT_EQ(slots->left.bytes, 0u);
    EXPECT_EQ(std::memcmp(windows.memory(), before.data(), 8000), 0);
    if (puts)
      EXPECT_EQ(std::memcmp(windows.memory() + 8000, data.data() + 8000, bytes - 8000), 0);
    else
      EXPECT_EQ(std::memcmp(here.data() + 8000, before.data() + 8000, bytes - 8000), 0);
    EXPECT_EQ(std::memcmp(here.data(), data.data(), 8000), 0);
    EXPECT_EQ(here[bytes], data[bytes]);
    EXPECT_EQ(windows.memory()[bytes], 0);
  }
}

TEST_F(stream_slots, name_the_segment_that_the_target_could_not_copy) {
  describe(WorkKind::put_stream, StreamWay::both_by_kernel);
  char* nowhere = reinterpret_cast<char*>(4096);
  std::memcpy(work().data, &nowhere, sizeof nowhere);
  slots->claimed = 48000;
  do_target();
  EXPECT_EQ(slots->left.address, 48000u);
  EXPECT_EQ(slots->left.bytes, 2000u);
}

TEST_F(stream_slots, are_filled_again_only_when_they_were_emptied) {
  constexpr std::int64_t segment = 8, most = 8 * segment * StreamSlots::count;
  describe(WorkKind::put_stream, StreamWay::through_cache, MPI_BYTE, MPI_SUM, segment);
  work().first.bytes = most + 3;
  StreamSide side = origin();
  std::thread filler([&] { side.fill(data.data()); });
  std::vector<char> got(most + 3);
  std::int64_t taken = 0;
  StreamSide(work(), *slots, false)
      .empty([&](const char* slot, std::int64_t at, std::int64_t here) {
        EXPECT_EQ(at, taken);
        EXPECT_EQ(here, std::min(segment, most + 3 - at));
        // The filler is as far ahead as it may be.
        while (slots->progress.filled.segments <
               std::min<std::uint32_t>(at / segment + StreamSlots::count, most / segment + 1))
          std::this_thread::yield();
        std::memcpy(got.data() + at, slot, static_cast<std::size_t>(here));
        taken += here;
        return true;
      });
  filler.join();
  EXPECT_EQ(std::memcmp(got.data(), data.data(), most + 3), 0);
}

TEST_F(stream_slots, let_the_origin_go_when_the_target_ends_early) {
  describe(WorkKind::put_stream, StreamWay::through_cache, MPI_BYTE, MPI_SUM, 8);
  work().state.step = lockfree::delegation_done;
  origin().fill(data.data());
  EXPECT_EQ(slots->progress.filled.segments, StreamSlots::count);
}

TEST_F(stream_slots, are_made_once_and_given_back) {
  ranks.as(0, [&] {
    Streams& streams = one_sided.delegation.streams;
    EXPECT_EQ(streams.own_slots(), slots);
    StreamChoices* choices[2] = {streams.choices_of(LocalRank{0}),
                                 streams.choices_of(LocalRank{1})};
    EXPECT_NE(choices[0], choices[1]);
    EXPECT_EQ(streams.choices_of(LocalRank{1}), choices[1]);
    streams.free();
    EXPECT_FALSE(transport::exported_heap.release(slots));
    EXPECT_TRUE(transport::exported_heap.release(streams.own_slots()));  // new ones
  });
}

}  // namespace
}  // namespace baton::window
