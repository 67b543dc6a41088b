// The shipped partition board over all interleavings: each unit's data arrives once in each
// iteration, whoever moves it, and nothing is written before it may be (message/partitioned/).
#include "lockfree/partition_board.hpp"

#include "tests/lockfree/model/cases.hpp"

namespace baton::model {
namespace {

constexpr std::uint64_t iterations_max = 4;

struct Shared {
  lockfree::PartitionBoard<Model> board;
  struct alignas(64) Place {
    lockfree::UnitState<Model> state;
    alignas(64) std::uint32_t data;
  } places[4];
  alignas(64) std::uint32_t out[2];  // the sender's buffer, by unit
  alignas(64) std::uint32_t in[2];   // the receiver's
};

std::uint32_t load(const std::uint32_t& word) {
  std::uint32_t value;
  Model::load_payload(&value, &word, sizeof value);
  return value;
}
void store(std::uint32_t& word, std::uint32_t value) {
  Model::store_payload(&word, &value, sizeof value);
}
std::uint32_t number(std::uint64_t iteration, std::uint32_t unit) {
  return static_cast<std::uint32_t>(iteration * 10 + unit);
}

// --- staged: two places by turns
void send_staged(Shared& shared, std::uint64_t iterations) {
  for (std::uint64_t i = 1; i <= iterations; ++i) {
    Shared::Place& place = shared.places[i & 1];
    for (Mark round = mark(); !is_free(place.state);) pause(round);
    store(place.data, number(i, 0));
    publish_unit(place.state, i);
    check(has_left(place.state, i), "published, and has not left");
  }
}

// One of `threads` that take what has come; whoever has claimed a unit takes it.
void receive_staged(Shared& shared, std::uint64_t i) {
  Shared::Place& place = shared.places[i & 1];
  for (Mark round = mark(); !has_arrived(place.state, i);) {
    if (claim_unit(place.state, i)) {
      store(shared.in[0], load(place.data));
      finish_unit(place.state, i);
    } else {
      pause(round);
    }
  }
  check(load(shared.in[0]) == number(i, 0), "not what was sent");
}

MODEL_CASE(partition_board, staged_data_arrives_in_each_iteration) {
  auto& shared = stage.shared<Shared>();
  stage.thread([&shared] { send_staged(shared, iterations_max); });
  stage.thread([&shared] {
    for (std::uint64_t i = 1; i <= iterations_max; ++i) receive_staged(shared, i);
  });
}

MODEL_CASE(partition_board, staged_data_is_taken_by_one_of_two_threads) {
  auto& shared = stage.shared<Shared>();
  stage.thread([&shared] { send_staged(shared, 1); });
  for (int thread = 0; thread < 2; ++thread) stage.thread([&shared] { receive_staged(shared, 1); });
}

// One thread of the sender has waited for the unit that another one has copied, and writes its
// buffer again.
MODEL_CASE(partition_board, a_buffer_is_written_again_when_its_data_has_left) {
  auto& shared = stage.shared<Shared>();
  stage.thread([&shared] {
    store(shared.places[1].data, load(shared.out[0]));
    publish_unit(shared.places[1].state, 1);
  });
  stage.thread([&shared] {
    for (Mark round = mark(); !has_left(shared.places[1].state, 1);) pause(round);
    store(shared.out[0], 1);
  });
}

// --- direct: either side copies
void copy(Shared& shared, std::uint32_t unit) {
  store(shared.in[unit], load(shared.out[unit]));
}

void send_directly(Shared& shared, std::uint64_t iterations, std::uint32_t units) {
  for (std::uint64_t i = 1; i <= iterations; ++i) {
    for (std::uint32_t unit = 0; unit < units; ++unit) {
      lockfree::UnitState<Model>& state = shared.places[unit].state;
      store(shared.out[unit], number(i, unit));
      if (has_begun(shared.board, i)) {
        keep_unit(state, i);
        copy(shared, unit);
        finish_unit(state, i);
      } else {
        publish_unit(state, i);
      }
    }
    for (std::uint32_t unit = 0; unit < units; ++unit)
      for (Mark round = mark(); !has_arrived(shared.places[unit].state, i);) {
        if (has_begun(shared.board, i) && claim_unit(shared.places[unit].state, i)) {
          copy(shared, unit);
          finish_unit(shared.places[unit].state, i);
        } else {
          pause(round);
        }
      }
  }
}

// `pulls`: it copies itself what it finds ready.
void receive_directly(Shared& shared, std::uint64_t iterations, std::uint32_t units, bool pulls) {
  for (std::uint64_t i = 1; i <= iterations; ++i) {
    for (std::uint32_t unit = 0; unit < units; ++unit) store(shared.in[unit], 0);
    begin_iteration(shared.board, i);
    for (std::uint32_t unit = 0; unit < units; ++unit) {
      for (Mark round = mark(); !has_arrived(shared.places[unit].state, i);) {
        if (pulls && claim_unit(shared.places[unit].state, i)) {
          copy(shared, unit);
          finish_unit(shared.places[unit].state, i);
        } else {
          pause(round);
        }
      }
      check(load(shared.in[unit]) == number(i, unit), "not what was sent");
    }
  }
}

MODEL_CASE(partition_board, the_sender_copies_when_the_receiver_has_begun) {
  auto& shared = stage.shared<Shared>();
  stage.thread([&shared] { send_directly(shared, 2, 1); });
  stage.thread([&shared] { receive_directly(shared, 2, 1, false); });
}

MODEL_CASE(partition_board, either_side_copies) {
  auto& shared = stage.shared<Shared>();
  stage.thread([&shared] { send_directly(shared, 2, 1); });
  stage.thread([&shared] { receive_directly(shared, 2, 1, true); });
}

MODEL_CASE(partition_board, either_side_copies_several_units) {
  auto& shared = stage.shared<Shared>();
  stage.thread([&shared] { send_directly(shared, 1, 2); });
  stage.thread([&shared] { receive_directly(shared, 1, 2, true); });
}

// A receiver withdraws what it has begun, and uses its buffer again.
MODEL_CASE(partition_board, a_sender_leaves_the_buffer_of_a_withdrawn_unit_alone) {
  auto& shared = stage.shared<Shared>();
  stage.thread([&shared] {
    lockfree::UnitState<Model>& state = shared.places[0].state;
    store(shared.out[0], number(1, 0));
    bool mine = has_begun(shared.board, 1);
    if (mine) mine = keep_if_wanted(state, 1);
    if (!mine && publish_if_wanted(state, 1)) mine = claim_unit(state, 1);
    if (!mine) return;
    copy(shared, 0);
    finish_unit(state, 1);
  });
  stage.thread([&shared] {
    begin_iteration(shared.board, 1);
    lockfree::UnitState<Model>& state = shared.places[0].state;
    for (Mark round = mark(); !withdraw_unit(state, 1);) pause(round);
    // relaxed: the withdrawal has acquired what has arrived.
    if (state.word.load(std::memory_order_relaxed) == lockfree::unit_arrived(1))
      check(load(shared.in[0]) == number(1, 0), "not what was sent");
    store(shared.in[0], 77);
    check(load(shared.in[0]) == 77, "written after its end");
  });
}

// A sender withdraws what it has published, and uses its buffer again.
MODEL_CASE(partition_board, a_receiver_leaves_the_buffer_of_a_withdrawn_unit_alone) {
  auto& shared = stage.shared<Shared>();
  stage.thread([&shared] {
    lockfree::UnitState<Model>& state = shared.places[0].state;
    store(shared.out[0], number(1, 0));
    (void)publish_if_wanted(state, 1);
    for (Mark round = mark(); !withdraw_unit(state, 1);) pause(round);
    store(shared.out[0], 77);
  });
  stage.thread([&shared] {
    if (!claim_unit(shared.places[0].state, 1)) return;
    copy(shared, 0);
    finish_unit(shared.places[0].state, 1);
    check(load(shared.in[0]) == number(1, 0), "not what was sent");
  });
}

// The receiver frees the board when the sender has looked for the last time.
MODEL_CASE(partition_board, is_freed_after_the_senders_last_look) {
  auto& shared = stage.shared<Shared>();
  stage.thread([&shared] {
    send_staged(shared, 1);
    check(load(shared.places[1].data) == number(1, 0), "freed under the sender");
    let_go(shared.board);
  });
  stage.thread([&shared] {
    receive_staged(shared, 1);
    for (Mark round = mark(); !has_let_go(shared.board);) pause(round);
    store(shared.places[1].data, 99);
  });
}

}  // namespace
}  // namespace baton::model
