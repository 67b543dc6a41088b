// The shipped chunk pool over all interleavings: senders take, fill and publish; the receiver
// copies behind them and gives back. Two holders of one chunk would race on its bytes.
#include "lockfree/staging.hpp"

#include <cstring>

#include "lockfree/ring.hpp"
#include "tests/lockfree/model/cases.hpp"

namespace baton::model {
namespace {

constexpr std::uint32_t small = 4;
constexpr int senders_max = 2;
constexpr int chunks_max = 2;
constexpr int segment = 4;
constexpr int none = -1;

struct Shared {
  lockfree::Line<Model> lines[senders_max][small];
  lockfree::ConsumerLines<Model> consumer[senders_max];
  alignas(64) Model::Atomic<std::uint64_t> free;
  lockfree::Progress<Model> progress[chunks_max];
  alignas(64) char chunks[chunks_max][2 * segment];
};

int take_one(Model::Atomic<std::uint64_t>& free) {
  lockfree::StagingBuffer buffer = lockfree::take_chunks(free, 1);
  return buffer.empty() ? none : static_cast<int>(buffer.first());
}
void give_back_one(Model::Atomic<std::uint64_t>& free, int chunk) {
  lockfree::give_back_chunks(free, {std::uint64_t{1} << chunk});
}

// put_staging_buffer_line and fill of message/node/stream_out.cpp, with staging buffers of one
// chunk that is filled once.
void send_chunks(Shared& shared, int sender, int count) {
  lockfree::SendRing<Model, small> ring;
  ring.attach(shared.lines[sender], &shared.consumer[sender]);
  for (int i = 0; i < count; ++i) {
    int chunk;
    for (Mark round = mark(); (chunk = take_one(shared.free)) == none;) pause(round);
    lockfree::open_staging_buffer(shared.progress[chunk]);
    for (Mark round = mark(); !ring.has_space(1);) pause(round);
    ring.put(lockfree::make_header(4, 0, 0), {0, i}, &chunk, sizeof chunk);
    for (int half = 0; half < 2; ++half) {
      char bytes[segment];
      for (int b = 0; b < segment; ++b)
        bytes[b] = static_cast<char>(sender * 64 + i * 16 + half * 8 + b);
      Model::store_payload(shared.chunks[chunk] + half * segment, bytes, segment);
      lockfree::publish_filled(shared.progress[chunk],
                               static_cast<std::uint64_t>(half + 1) * segment);
    }
  }
}

// arrive_staging_buffer and follow of message/node/stream_in.cpp.
void receive_chunk(Shared& shared, lockfree::ReceiveRing<Model, small>& ring, int sender, int i) {
  check(ring.envelope().tag == i, "chunks of one sender out of order");
  int chunk;
  ring.take(&chunk, sizeof chunk);
  char bytes[2 * segment];
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
  for (int b = 0; b < 2 * segment; ++b)
    check(bytes[b] == sender * 64 + i * 16 + b / segment * 8 + b % segment,
          "a chunk's bytes are not the sender's");
  give_back_one(shared.free, chunk);
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
  for (int t = 0; t < 3; ++t) stage.thread([&, t] { got[t] = take_one(shared.free); });
  stage.finally([] {
    check(got[0] != got[1] && got[1] != got[2] && got[0] != got[2], "a chunk was handed out twice");
    check(got[0] + got[1] + got[2] == 0 + 1 + 2, "a chunk was refused");
  });
}

// A message of three chunks through a staging buffer of two: fill of message/node/stream_out.cpp,
// follow of message/node/stream_in.cpp.
MODEL_CASE(staging, a_buffer_goes_round_and_nothing_is_overwritten_before_it_was_read) {
  auto& shared = stage.shared<Shared>();
  constexpr std::uint64_t all = 3, buffer = 2;  // in chunks
  stage.thread([&] {
    lockfree::open_staging_buffer(shared.progress[0]);
    lockfree::SendRing<Model, small> ring;
    ring.attach(shared.lines[0], &shared.consumer[0]);
    int first = 0;
    ring.put(lockfree::make_header(4, 0, 0), {0, 0}, &first, sizeof first);
    for (std::uint64_t filled = 0, emptied = 0; filled < all;) {
      for (Mark round = mark(); filled == emptied + buffer;) {
        emptied = lockfree::emptied_bytes(shared.progress[0]);
        check(emptied <= filled, "more was emptied than filled");
        if (filled == emptied + buffer) pause(round);
      }
      char value = static_cast<char>(filled + 1);
      Model::store_payload(shared.chunks[filled % buffer], &value, 1);
      lockfree::publish_filled(shared.progress[0], ++filled);
    }
  });
  stage.thread([&] {
    lockfree::ReceiveRing<Model, small> ring;
    ring.attach(shared.lines[0], &shared.consumer[0]);
    while (ring.peek().lap() == 0) pause();
    int first;
    ring.take(&first, sizeof first);
    for (std::uint64_t emptied = 0; emptied < all;) {
      std::uint64_t filled = lockfree::filled_bytes(shared.progress[first]);
      if (filled == emptied) {
        pause();
        continue;
      }
      for (; emptied < filled; lockfree::publish_emptied(shared.progress[first], emptied)) {
        char value;
        Model::load_payload(&value, shared.chunks[emptied % buffer], 1);
        check(value == static_cast<char>(++emptied), "a chunk was overwritten, or read too early");
      }
    }
  });
}

// place_in_transferred of message/node/stream_out.cpp, keep_transferred: two ranks send to and fro
// in one chunk, which is the other's with each message. Messages are shorter than the chunk.
void hand_over(Shared& shared, int rank, int messages) {
  constexpr std::uint64_t whole = 2 * segment;
  lockfree::SendRing<Model, small> out;
  lockfree::ReceiveRing<Model, small> in;
  out.attach(shared.lines[rank], &shared.consumer[rank]);
  in.attach(shared.lines[1 - rank], &shared.consumer[1 - rank]);
  for (int i = 0; i < messages; ++i) {
    const std::uint64_t position = static_cast<std::uint64_t>(i) * whole;
    char bytes[segment];
    if (i % 2 == rank) {
      out.put(lockfree::make_header(4, 0, 0), {0, i}, &position, sizeof position);
      for (std::uint64_t done = 0; done < segment; done += segment / 2) {
        std::memset(bytes, 10 * i + static_cast<int>(done), segment / 2);
        Model::store_payload(shared.chunks[0] + done, bytes, segment / 2);
        lockfree::publish_filled(shared.progress[0], position + done + segment / 2);
      }
      continue;
    }
    while (in.peek().lap() == 0) pause();
    std::uint64_t shift;
    in.take(&shift, sizeof shift);
    for (std::uint64_t done = 0; done < segment;) {
      const std::uint64_t filled = lockfree::filled_bytes(shared.progress[0]);
      if (filled <= shift + done) {
        pause();
        continue;
      }
      Model::load_payload(bytes, shared.chunks[0] + done, segment / 2);
      for (int b = 0; b < segment / 2; ++b)
        check(bytes[b] == 10 * i + static_cast<int>(done),
              "a buffer was read before it was filled, or written before it was read");
      done += segment / 2;
    }
  }
}

MODEL_CASE(staging, a_buffer_that_passes_with_each_message_is_written_when_it_was_read) {
  auto& shared = stage.shared<Shared>();
  for (int rank = 0; rank < 2; ++rank) stage.thread([&, rank] { hand_over(shared, rank, 4); });
}

TEST(staging, a_buffer_goes_through_its_chunks_from_the_lowest_on) {
  for (std::uint64_t chunks :
       {std::uint64_t{0b0111000}, std::uint64_t{0b1001010}, ~std::uint64_t{0} << 32}) {
    const lockfree::StagingBuffer buffer{chunks};
    std::uint64_t seen = 0, last = 0;
    for (int i = 0; i < buffer.count(); ++i) {
      const std::uint64_t bit = std::uint64_t{1} << buffer.chunk(i);
      EXPECT_GT(bit, last);
      last = bit;
      seen |= bit;
    }
    EXPECT_EQ(seen, chunks);
  }
}

TEST(staging, the_lowest_free_chunks_are_taken_and_none_when_all_are) {
  std::atomic<std::uint64_t> free{0b101010};
  EXPECT_EQ(lockfree::take_chunks(free, 1).chunks, 0b10u);
  EXPECT_EQ(lockfree::free_chunks(free), 2);
  lockfree::StagingBuffer rest = lockfree::take_chunks(free, 5);
  EXPECT_EQ(rest.chunks, 0b101000u);
  EXPECT_EQ(rest.first(), 3u);
  EXPECT_EQ(rest.count(), 2);
  EXPECT_TRUE(lockfree::take_chunks(free, 1).empty());
  lockfree::give_back_chunks(free, {std::uint64_t{1} << 63});
  EXPECT_EQ(lockfree::take_chunks(free, 1).first(), 63u);
}

}  // namespace
}  // namespace baton::model
