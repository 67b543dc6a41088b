// Rooms of a job that goes on when ranks die: their memory serves again once those that live have
// left, and nobody touches it after that. One test, since rooms that a rank leads are the
// process's.
#include "world/room.hpp"

#include "tests/message/ranks.hpp"
#include "transport/node_memory.hpp"

namespace baton::world {
namespace {

constexpr std::uint32_t count = 3;

struct a_room : message::protocol {
  using Views = RoomView[count];
  // Returns where its lines lie.
  std::int64_t open(Views& views) {
    RoomOffsets offsets;
    for (RoomView& view : views) view.room.prepare(count);
    ranks.as(0, [&] { offsets = open_room(ranks.context(0), views[0], RoomPart::lines); });
    EXPECT_GE(offsets.lines, 0);
    for (std::uint32_t rank = 0; rank < count; ++rank)
      ranks.as(rank,
               [&] { enter_room(ranks.context(rank), views[rank], RoomPart::lines, offsets); });
    return offsets.lines;
  }
  void leave(Views& views, std::uint32_t rank) {
    ranks.as(rank, [&] { leave_room(views[rank]); });
  }
  std::uint32_t counted(const RoomView& view) {
    return ranks.as(0, [&] {
      const char* lines = transport::map_pages(view.leader, view.lines_offset);
      return reinterpret_cast<const lockfree::RoomHead<lockfree::Hardware>*>(lines)->left.load();
    });
  }
  message::Ranks ranks{count, message::Lines::lanes};
};

TEST_F(a_room, serves_again_when_those_that_live_have_told_that_they_left) {
  ranks.as(0, [] { transport::job().continues = true; });
  Views first, second, third;
  const std::int64_t lines = open(first);
  leave(first, 1);
  EXPECT_EQ(counted(first[0]), 0u) << "another room may have the memory once the leader has seen 1";
  leave(first, 0);
  EXPECT_NE(open(second), lines) << "rank 2 is still in it";
  ranks.as(0, [] { transport::status_row(LocalRank{2}).launcher.died.store(1); });
  EXPECT_EQ(open(third), lines);
  for (Views* views : {&second, &third})
    for (std::uint32_t rank : {1, 0}) leave(*views, rank);
}

}  // namespace
}  // namespace baton::world
