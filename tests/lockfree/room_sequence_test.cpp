// Many rounds of one call, with a row of sequence numbers, in the shipped room over all
// interleavings: segments that all ranks read, or by turns, and chains of ranks.
#include "tests/lockfree/room_member.hpp"

namespace baton::model {
namespace {

// collective/room/segments.hpp: what is longer than a block. Else ranks read segments by turns.
template <class Member>
void exchange_segmented(Member& member, std::uint64_t segments, bool all_read = true) {
  auto& room = member.room;
  const std::uint64_t ahead = 1;
  auto others = room;
  const auto row = room.open_row(segments);
  for (std::uint64_t i = 0; i < segments; ++i) {
    const Round one = room.in_row(row, i), same = others.open(RoomSpace::blocks);
    check(one.sequence == same.sequence && one.part == same.part && one.parts == same.parts &&
              one.turn % 2 == same.turn % 2 && one.must_be_finished == same.must_be_finished,
          "a row is not what would have been opened one after the other");
  }
  auto reads = [&](std::uint64_t segment) {
    return all_read || segment % room.ranks() == member.rank;
  };
  for (std::uint64_t i = 0; i < segments + ahead; ++i) {
    if (i < segments) {
      member.write(room.in_row(row, i));
      if (member.sleeps && !member.others_missing(room.in_row(row, i), 0, room.ranks()))
        member.wake_all();
      if (!reads(i)) member.finish(room.in_row(row, i));
    }
    if (i < ahead || !reads(i - ahead)) continue;
    const Round round = room.in_row(row, i - ahead);
    member.until_arrived(round, 0, room.ranks());
    for (std::uint32_t other = 0; other < room.ranks(); ++other) member.read(round, other);
    room.learn(round);
    member.finish(round);
  }
}
// collective/algorithm/reduction_chain_in_room.cpp, with one chain: ranks change one place one
// after the other. Ranks want segments by turns.
template <class Member>
void go_along_the_chain(Member& member, std::uint64_t segments) {
  auto& room = member.room;
  const std::uint32_t rank = member.rank, last = room.ranks() - 1;
  const std::uint64_t ahead = 1;
  const auto row = room.open_row(segments);
  auto wants = [&](std::uint64_t segment) { return segment % room.ranks() == rank; };
  for (std::uint64_t i = 0; i < segments + ahead; ++i) {
    if (i < segments) {
      const Round round = room.in_row(row, i);
      if (rank == last) {
        member.until_may_write(round);
      } else {
        member.until_arrived(round, rank + 1, rank + 2);
        member.read(round, 0, rank + 1);
      }
      member.put(0, round);
      room.publish(rank, round);
      if (member.sleeps && rank > 0) {
        if (member.ordering == Ordering::fences) Model::full_fence();
        member.wake(rank - 1);
      } else if (member.sleeps && !member.others_missing(round, 0, room.ranks())) {
        member.wake_all();
      }
      if (!wants(i)) member.finish(round);
    }
    if (i < ahead || !wants(i - ahead)) continue;
    const Round round = room.in_row(row, i - ahead);
    member.until_arrived(round, 0, room.ranks());
    member.read(round, 0, 0);
    room.learn(round);
    member.finish(round);
  }
}
MODEL_CASE(room, segments_in_a_row_are_all_read_before_their_blocks_are_written_again) {
  run<RoomOfTwoBlocks>(stage, 2, false, Ordering::fences,
                       [](auto& member) { exchange_segmented(member, 3); });
}
MODEL_CASE(room, segments_in_a_row_find_the_blocks_of_calls_before_them_free) {
  run<RoomOfTwoBlocks>(stage, 2, false, Ordering::fences, [](auto& member) {
    member.exchange(RoomSpace::parts, true);
    member.exchange(RoomSpace::lines, true);
    exchange_segmented(member, 3);
  });
}
MODEL_CASE(room, no_wake_up_of_segments_in_a_row_is_lost_with_fences) {
  run<RoomOfTwoBlocks>(stage, 2, true, Ordering::fences,
                       [](auto& member) { exchange_segmented(member, 2); });
}
MODEL_CASE(room, segments_that_ranks_read_by_turns_are_written_again_after_that) {
  run<RoomOfTwoBlocks>(stage, 2, false, Ordering::fences,
                       [](auto& member) { exchange_segmented(member, 4, false); });
}
MODEL_CASE(room, no_wake_up_of_segments_that_ranks_read_by_turns_is_lost_with_fences) {
  run<RoomOfTwoBlocks>(stage, 2, true, Ordering::fences,
                       [](auto& member) { exchange_segmented(member, 3, false); });
}
MODEL_CASE(room, what_goes_along_a_chain_is_read_and_written_again_in_order) {
  run<RoomOfTwoBlocks>(stage, 2, false, Ordering::fences, [](auto& member) {
    go_along_the_chain(member, 3);
    member.exchange(RoomSpace::blocks, true);
  });
}
MODEL_CASE(room, three_ranks_make_a_chain) {
  run<RoomOfTwoBlocks>(stage, 3, false, Ordering::fences,
                       [](auto& member) { go_along_the_chain(member, 2); });
}
MODEL_CASE(room, no_wake_up_along_a_chain_is_lost_with_fences) {
  run<RoomOfTwoBlocks>(stage, 2, true, Ordering::fences,
                       [](auto& member) { go_along_the_chain(member, 3); });
}
MODEL_CASE(room, no_wake_up_along_a_chain_is_lost_with_membarrier) {
  run<RoomOfTwoBlocks>(stage, 2, true, Ordering::membarrier,
                       [](auto& member) { go_along_the_chain(member, 2); });
}

}  // namespace
}  // namespace baton::model
