// A rank of a small room in the model, with the waking and sleeping of collective/room/visit.cpp,
// and what it does there: for the cases of room_test.cpp and room_sequence_test.cpp.
#pragma once

#include <algorithm>
#include <cstring>

#include "lockfree/room.hpp"
#include "tests/lockfree/model/cases.hpp"
#include "tests/lockfree/model/waiting.hpp"

namespace baton::model {

using lockfree::RoomSpace;
using lockfree::Round;

inline constexpr std::uint32_t room_ranks_max = 3;

struct SmallRoom {
  static constexpr std::uint64_t banks = 2;
  static constexpr std::uint64_t block_banks = 1;
  static constexpr std::uint64_t block_bytes = 64;
  static constexpr std::uint64_t block_parts = 1;
  static constexpr std::uint64_t banks_min = 2;
  static constexpr std::uint64_t lines_max = 1024;
  static constexpr std::uint64_t blocks_bytes_max = 1024;
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

// Of two ranks and more it has half of the banks, and half a block each.
struct RoomOfFewerBanks : SmallRoom {
  static constexpr std::uint64_t banks = 4;
  static constexpr std::uint64_t lines_max = 4;
  static constexpr std::uint64_t block_bytes = 128;
  static constexpr std::uint64_t blocks_bytes_max = 128;
};

struct RoomShared {
  ModelDoorbell doorbells[room_ranks_max];
  alignas(64) char memory[lockfree::room_bytes<RoomOfOneBlock>(room_ranks_max)];
  alignas(64) char blocks[lockfree::room_blocks_bytes<RoomOfTwoBlocks>(room_ranks_max)];
};

inline char value_of(std::uint32_t rank, std::uint64_t sequence) {
  return static_cast<char>(10 * sequence + rank + 1);
}

// A rank of a room. `sleeps`: without it the rank polls.
template <class Sizes>
struct RoomMember {
  RoomShared& shared;
  std::uint32_t rank;
  bool sleeps;
  Ordering ordering;
  lockfree::Room<Model, Sizes> room{};

  RoomMember(RoomShared& its_shared, std::uint32_t its_rank, std::uint32_t ranks, bool its_sleeps,
             Ordering its_ordering)
      : shared(its_shared), rank(its_rank), sleeps(its_sleeps), ordering(its_ordering) {
    room.prepare(ranks);
    room.attach(shared.memory, ranks);
    room.attach_blocks(shared.blocks);
  }

  // Until the places [from, to) have been published.
  void until_arrived(const Round& round, std::uint32_t from, std::uint32_t to) {
    std::uint32_t missing = from;
    until([&] { return (missing = room.first_missing(missing, to, round)) == to; }, &missing);
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
  bool others_missing(const Round& round, std::uint32_t from, std::uint32_t to) {
    if (ordering != Ordering::fences) return false;
    Model::full_fence();
    return room.first_missing(from, to, round) != to;
  }
  void write(const Round& round) {
    fill(round);
    room.publish(rank, round);
  }
  // All but publishing.
  void fill(const Round& round) {
    until_may_write(round);
    put(rank, round);
  }
  // Visit::may_write.
  void until_may_write(const Round& round) {
    std::uint32_t waits = 0;
    auto ready = [&] {
      const bool may = room.may_write(rank, round);
      if (sleeps && may == (waits != 0)) waits ? room.end_waiting() : room.begin_waiting();
      waits = !may;
      return may;
    };
    until(ready, &waits);
  }
  // Our payload, to a slot.
  void put(std::uint32_t slot, const Round& round) {
    char mine[Sizes::block_bytes];
    std::memset(mine, value_of(rank, round.sequence), sizeof mine);
    Model::store_payload(room.payload(slot, round), mine, payload_bytes(round));
  }
  void read(const Round& round, std::uint32_t other) { read(round, other, other); }
  // Who wrote the slot last.
  void read(const Round& round, std::uint32_t slot, std::uint32_t writer) {
    char its[Sizes::block_bytes];
    const std::size_t bytes = payload_bytes(round);
    Model::load_payload(its, room.payload(slot, round), bytes);
    for (std::size_t i = 0; i < bytes; ++i)
      check(its[i] == value_of(writer, round.sequence),
            "a slot was read too early, or written again too early");
  }
  // All of a slot: a byte beside the flag, or what the round has of a block.
  std::size_t payload_bytes(const Round& round) {
    if (!round.has_blocks()) return 1;
    const std::size_t bytes = round.parts * room.part_bytes();
    check(room.payload(room.ranks() - 1, round) + bytes <=
              shared.blocks + lockfree::room_blocks_bytes<Sizes>(room.ranks()),
          "a slot lies beyond the blocks");
    return bytes;
  }
  void finish(const Round& round) {
    if (room.finish(rank, round) && sleeps) wake_waiting();
  }
  // Visit::wake_waiting.
  void wake_waiting() {
    if (ordering == Ordering::fences) Model::full_fence();
    if (room.anybody_waits()) wake_all();
  }
  void exchange(RoomSpace space, bool learns) {
    Round round = room.open(space);
    meet(round);
    if (learns) room.learn(round);
    finish(round);
  }
  void meet(const Round& round) {
    write(round);
    if (sleeps && !others_missing(round, 0, room.ranks())) wake_all();
    until_arrived(round, 0, room.ranks());
    for (std::uint32_t other = 0; other < room.ranks(); ++other) read(round, other);
  }
  // collective/room/hierarchical.hpp, of two groups: ranks up to `last`, led by rank 0, and the
  // others, led by the one after it. With `last` the last rank there is one group.
  void exchange_hierarchically(std::uint32_t last) {
    const std::uint32_t ranks = room.ranks(), other = last + 1;
    const std::uint32_t leader = rank <= last ? 0 : other, end = rank <= last ? other : ranks;
    Round within = room.open(RoomSpace::lines), between = room.open(RoomSpace::lines);
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
  bool is_there(const Round& round, std::uint32_t one) {
    return one == room.ranks() || !others_missing(round, one, one + 1);
  }
  void give(std::uint32_t root, RoomSpace space) {
    Round round = room.open(space);
    if (rank == root) {
      write(round);
      if (sleeps) wake_all();
    } else {
      until_arrived(round, root, root + 1);
      read(round, root);
    }
    finish(round);
  }
  void collect(std::uint32_t root) {
    Round round = room.open(RoomSpace::lines);
    write(round);
    if (rank != root) {
      if (sleeps && !others_missing(round, 0, room.ranks())) wake(root);
    } else {
      until_arrived(round, 0, room.ranks());
      for (std::uint32_t other = 0; other < room.ranks(); ++other) read(round, other);
    }
    finish(round);
  }
};

template <class Sizes = SmallRoom, class Do>
void run(Stage& stage, std::uint32_t ranks, bool sleeps, Ordering ordering, Do act) {
  auto& shared = stage.shared<RoomShared>();
  for (std::uint32_t rank = 0; rank < ranks; ++rank)
    stage.thread([&shared, rank, ranks, sleeps, ordering, act] {
      RoomMember<Sizes> member(shared, rank, ranks, sleeps, ordering);
      act(member);
    });
}

}  // namespace baton::model
