// The streams of long operations: each side fills or empties the staging buffer, or copies other
// segments by the kernel. The origin's side is played first where the buffer holds all its data,
// and last where it is to empty it.
#include "window/stream_side.hpp"

#include <thread>

#include "tests/window/delegating.hpp"

namespace baton::window {
namespace {

struct a_stream : delegating_test {
  static constexpr std::int64_t bytes = 50000;  // less than the buffer holds, and no whole segment
  a_stream() {
    ranks.as(0, [&] {
      buffer = one_sided.delegation.streams.own_buffer();
      staging = {transport::own_rank(), buffer};
    });
    EXPECT_EQ(buffer.count(), 4);
  }
  // Describes a run of the first bytes at the target.
  void describe(WorkKind kind, StreamWay way, MPI_Datatype type = MPI_BYTE,
                MPI_Op operation = MPI_SUM, std::int64_t copied_bytes = 4000) {
    Work& its = work();
    describe_work(its, windows.window(), kind, &type_of(type), &operation_of(operation));
    its.ranges = 1;
    its.first = {windows.target().address, static_cast<std::uint64_t>(bytes)};
    its.stream = {buffer, static_cast<std::int32_t>(copied_bytes), way};
    char* here = data.data();
    std::memcpy(its.data, &here, sizeof here);
    ranks.as(0, [&] { open_staging_buffer(staging.progress()); });
    its.claimed = 0;
    its.left = {0, 0};
  }
  // Calls `use(side)` with the side of the origin.
  template <class Use>
  void as_origin(Use use) {
    StreamSide side(work(), LocalRank{0}, LocalRank{1});
    ranks.as(0, [&] { use(side); });
  }
  void fill(const void* from) {
    as_origin([=](StreamSide& side) { side.fill(static_cast<const char*>(from)); });
  }
  std::int64_t filled() {
    return ranks.as(0, [this] { return staging.filled(); });
  }
  void do_target() { do_target(work()); }
  void do_target(Work& its) {
    ranks.as(1, [&] { stream_for(its, LocalRank{0}, windows.window(1)); });
  }

  lockfree::StagingBuffer buffer;
  transport::Staging staging{LocalRank{0}, {}};
};

TEST_F(a_stream, carries_what_is_put_to_the_target) {
  for (StreamWay way : {StreamWay::through_cache, StreamWay::around_cache}) {
    describe(WorkKind::put_stream, way);
    fill(data.data());
    do_target();
    EXPECT_EQ(std::memcmp(windows.memory(), data.data(), bytes), 0);
    EXPECT_EQ(windows.memory()[bytes], 0);
    EXPECT_EQ(work().error, MPI_SUCCESS);
    std::memset(windows.memory(), 0, bytes);
  }
}

TEST_F(a_stream, carries_what_is_got_to_the_origin) {
  for (StreamWay way : {StreamWay::through_cache, StreamWay::around_cache}) {
    std::vector<char> got(bytes + 1);
    std::memcpy(windows.memory(), data.data(), data.size());
    describe(WorkKind::get_stream, way);
    do_target();
    as_origin([&](StreamSide& side) {
      side.empty([&](const char* there, std::int64_t position, std::int64_t here) {
        std::memcpy(got.data() + position, there, static_cast<std::size_t>(here));
        return true;
      });
    });
    EXPECT_EQ(std::memcmp(got.data(), data.data(), bytes), 0);
    EXPECT_EQ(got[bytes], 0);
  }
}

TEST_F(a_stream, carries_elements_that_the_target_changes) {
  constexpr std::int64_t elements = bytes / 8;
  std::vector<std::int64_t> from(elements);
  for (std::int64_t i = 0; i < elements; ++i) {
    from[static_cast<std::size_t>(i)] = i;
    number(8 * i) = 1000;
  }
  describe(WorkKind::accumulate_stream, StreamWay::through_cache, MPI_INT64_T);
  fill(from.data());
  do_target();
  for (std::int64_t i = 0; i < elements; ++i) ASSERT_EQ(number(8 * i), 1000 + i);
  EXPECT_EQ(number(8 * elements), 0);
  EXPECT_EQ(work().error, MPI_SUCCESS);
}

TEST_F(a_stream, carries_nothing_on_once_the_target_has_failed) {
  describe(WorkKind::accumulate_stream, StreamWay::through_cache, MPI_DOUBLE, MPI_BAND);
  fill(data.data());
  do_target();
  EXPECT_EQ(work().error, MPI_ERR_OP);
  EXPECT_EQ(ranks.as(0, [this] { return staging.emptied(); }), 0);
  EXPECT_EQ(windows.memory()[0], 0);
}

TEST_F(a_stream, gives_each_segment_to_the_side_that_claims_it) {
  for (WorkKind kind : {WorkKind::put_stream, WorkKind::get_stream}) {
    const bool puts = kind == WorkKind::put_stream;
    std::vector<char> here(data), before(bytes);
    std::memset(windows.memory(), 0, bytes);
    describe(kind, StreamWay::both_by_kernel);
    char* our_memory = here.data();
    std::memcpy(work().data, &our_memory, sizeof our_memory);
    int claimed = 0;
    Work& its = work();
    as_origin([&](StreamSide& side) {
      side.copy_by_kernel([&](std::int64_t position, std::int64_t segment) {
        EXPECT_EQ(position, 4000 * claimed);
        EXPECT_EQ(segment, 4000);
        if (++claimed == 2) do_target(its);  // takes all others
        return true;
      });
    });
    EXPECT_EQ(claimed, 2);
    EXPECT_EQ(work().left.bytes, 0u);
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

TEST_F(a_stream, names_the_segment_that_the_target_could_not_copy) {
  describe(WorkKind::put_stream, StreamWay::both_by_kernel);
  char* nowhere = reinterpret_cast<char*>(4096);
  std::memcpy(work().data, &nowhere, sizeof nowhere);
  work().claimed = 48000;
  do_target();
  EXPECT_EQ(work().left.address, 48000u);
  EXPECT_EQ(work().left.bytes, 2000u);
}

TEST_F(a_stream, fills_its_buffer_again_only_where_that_was_emptied) {
  const std::int64_t space = buffer.bytes(), most = 5 * space / 2 + 3;
  const std::vector<char> from = message::pattern(static_cast<std::size_t>(most));
  std::vector<char> got(static_cast<std::size_t>(most));
  describe(WorkKind::put_stream, StreamWay::through_cache);
  work().first.bytes = static_cast<std::uint64_t>(most);
  std::int64_t taken = 0;
  Work& its = work();
  as_origin([&](StreamSide& side) {
    std::thread filler([&] { side.fill(from.data()); });
    StreamSide(its, LocalRank{0}, LocalRank{0})
        .empty([&](const char* there, std::int64_t at, std::int64_t here) {
          EXPECT_EQ(at, taken);
          // The filler goes as far ahead as it may: what it writes there is not what is read here.
          const std::int64_t chunk = at / lockfree::chunk_bytes * lockfree::chunk_bytes;
          while (staging.filled() < std::min(chunk + space, most)) std::this_thread::yield();
          EXPECT_EQ(staging.filled(), std::min(chunk + space, most));
          std::memcpy(got.data() + at, there, static_cast<std::size_t>(here));
          taken += here;
          return true;
        });
    filler.join();
  });
  EXPECT_EQ(taken, most);
  EXPECT_EQ(got, from);
}

TEST_F(a_stream, lets_the_origin_go_when_the_target_ends_early) {
  const std::vector<char> from = message::pattern(static_cast<std::size_t>(2 * buffer.bytes()));
  describe(WorkKind::put_stream, StreamWay::through_cache);
  work().first.bytes = from.size();
  work().state.step = lockfree::delegation_done;
  fill(from.data());
  EXPECT_EQ(filled(), buffer.bytes());
  bool any = false;
  describe(WorkKind::get_stream, StreamWay::through_cache);
  work().state.step = lockfree::delegation_done;
  as_origin([&](StreamSide& side) {
    side.empty([&](const char*, std::int64_t, std::int64_t) { return any = true; });
  });
  EXPECT_FALSE(any);
}

TEST_F(a_stream, keeps_its_buffer_until_no_window_needs_it) {
  ranks.as(0, [&] {
    Streams& streams = one_sided.delegation.streams;
    const auto& free = transport::doorbell(transport::own_rank()).chunks.free;
    const int others = lockfree::free_chunks(free);
    EXPECT_EQ(streams.own_buffer().chunks, buffer.chunks);
    EXPECT_EQ(lockfree::free_chunks(free), others);
    streams.free();
    EXPECT_EQ(lockfree::free_chunks(free), others + buffer.count());
    streams.free();
    EXPECT_EQ(lockfree::free_chunks(free), others + buffer.count());
  });
}

TEST_F(a_stream, has_no_buffer_while_none_is_free) {
  ranks.as(0, [&] {
    Streams& streams = one_sided.delegation.streams;
    auto& free = transport::doorbell(transport::own_rank()).chunks.free;
    streams.free();
    const lockfree::StagingBuffer all = lockfree::take_chunks(free, lockfree::chunks_per_rank);
    EXPECT_TRUE(streams.own_buffer().empty());
    lockfree::give_back_chunks(free, all);
    EXPECT_FALSE(streams.own_buffer().empty());
  });
}

TEST_F(a_stream, is_measured_for_each_target) {
  ranks.as(0, [&] {
    Streams& streams = one_sided.delegation.streams;
    StreamChoices* choices[2] = {streams.choices_of(LocalRank{0}),
                                 streams.choices_of(LocalRank{1})};
    EXPECT_NE(choices[0], choices[1]);
    EXPECT_EQ(streams.choices_of(LocalRank{1}), choices[1]);
  });
}

}  // namespace
}  // namespace baton::window
