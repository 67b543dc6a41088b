// Many meetings of one call, with a row of tickets, in the shipped room over all interleavings:
// pieces that all ranks read, or by turns, and chains of ranks.
#include "tests/lockfree/room_member.hpp"

namespace baton::model {
namespace {

// collective/room/segments.hpp: what is longer than a block. Else ranks read pieces by turns.
template <class Member>
void exchange_in_pieces(Member& member, std::uint64_t pieces, bool all_read = true) {
  auto& room = member.room;
  const std::uint64_t ahead = 1;
  auto others = room;
  const auto row = room.open_row(pieces);
  for (std::uint64_t i = 0; i < pieces; ++i) {
    const Meeting one = room.in_row(row, i), same = others.open(RoomSpace::blocks);
    check(one.ticket == same.ticket && one.part == same.part && one.parts == same.parts &&
              one.turn % 2 == same.turn % 2 && one.must_be_finished == same.must_be_finished,
          "a row is not what would have been opened one after the other");
  }
  auto reads = [&](std::uint64_t piece) { return all_read || piece % room.ranks() == member.rank; };
  for (std::uint64_t i = 0; i < pieces + ahead; ++i) {
    if (i < pieces) {
      member.write(room.in_row(row, i));
      if (member.sleeps && !member.others_missing(room.in_row(row, i), 0, room.ranks()))
        member.wake_all();
      if (!reads(i)) member.finish(room.in_row(row, i));
    }
    if (i < ahead || !reads(i - ahead)) continue;
    const Meeting meeting = room.in_row(row, i - ahead);
    member.until_arrived(meeting, 0, room.ranks());
    for (std::uint32_t other = 0; other < room.ranks(); ++other) member.read(meeting, other);
    room.learn(meeting);
    member.finish(meeting);
  }
}
// collective/algorithm/reduction_chain_in_room.cpp, with one chain: ranks change one place one
// after the other. Ranks want pieces by turns.
template <class Member>
void go_along_the_chain(Member& member, std::uint64_t pieces) {
  auto& room = member.room;
  const std::uint32_t rank = member.rank, last = room.ranks() - 1;
  const std::uint64_t ahead = 1;
  const auto row = room.open_row(pieces);
  auto wants = [&](std::uint64_t piece) { return piece % room.ranks() == rank; };
  for (std::uint64_t i = 0; i < pieces + ahead; ++i) {
    if (i < pieces) {
      const Meeting meeting = room.in_row(row, i);
      if (rank == last) {
        member.until_may_write(meeting);
      } else {
        member.until_arrived(meeting, rank + 1, rank + 2);
        member.read(meeting, 0, rank + 1);
      }
      member.put(0, meeting);
      room.publish(rank, meeting);
      if (member.sleeps && rank > 0) {
        if (member.ordering == Ordering::fences) Model::full_fence();
        member.wake(rank - 1);
      } else if (member.sleeps && !member.others_missing(meeting, 0, room.ranks())) {
        member.wake_all();
      }
      if (!wants(i)) member.finish(meeting);
    }
    if (i < ahead || !wants(i - ahead)) continue;
    const Meeting meeting = room.in_row(row, i - ahead);
    member.until_arrived(meeting, 0, room.ranks());
    member.read(meeting, 0, 0);
    room.learn(meeting);
    member.finish(meeting);
  }
}
MODEL_CASE(room, pieces_in_a_row_are_all_read_before_their_blocks_are_written_again) {
  run<RoomOfTwoBlocks>(stage, 2, false, Ordering::fences,
                       [](auto& member) { exchange_in_pieces(member, 3); });
}
MODEL_CASE(room, pieces_in_a_row_find_the_blocks_of_calls_before_them_free) {
  run<RoomOfTwoBlocks>(stage, 2, false, Ordering::fences, [](auto& member) {
    member.exchange(RoomSpace::parts, true);
    member.exchange(RoomSpace::lines, true);
    exchange_in_pieces(member, 3);
  });
}
MODEL_CASE(room, no_wake_up_of_pieces_in_a_row_is_lost_with_fences) {
  run<RoomOfTwoBlocks>(stage, 2, true, Ordering::fences,
                       [](auto& member) { exchange_in_pieces(member, 2); });
}
MODEL_CASE(room, pieces_that_ranks_read_by_turns_are_written_again_after_that) {
  run<RoomOfTwoBlocks>(stage, 2, false, Ordering::fences,
                       [](auto& member) { exchange_in_pieces(member, 4, false); });
}
MODEL_CASE(room, no_wake_up_of_pieces_that_ranks_read_by_turns_is_lost_with_fences) {
  run<RoomOfTwoBlocks>(stage, 2, true, Ordering::fences,
                       [](auto& member) { exchange_in_pieces(member, 3, false); });
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
