// The shipped room over all interleavings, in small sizes: an exchange (all write, all read), what
// one rank gives to all, what all give to one, hierarchical exchanges, rounds that end in another
// order than they began.
#include "tests/lockfree/room_member.hpp"

namespace baton::model {
namespace {

MODEL_CASE(room, two_ranks_exchange_over_three_rounds_in_two_banks) {
  run(stage, 2, false, Ordering::fences, [](auto& member) {
    for (int i = 0; i < 3; ++i) member.exchange(RoomSpace::lines, false);
  });
}
MODEL_CASE(room, two_ranks_learn_from_flags_what_is_finished) {
  run(stage, 2, false, Ordering::fences, [](auto& member) {
    for (int i = 0; i < 4; ++i) member.exchange(RoomSpace::lines, true);
  });
}
MODEL_CASE(room, two_ranks_exchange_in_one_bank_of_blocks) {
  run<RoomOfOneBlock>(stage, 2, false, Ordering::fences, [](auto& member) {
    for (int i = 0; i < 3; ++i) member.exchange(RoomSpace::blocks, i == 1);
  });
}
MODEL_CASE(room, three_ranks_exchange_twice) {
  run(stage, 3, false, Ordering::fences, [](auto& member) {
    for (int i = 0; i < 2; ++i)
      member.exchange(i == 1 ? RoomSpace::blocks : RoomSpace::lines, false);
  });
}
MODEL_CASE(room, a_root_that_is_ahead_overwrites_nothing) {
  run(stage, 2, false, Ordering::fences, [](auto& member) {
    for (int i = 0; i < 4; ++i) member.give(0, RoomSpace::lines);
  });
}
MODEL_CASE(room, a_root_that_goes_on_after_an_exchange_overwrites_nothing_of_it) {
  run(stage, 2, false, Ordering::fences, [](auto& member) {
    member.exchange(RoomSpace::lines, true);
    for (int i = 0; i < 3; ++i) member.give(0, RoomSpace::lines);
  });
}
MODEL_CASE(room, a_root_that_is_ahead_overwrites_no_block) {
  run<RoomOfOneBlock>(stage, 2, false, Ordering::fences, [](auto& member) {
    for (int i = 0; i < 3; ++i) member.give(0, RoomSpace::blocks);
  });
}
MODEL_CASE(room, a_block_is_free_again_when_what_ended_before_it_was_begun_after_it) {
  run<RoomOfOneBlock>(stage, 2, false, Ordering::fences, [](auto& member) {
    auto& room = member.room;
    Round line = room.open(RoomSpace::lines), block = room.open(RoomSpace::blocks),
          again = room.open(RoomSpace::blocks);
    if (member.rank == 0) {
      for (const Round& round : {line, block, again}) {
        member.write(round);
        member.finish(round);
      }
      return;
    }
    for (const Round& round : {block, line, again}) {
      member.until_arrived(round, 0, 1);
      member.read(round, 0);
      member.finish(round);
    }
  });
}
MODEL_CASE(room, a_root_that_is_ahead_overwrites_no_part_of_a_block) {
  run<RoomOfTwoParts>(stage, 2, false, Ordering::fences, [](auto& member) {
    for (int i = 0; i < 4; ++i) member.give(0, RoomSpace::parts);
  });
}
MODEL_CASE(room, parts_and_whole_blocks_in_turns_overwrite_nothing_of_each_other) {
  run<RoomOfTwoParts>(stage, 2, false, Ordering::fences, [](auto& member) {
    member.give(0, RoomSpace::parts);
    member.give(0, RoomSpace::blocks);
    member.give(0, RoomSpace::parts);
    member.give(0, RoomSpace::parts);
    member.give(0, RoomSpace::blocks);
  });
}
MODEL_CASE(room, each_part_of_a_block_waits_for_all_who_read_the_block) {
  run<RoomOfTwoParts>(stage, 3, false, Ordering::fences, [](auto& member) {
    auto& room = member.room;
    Round block = room.open(RoomSpace::blocks), first = room.open(RoomSpace::parts),
          second = room.open(RoomSpace::parts);
    auto take_part = [&](const Round& round, std::uint32_t root) {
      if (member.rank == root) {
        member.write(round);
      } else {
        member.until_arrived(round, root, root + 1);
        member.read(round, root);
      }
      member.finish(round);
    };
    take_part(block, 1);
    // The first part's reader would have waited for whom the second part has to wait for.
    if (member.rank == 0) take_part(second, 0);
    take_part(first, 1);
    if (member.rank != 0) take_part(second, 0);
  });
}
MODEL_CASE(room, two_ranks_exchange_in_parts_of_one_block_and_in_all_of_it) {
  run<RoomOfTwoParts>(stage, 2, false, Ordering::fences, [](auto& member) {
    member.exchange(RoomSpace::parts, true);
    member.exchange(RoomSpace::blocks, false);
    member.exchange(RoomSpace::parts, false);
  });
}
MODEL_CASE(room, roots_change) {
  run(stage, 3, false, Ordering::fences, [](auto& member) {
    for (std::uint32_t i = 0; i < 3; ++i) member.give(i, RoomSpace::lines);
  });
}
MODEL_CASE(room, what_all_give_to_one_waits_until_it_was_read) {
  run(stage, 2, false, Ordering::fences, [](auto& member) {
    for (int i = 0; i < 4; ++i) member.collect(1);
  });
}
MODEL_CASE(room, no_wake_up_of_an_exchange_is_lost_with_fences) {
  run(stage, 2, true, Ordering::fences, [](auto& member) {
    for (int i = 0; i < 2; ++i) member.exchange(RoomSpace::lines, false);
  });
}
MODEL_CASE(room, no_wake_up_of_an_exchange_is_lost_with_membarrier) {
  run(stage, 2, true, Ordering::membarrier, [](auto& member) {
    for (int i = 0; i < 2; ++i) member.exchange(RoomSpace::lines, false);
  });
}
MODEL_CASE(room, no_wake_up_of_three_ranks_is_lost_with_fences) {
  run(stage, 3, true, Ordering::fences,
      [](auto& member) { member.meet(member.room.open(RoomSpace::lines)); });
}
MODEL_CASE(room, two_ranks_of_one_group_learn_from_its_leader_what_is_finished) {
  run(stage, 2, false, Ordering::fences, [](auto& member) {
    for (int i = 0; i < 3; ++i) member.exchange_hierarchically(1);
  });
}
MODEL_CASE(room, a_leader_speaks_for_a_rank_of_its_group_that_is_behind) {
  run<RoomOfFourBanks>(stage, 2, false, Ordering::fences, [](auto& member) {
    const Round before = member.room.open(RoomSpace::lines);
    if (member.rank == 0) {
      member.write(before);
      member.finish(before);
    }
    member.exchange_hierarchically(1);
    if (member.rank == 1) {
      member.until_arrived(before, 0, 1);
      member.read(before, 0);
      member.finish(before);
    }
    for (int i = 0; i < 2; ++i) member.give(0, RoomSpace::lines);
  });
}
MODEL_CASE(room, two_groups_learn_from_each_other_s_leaders_what_is_finished) {
  run(stage, 2, false, Ordering::fences, [](auto& member) {
    for (int i = 0; i < 3; ++i) member.exchange_hierarchically(0);
  });
}
MODEL_CASE(room, two_groups_of_three_ranks_overwrite_nothing) {
  run(stage, 3, false, Ordering::fences, [](auto& member) {
    member.exchange_hierarchically(1);
    member.give(2, RoomSpace::lines);
  });
}
MODEL_CASE(room, no_wake_up_of_a_group_is_lost_with_fences) {
  run(stage, 2, true, Ordering::fences, [](auto& member) { member.exchange_hierarchically(1); });
}
MODEL_CASE(room, no_wake_up_of_a_group_is_lost_with_membarrier) {
  run(stage, 2, true, Ordering::membarrier,
      [](auto& member) { member.exchange_hierarchically(1); });
}
MODEL_CASE(room, no_wake_up_between_groups_is_lost_with_fences) {
  run(stage, 2, true, Ordering::fences, [](auto& member) { member.exchange_hierarchically(0); });
}
MODEL_CASE(room, a_root_that_sleeps_until_banks_are_free_is_woken) {
  run(stage, 2, true, Ordering::fences, [](auto& member) {
    for (int i = 0; i < 3; ++i) member.give(0, RoomSpace::lines);
  });
}
MODEL_CASE(room, the_root_of_three_is_woken_by_the_last) {
  run(stage, 3, true, Ordering::fences, [](auto& member) { member.collect(0); });
}

// As nonblocking ones may.
MODEL_CASE(room, rounds_that_end_out_of_order_keep_their_banks) {
  run(stage, 2, false, Ordering::fences, [](auto& member) {
    auto& room = member.room;
    Round first = room.open(RoomSpace::lines), second = room.open(RoomSpace::lines),
          third = room.open(RoomSpace::lines);
    if (member.rank == 0) {
      for (const Round& round : {first, second, third}) {
        member.write(round);
        member.finish(round);
      }
      return;
    }
    for (const Round& round : {second, first, third}) {
      member.until_arrived(round, 0, 1);
      member.read(round, 0);
      member.finish(round);
    }
  });
}

MODEL_CASE(room, of_many_ranks_with_fewer_banks_and_shorter_blocks_nothing_is_overwritten) {
  static_assert(lockfree::room_banks<RoomOfFewerBanks>(2) == 2);
  static_assert(lockfree::room_block_bytes<RoomOfFewerBanks>(2) == 64);
  run<RoomOfFewerBanks>(stage, 2, false, Ordering::fences, [](auto& member) {
    for (int i = 0; i < 3; ++i)
      member.exchange(i == 1 ? RoomSpace::blocks : RoomSpace::lines, true);
    member.give(0, RoomSpace::lines);
  });
}

// Whoever leaves last gives the memory back to the system, or keeps it; the leader then clears it
// and opens it anew.
MODEL_CASE(room, a_room_is_given_back_only_when_everyone_has_read_its_last_lines) {
  auto& shared = stage.shared<RoomShared>();
  for (std::uint32_t rank = 0; rank < 2; ++rank)
    stage.thread([&shared, rank] {
      RoomMember<SmallRoom> member(shared, rank, 2, false, Ordering::fences);
      member.exchange(RoomSpace::lines, false);
      auto clear = [&shared] {
        char zero[64] = {};
        for (int line = 0; line < 2; ++line)
          Model::store_payload(shared.memory + (1 + 2 + 2 + line) * 64 + 8, zero, 56);
      };
      if (member.room.leave()) {
        clear();
        member.room.tell_memory(lockfree::RoomMemory::given_back);
      }
      if (rank != 0) return;
      for (Mark round = mark(); member.room.memory() == lockfree::RoomMemory::in_use;) pause(round);
      clear();
    });
}

}  // namespace
}  // namespace baton::model
