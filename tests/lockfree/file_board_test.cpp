// The shipped slots of a file's exchanges over all interleavings: writes, in which two ranks fill a
// piece and one moves it to the file, and reads, in which one loads a piece and two take their
// parts; each over two turns of one slot, as file/exchange.cpp goes about it.
#include "lockfree/file_board.hpp"

#include "tests/lockfree/model/cases.hpp"

namespace baton::model {
namespace {

constexpr std::uint64_t turns = 2;
constexpr std::uint32_t ranks = 2;

constexpr int failure = 5;  // of each write

struct Shared {
  lockfree::FileBoard<Model> board;
  alignas(64) std::uint32_t memory[ranks];  // the slot's: a part of each rank
};

std::uint32_t word_of(std::uint64_t turn, std::uint32_t rank) {
  return static_cast<std::uint32_t>(10 * (turn + 1)) + rank;
}

struct Member {
  Shared& shared;
  std::uint32_t rank;
  bool fills, moves;

  lockfree::FileSlot<Model>& slot() { return shared.board.slots[0]; }

  // move_chunk; the mover's errors are told with the turn's end.
  void write(std::uint64_t turn) {
    for (std::uint32_t r = 0; r < ranks; ++r) {
      std::uint32_t word;
      Model::load_payload(&word, &shared.memory[r], sizeof word);
      check(word == word_of(turn, r), "what is written is not what the ranks have filled");
    }
    shared.board.note_failure(static_cast<std::uint32_t>(turn), failure);
    slot().finish(turn);
  }
  void read(std::uint64_t turn) {
    for (std::uint32_t r = 0; r < ranks; ++r) {
      const std::uint32_t word = word_of(turn, r);
      Model::store_payload(&shared.memory[r], &word, sizeof word);
    }
    slot().tell_loaded(turn, static_cast<std::int64_t>(turn) + 5);
  }

  // A write: each turn is filled by both, and moved by whoever claims it.
  void run_writes() {
    std::uint64_t next = 0, over = 0;
    for (Mark round = mark(); over < turns;) {
      if (fills && next < turns && slot().is_free(next)) {
        const std::uint32_t word = word_of(next, rank);
        Model::store_payload(&shared.memory[rank], &word, sizeof word);
        (void)slot().arrive(ranks);
        ++next;
      } else if (moves && slot().is_free(over) && !slot().is_claimed(over) &&
                 slot().all_arrived(ranks)) {
        if (slot().claim(over)) write(over);
      } else if (slot().is_over(over)) {
        check(shared.board.failure_of(static_cast<std::uint32_t>(over)) == failure,
              "a turn is over, and its errors are not there");
        ++over;
      } else {
        pause(round);
        continue;
      }
      forget_all_but(round, over * 16 + next);
      round = mark();
    }
  }

  // A read: each turn is loaded by whoever claims it, and emptied by both.
  void run_reads() {
    std::uint64_t next = 0;
    for (Mark round = mark(); next < turns;) {
      if (fills && slot().is_loaded(next)) {
        std::uint32_t word;
        Model::load_payload(&word, &shared.memory[rank], sizeof word);
        check(word == word_of(next, rank), "the bytes of another turn");
        check(slot().found() == static_cast<std::int64_t>(next) + 5, "the length of another turn");
        if (slot().arrive(ranks)) slot().finish(next);
        ++next;
      } else if (moves && slot().is_free(next) && !slot().is_claimed(next)) {
        if (slot().claim(next)) read(next);
      } else if (!fills && slot().is_over(next)) {
        ++next;
      } else {
        pause(round);
        continue;
      }
      forget_all_but(round, next);
      round = mark();
    }
  }
};

struct Plan {
  bool writes;
  bool fillers_move;  // as without cb_nodes
  bool has_mover;     // a rank without bytes in the piece
};

void exchange(Stage& stage, const Plan& plan) {
  auto& shared = stage.shared<Shared>();
  auto add = [&](std::uint32_t rank, bool fills, bool moves) {
    stage.thread([&shared, rank, fills, moves, plan] {
      Member member{shared, rank, fills, moves};
      plan.writes ? member.run_writes() : member.run_reads();
    });
  };
  for (std::uint32_t rank = 0; rank < ranks; ++rank) add(rank, true, plan.fillers_move);
  if (plan.has_mover) add(ranks, false, true);
}

MODEL_CASE(file_board, one_of_two_ranks_writes_what_both_have_filled) {
  exchange(stage, {true, true, false});
}
MODEL_CASE(file_board, a_third_rank_writes_what_two_have_filled) {
  exchange(stage, {true, false, true});
}
MODEL_CASE(file_board, one_of_two_ranks_reads_for_both) {
  exchange(stage, {false, true, false});
}
MODEL_CASE(file_board, a_third_rank_reads_for_two) {
  exchange(stage, {false, false, true});
}
MODEL_CASE(file_board_at_length, one_of_three_ranks_writes_what_two_have_filled) {
  exchange(stage, {true, true, true});
}
MODEL_CASE(file_board_at_length, one_of_three_ranks_reads_for_two) {
  exchange(stage, {false, true, true});
}

TEST(file_board, each_rank_leaves_for_itself) {
  using Board = lockfree::FileBoard<lockfree::Hardware>;
  constexpr int ranks = 65;
  alignas(cache_line_bytes) char memory[Board::bytes(ranks)] = {};
  auto& board = *reinterpret_cast<Board*>(memory);
  for (int rank : {0, 63, 64}) {
    EXPECT_FALSE(board.has_left(rank));
    board.tell_left(rank);
    EXPECT_TRUE(board.has_left(rank));
  }
  EXPECT_FALSE(board.has_left(1) || board.has_left(62));
}

TEST(file_board, a_failure_is_that_of_its_own_access) {
  lockfree::FileBoard<lockfree::Hardware> board{};
  EXPECT_EQ(board.failure_of(0), 0);
  board.note_failure(3, 28);
  EXPECT_EQ(board.failure_of(3), 28);
  EXPECT_EQ(board.failure_of(2), 0);
  board.note_failure(3 + board.failures_max, 5);
  EXPECT_EQ(board.failure_of(3 + board.failures_max), 5);
  EXPECT_EQ(board.failure_of(3), 0) << "its place is another access's";
}

// The slots of a rank that fills before the turn before is over.
TEST(file_board, a_turn_that_begins_early_is_seen) {
  expect_fails(
      [](Stage& stage) {
        auto& shared = stage.shared<Shared>();
        stage.thread([&shared] {
          for (std::uint64_t turn = 0; turn < turns; ++turn) {
            const std::uint32_t word = word_of(turn, 0);
            Model::store_payload(&shared.memory[0], &word, sizeof word);
            (void)shared.board.slots[0].arrive(ranks);
          }
        });
        stage.thread([&shared] { Member{shared, 1, true, true}.run_writes(); });
      },
      "");
}

}  // namespace
}  // namespace baton::model
