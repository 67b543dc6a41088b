// The shipped room over all interleavings, with the waking and sleeping of collective/room.cpp:
// after arriving, wake who sleeps (with fences: only whoever sees that all are there); wait; read
// all lines.
#include "lockfree/room.hpp"

#include <cstring>

#include "tests/lockfree/model/cases.hpp"
#include "tests/lockfree/model/waiting.hpp"

namespace baton::model {
namespace {

constexpr std::uint32_t ranks_max = 3;

struct Shared {
  ModelDoorbell doorbells[ranks_max];
  alignas(64) char memory[lockfree::room_bytes(ranks_max)];
};
using ModelRoom = lockfree::Room<Model>;

// wake_members.
void wake_members(Shared& shared, ModelRoom& room, std::uint32_t rank, Ordering ordering) {
  if (ordering == Ordering::fences) {
    Model::full_fence();
    if (room.first_missing(0) != room.ranks()) return;
  }
  for (std::uint32_t other = 0; other < room.ranks(); ++other)
    if (other != rank && wants_attention(shared.doorbells[other]))
      wake_slow(shared.doorbells[other]);
}

char value_of(std::uint32_t rank, int operation) {
  return static_cast<char>(10 * operation + rank + 1);
}

// meet, then what an allreduce reads. `sleeps`: without it the rank polls.
void meet(Shared& shared, ModelRoom& room, std::uint32_t rank, int operation, bool sleeps,
          Ordering ordering) {
  // Two operations, then two that bring more than fits beside the flag: each kind follows itself.
  std::size_t bytes = operation / 2 % 2 ? lockfree::room_line_payload_bytes + 4 : 1;
  char mine[lockfree::room_line_payload_bytes + 4];
  std::memset(mine, value_of(rank, operation), sizeof mine);
  room.arrive(rank, mine, bytes);
  if (sleeps) {
    wake_members(shared, room, rank, ordering);
    std::uint32_t missing = 0;
    wait_until(
        shared.doorbells[rank], ordering,
        [&] { return (missing = room.first_missing(missing)) == room.ranks(); },
        [&] {
          take_doorbells(shared.doorbells[rank], 0);
          return false;
        },
        [] { return false; }, [&] { return missing; });
  } else {
    std::uint32_t missing = 0;
    for (Mark round = mark(); (missing = room.first_missing(missing)) < room.ranks();) {
      pause(round);
      forget_all_but(round, missing);
    }
  }
  for (std::uint32_t other = 0; other < room.ranks(); ++other) {
    char its[sizeof mine];
    room.load(other, its, bytes);
    check(its[0] == value_of(other, operation) && its[bytes - 1] == its[0],
          "a rank left before all had arrived, or read another operation");
  }
}

void meet_often(Stage& stage, std::uint32_t ranks, int operations, bool sleeps, Ordering ordering) {
  auto& shared = stage.shared<Shared>();
  for (std::uint32_t rank = 0; rank < ranks; ++rank)
    stage.thread([&, rank, ranks, operations, sleeps, ordering] {
      ModelRoom room(shared.memory, ranks);
      Mark start = mark();
      for (int operation = 0; operation < operations; ++operation) {
        meet(shared, room, rank, operation, sleeps, ordering);
        forget_all_but(start, static_cast<std::uint64_t>(operation));
      }
    });
}

MODEL_CASE(room, two_ranks_read_the_right_lines_over_four_operations) {
  meet_often(stage, 2, 4, false, Ordering::fences);
}
MODEL_CASE(room, three_ranks_read_the_right_lines_over_three_operations) {
  meet_often(stage, 3, 3, false, Ordering::fences);
}
MODEL_CASE(room, no_wake_up_of_two_ranks_is_lost_with_fences) {
  meet_often(stage, 2, 2, true, Ordering::fences);
}
MODEL_CASE(room, no_wake_up_of_two_ranks_is_lost_with_membarrier) {
  meet_often(stage, 2, 2, true, Ordering::membarrier);
}
MODEL_CASE(room, no_wake_up_of_three_ranks_is_lost_with_fences) {
  meet_often(stage, 3, 1, true, Ordering::fences);
}

// Its leader clears a room and opens it anew once all have left.
MODEL_CASE(room, a_room_is_reused_only_when_everyone_has_read_its_last_lines) {
  auto& shared = stage.shared<Shared>();
  for (std::uint32_t rank = 0; rank < 2; ++rank)
    stage.thread([&, rank] {
      ModelRoom room(shared.memory, 2);
      meet(shared, room, rank, 0, false, Ordering::fences);
      room.leave();
      if (rank != 0) return;
      for (Mark round = mark(); !room.all_left();) pause(round);
      char zero[64] = {};
      for (std::uint32_t line = 0; line < 2; ++line)
        Model::store_payload(
            shared.memory + sizeof(lockfree::RoomHead<Model>) + (2 + line) * 64 + 8, zero, 56);
    });
}

}  // namespace
}  // namespace baton::model
