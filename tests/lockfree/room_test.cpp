// The shipped room over all interleavings, in small sizes, with the waking and sleeping of
// collective/visit.cpp: an exchange (all write, all read), what one rank gives to all, what all
// give to one, exchanges by groups, operations that end in another order than they began.
#include "lockfree/room.hpp"

#include <cstring>

#include "tests/lockfree/model/cases.hpp"
#include "tests/lockfree/model/waiting.hpp"

namespace baton::model {
namespace {

using lockfree::Meeting;
using lockfree::RoomSpace;

constexpr std::uint32_t ranks_max = 3;

struct SmallRoom {
  static constexpr std::uint64_t banks = 2;
  static constexpr std::uint64_t block_banks = 1;
  static constexpr std::uint64_t block_bytes = 64;
  static constexpr std::uint64_t block_parts = 1;
};
// Blocks are used up before lines are.
struct RoomOfOneBlock : SmallRoom {
  static constexpr std::uint64_t banks = 8;
};
struct RoomOfFourBanks : SmallRoom {
  static constexpr std::uint64_t banks = 4;
};
struct RoomOfTwoParts : RoomOfOneBlock {
  static constexpr std::uint64_t block_parts = 2;
};
struct RoomOfTwoBlocks : RoomOfTwoParts {
  static constexpr std::uint64_t block_banks = 2;
};

struct Shared {
  ModelDoorbell doorbells[ranks_max];
  alignas(64) char memory[lockfree::room_bytes<RoomOfOneBlock>(ranks_max)];
  alignas(64) char blocks[lockfree::room_blocks_bytes<RoomOfTwoBlocks>(ranks_max)];
};

char value_of(std::uint32_t rank, std::uint64_t ticket) {
  return static_cast<char>(10 * ticket + rank + 1);
}

// A rank of a room. `sleeps`: without it the rank polls.
template <class Sizes>
struct Member {
  Shared& shared;
  std::uint32_t rank;
  bool sleeps;
  Ordering ordering;
  lockfree::Room<Model, Sizes> room{};

  Member(Shared& its_shared, std::uint32_t its_rank, std::uint32_t ranks, bool its_sleeps,
         Ordering its_ordering)
      : shared(its_shared), rank(its_rank), sleeps(its_sleeps), ordering(its_ordering) {
    room.attach(shared.memory, ranks);
    room.attach_blocks(shared.blocks);
  }

  // Until the places [from, to) have been published.
  void until_arrived(const Meeting& meeting, std::uint32_t from, std::uint32_t to) {
    std::uint32_t missing = from;
    until([&] { return (missing = room.first_missing(missing, to, meeting)) == to; }, &missing);
  }
  // `state`: what the next look depends on.
  template <class Ready>
  void until(Ready ready, const std::uint32_t* state = nullptr) {
    if (sleeps)
      return wait_until(
          shared.doorbells[rank], ordering, ready,
          [&] {
            take_doorbells(shared.doorbells[rank], 0);
            return false;
          },
          [] { return false; }, [&] { return state ? *state : 0; });
    for (Mark round = mark(); !ready();) pause(round);
  }
  void wake(std::uint32_t other) {
    if (other != rank && wants_attention(shared.doorbells[other]))
      wake_slow(shared.doorbells[other]);
  }
  // Visit::wake_all.
  void wake_all() {
    if (ordering == Ordering::fences) Model::full_fence();
    for (std::uint32_t other = 0; other < room.ranks(); ++other) wake(other);
  }
  // Visit::others_missing.
  bool others_missing(const Meeting& meeting, std::uint32_t from, std::uint32_t to) {
    if (ordering != Ordering::fences) return false;
    Model::full_fence();
    return room.first_missing(from, to, meeting) != to;
  }
  void write(const Meeting& meeting) {
    fill(meeting);
    room.publish(rank, meeting);
  }
  // All but publishing.
  void fill(const Meeting& meeting) {
    until_may_write(meeting);
    put(rank, meeting);
  }
  // Visit::may_write.
  void until_may_write(const Meeting& meeting) {
    std::uint32_t waits = 0;
    auto ready = [&] {
      const bool may = room.may_write(rank, meeting);
      if (sleeps && may == (waits != 0)) waits ? room.end_waiting() : room.begin_waiting();
      waits = !may;
      return may;
    };
    until(ready, &waits);
  }
  // Our payload, to a place.
  void put(std::uint32_t place, const Meeting& meeting) {
    char mine[Sizes::block_bytes];
    std::memset(mine, value_of(rank, meeting.ticket), sizeof mine);
    Model::store_payload(room.place(place, meeting), mine, payload_bytes(meeting));
  }
  void read(const Meeting& meeting, std::uint32_t other) { read(meeting, other, other); }
  // Who wrote the place last.
  void read(const Meeting& meeting, std::uint32_t place, std::uint32_t writer) {
    char its[Sizes::block_bytes];
    const std::size_t bytes = payload_bytes(meeting);
    Model::load_payload(its, room.place(place, meeting), bytes);
    for (std::size_t i = 0; i < bytes; ++i)
      check(its[i] == value_of(writer, meeting.ticket),
            "a place was read too early, or written again too early");
  }
  // All of a place: a byte beside the flag, or what the operation has of a block.
  std::size_t payload_bytes(const Meeting& meeting) {
    if (!meeting.has_blocks()) return 1;
    const std::size_t bytes = meeting.parts * room.part_bytes;
    check(room.place(room.ranks() - 1, meeting) + bytes <=
              shared.blocks + lockfree::room_blocks_bytes<Sizes>(room.ranks()),
          "a place lies beyond the blocks");
    return bytes;
  }
  void finish(const Meeting& meeting) {
    if (room.finish(rank, meeting) && sleeps) wake_waiting();
  }
  // Visit::wake_waiting.
  void wake_waiting() {
    if (ordering == Ordering::fences) Model::full_fence();
    if (room.anybody_waits()) wake_all();
  }
  void exchange(RoomSpace space, bool learns) {
    Meeting meeting = room.open(space);
    meet(meeting);
    if (learns) room.learn(meeting);
    finish(meeting);
  }
  void meet(const Meeting& meeting) {
    write(meeting);
    if (sleeps && !others_missing(meeting, 0, room.ranks())) wake_all();
    until_arrived(meeting, 0, room.ranks());
    for (std::uint32_t other = 0; other < room.ranks(); ++other) read(meeting, other);
  }
  // collective/by_groups.hpp, of two groups: ranks up to `last`, led by rank 0, and the others, led
  // by the one after it. With `last` the last rank there is one group.
  void exchange_by_groups(std::uint32_t last) {
    const std::uint32_t ranks = room.ranks(), other = last + 1;
    const std::uint32_t leader = rank <= last ? 0 : other, end = rank <= last ? other : ranks;
    Meeting within = room.open(RoomSpace::lines), between = room.open(RoomSpace::lines);
    write(within);
    if (sleeps && rank != leader && !others_missing(within, leader, end)) wake(leader);
    if (rank == leader) {
      until_arrived(within, leader, end);
      std::uint64_t finished = UINT64_MAX;
      for (std::uint32_t one = leader; one < end; ++one) {
        read(within, one);
        finished = std::min(finished, room.finished_at(one, within));
      }
      fill(between);
      room.publish_for_others(rank, between, finished);
      if (sleeps && is_there(between, 0) && is_there(between, other)) wake_all();
    }
    finish(within);
    std::uint64_t finished = UINT64_MAX;
    for (std::uint32_t one : {std::uint32_t{0}, other}) {
      if (one == ranks) continue;
      until_arrived(between, one, one + 1);
      read(between, one);
      finished = std::min(finished, room.finished_at(one, between));
    }
    room.learn(finished);
    finish(between);
  }
  // Of a leader, with the fence that others_missing has.
  bool is_there(const Meeting& meeting, std::uint32_t one) {
    return one == room.ranks() || !others_missing(meeting, one, one + 1);
  }
  void give(std::uint32_t root, RoomSpace space) {
    Meeting meeting = room.open(space);
    if (rank == root) {
      write(meeting);
      if (sleeps) wake_all();
    } else {
      until_arrived(meeting, root, root + 1);
      read(meeting, root);
    }
    finish(meeting);
  }
  void collect(std::uint32_t root) {
    Meeting meeting = room.open(RoomSpace::lines);
    write(meeting);
    if (rank != root) {
      if (sleeps && !others_missing(meeting, 0, room.ranks())) wake(root);
    } else {
      until_arrived(meeting, 0, room.ranks());
      for (std::uint32_t other = 0; other < room.ranks(); ++other) read(meeting, other);
    }
    finish(meeting);
  }
};

template <class Sizes = SmallRoom, class Do>
void run(Stage& stage, std::uint32_t ranks, bool sleeps, Ordering ordering, Do act) {
  auto& shared = stage.shared<Shared>();
  for (std::uint32_t rank = 0; rank < ranks; ++rank)
    stage.thread([&shared, rank, ranks, sleeps, ordering, act] {
      Member<Sizes> member(shared, rank, ranks, sleeps, ordering);
      act(member);
    });
}

MODEL_CASE(room, two_ranks_exchange_over_three_operations_in_two_banks) {
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
    Meeting line = room.open(RoomSpace::lines), block = room.open(RoomSpace::blocks),
            again = room.open(RoomSpace::blocks);
    if (member.rank == 0) {
      for (const Meeting& meeting : {line, block, again}) {
        member.write(meeting);
        member.finish(meeting);
      }
      return;
    }
    for (const Meeting& meeting : {block, line, again}) {
      member.until_arrived(meeting, 0, 1);
      member.read(meeting, 0);
      member.finish(meeting);
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
    Meeting block = room.open(RoomSpace::blocks), first = room.open(RoomSpace::parts),
            second = room.open(RoomSpace::parts);
    auto take_part = [&](const Meeting& meeting, std::uint32_t root) {
      if (member.rank == root) {
        member.write(meeting);
      } else {
        member.until_arrived(meeting, root, root + 1);
        member.read(meeting, root);
      }
      member.finish(meeting);
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
// collective/pieces.hpp: what is longer than a block. Else ranks read pieces by turns.
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
// collective/reduction_chain_in_room.cpp, with one chain: ranks change one place one after the
// other. Ranks want pieces by turns.
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
    for (int i = 0; i < 3; ++i) member.exchange_by_groups(1);
  });
}
MODEL_CASE(room, a_leader_speaks_for_a_rank_of_its_group_that_is_behind) {
  run<RoomOfFourBanks>(stage, 2, false, Ordering::fences, [](auto& member) {
    const Meeting before = member.room.open(RoomSpace::lines);
    if (member.rank == 0) {
      member.write(before);
      member.finish(before);
    }
    member.exchange_by_groups(1);
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
    for (int i = 0; i < 3; ++i) member.exchange_by_groups(0);
  });
}
MODEL_CASE(room, two_groups_of_three_ranks_overwrite_nothing) {
  run(stage, 3, false, Ordering::fences, [](auto& member) {
    member.exchange_by_groups(1);
    member.give(2, RoomSpace::lines);
  });
}
MODEL_CASE(room, no_wake_up_of_a_group_is_lost_with_fences) {
  run(stage, 2, true, Ordering::fences, [](auto& member) { member.exchange_by_groups(1); });
}
MODEL_CASE(room, no_wake_up_of_a_group_is_lost_with_membarrier) {
  run(stage, 2, true, Ordering::membarrier, [](auto& member) { member.exchange_by_groups(1); });
}
MODEL_CASE(room, no_wake_up_between_groups_is_lost_with_fences) {
  run(stage, 2, true, Ordering::fences, [](auto& member) { member.exchange_by_groups(0); });
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
MODEL_CASE(room, operations_that_end_out_of_order_keep_their_banks) {
  run(stage, 2, false, Ordering::fences, [](auto& member) {
    auto& room = member.room;
    Meeting first = room.open(RoomSpace::lines), second = room.open(RoomSpace::lines),
            third = room.open(RoomSpace::lines);
    if (member.rank == 0) {
      for (const Meeting& meeting : {first, second, third}) {
        member.write(meeting);
        member.finish(meeting);
      }
      return;
    }
    for (const Meeting& meeting : {second, first, third}) {
      member.until_arrived(meeting, 0, 1);
      member.read(meeting, 0);
      member.finish(meeting);
    }
  });
}

// Its leader clears a room and opens it anew once all have left.
MODEL_CASE(room, a_room_is_reused_only_when_everyone_has_read_its_last_lines) {
  auto& shared = stage.shared<Shared>();
  for (std::uint32_t rank = 0; rank < 2; ++rank)
    stage.thread([&shared, rank] {
      Member<SmallRoom> member(shared, rank, 2, false, Ordering::fences);
      member.exchange(RoomSpace::lines, false);
      member.room.leave();
      if (rank != 0) return;
      for (Mark round = mark(); !member.room.all_left();) pause(round);
      char zero[64] = {};
      for (int line = 0; line < 2; ++line)
        Model::store_payload(shared.memory + (1 + 2 + 2 + line) * 64 + 8, zero, 56);
    });
}

}  // namespace
}  // namespace baton::model
