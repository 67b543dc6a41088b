// The shipped chunk pool over all interleavings: senders take, fill and publish; the receiver
// copies behind them and gives back. Two holders of one chunk would race on its bytes.
#include "lockfree/staging.hpp"

#include "lockfree/ring.hpp"
#include "tests/lockfree/model/cases.hpp"

namespace baton::model {
namespace {

constexpr std::uint32_t small = 4;
constexpr int senders_max = 2;
constexpr int chunks_max = 2;
constexpr int piece = 4;

struct Shared {
  lockfree::Line<Model> lines[senders_max][small];
  lockfree::ConsumerLine<Model> consumer[senders_max];
  alignas(64) Model::Atomic<std::uint64_t> free;
  lockfree::ProgressLine<Model> progress[chunks_max];
  alignas(64) char chunks[chunks_max][2 * piece];
};

// send_chunk and fill_chunk of message/stream.cpp.
void send_chunks(Shared& shared, int sender, int count) {
  lockfree::SendRing<Model, small> ring;
  ring.attach(shared.lines[sender], &shared.consumer[sender]);
  for (int i = 0; i < count; ++i) {
    int chunk;
    for (Mark round = mark(); (chunk = lockfree::take_chunk(shared.free)) == lockfree::no_chunk;)
      pause(round);
    lockfree::open_chunk(shared.progress[chunk]);
    for (Mark round = mark(); !ring.has_room(1);) pause(round);
    ring.put(lockfree::make_header(4, 0, 0), {0, i}, &chunk, sizeof chunk);
    for (int half = 0; half < 2; ++half) {
      char bytes[piece];
      for (int b = 0; b < piece; ++b)
        bytes[b] = static_cast<char>(sender * 64 + i * 16 + half * 8 + b);
      Model::store_payload(shared.chunks[chunk] + half * piece, bytes, piece);
      lockfree::publish_filled(shared.progress[chunk],
                               static_cast<std::uint64_t>(half + 1) * piece);
    }
  }
}

// arrive_chunk.
void receive_chunk(Shared& shared, lockfree::ReceiveRing<Model, small>& ring, int sender, int i) {
  check(ring.envelope().tag == i, "chunks of one sender out of order");
  int chunk;
  ring.take(&chunk, sizeof chunk);
  char bytes[2 * piece];
  for (std::uint64_t done = 0; done < sizeof bytes;) {
    std::uint64_t there = lockfree::filled_bytes(shared.progress[chunk]);
    check(there >= done && there <= sizeof bytes, "a chunk's progress went back");
    if (there == done) {
      pause();
      continue;
    }
    Model::load_payload(bytes + done, shared.chunks[chunk] + done, there - done);
    done = there;
  }
  for (int b = 0; b < 2 * piece; ++b)
    check(bytes[b] == sender * 64 + i * 16 + b / piece * 8 + b % piece,
          "a chunk's bytes are not the sender's");
  lockfree::give_back_chunk(shared.free, chunk);
}

void stream(Stage& stage, int senders, int chunks_each, std::uint64_t free) {
  auto& shared = stage.shared<Shared>();
  set_initial(&shared.free, free);
  for (int s = 0; s < senders; ++s)
    stage.thread([&, s, chunks_each] { send_chunks(shared, s, chunks_each); });
  stage.thread([&, senders, chunks_each] {
    lockfree::ReceiveRing<Model, small> rings[senders_max];
    int received[senders_max] = {};
    for (int s = 0; s < senders; ++s) rings[s].attach(shared.lines[s], &shared.consumer[s]);
    for (int left = senders * chunks_each; left > 0;) {
      bool any = false;
      Mark round = mark();
      for (int s = 0; s < senders; ++s)
        if (received[s] < chunks_each && rings[s].peek().lap() != 0) {
          receive_chunk(shared, rings[s], s, received[s]++);
          --left;
          any = true;
        }
      if (!any) pause(round);
    }
  });
}

MODEL_CASE(staging, one_chunk_goes_round_between_one_sender_and_the_receiver) {
  stream(stage, 1, 3, 1);
}
MODEL_CASE(staging, two_senders_share_one_chunk) {
  stream(stage, 2, 1, 1);
}
MODEL_CASE(staging, two_senders_share_two_chunks) {
  stream(stage, 2, 1, 3);
}

int got[4];

MODEL_CASE(staging, no_chunk_is_handed_out_twice_and_none_is_refused_while_one_is_free) {
  auto& shared = stage.shared<Shared>();
  set_initial(&shared.free, 7);
  for (int t = 0; t < 3; ++t) stage.thread([&, t] { got[t] = lockfree::take_chunk(shared.free); });
  stage.finally([] {
    check(got[0] != got[1] && got[1] != got[2] && got[0] != got[2], "a chunk was handed out twice");
    check(got[0] + got[1] + got[2] == 0 + 1 + 2, "a chunk was refused");
  });
}

TEST(staging, the_lowest_free_chunk_is_taken_and_none_when_all_are) {
  std::atomic<std::uint64_t> free{0b1010};
  EXPECT_EQ(lockfree::take_chunk(free), 1);
  EXPECT_EQ(lockfree::take_chunk(free), 3);
  EXPECT_EQ(lockfree::take_chunk(free), lockfree::no_chunk);
  lockfree::give_back_chunk(free, 63);
  EXPECT_EQ(lockfree::take_chunk(free), 63);
}

}  // namespace
}  // namespace baton::model
