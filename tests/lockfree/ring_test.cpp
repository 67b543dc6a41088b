// The shipped ring, a small one, over all interleavings; and the ring of full size, alone.
#include "lockfree/ring.hpp"

#include <cstring>
#include <memory>

#include "tests/lockfree/model/cases.hpp"

namespace baton::model {
namespace {

using lockfree::Envelope;
using lockfree::Header;
using lockfree::lines_for;
using lockfree::make_header;
constexpr std::uint32_t small = 4;
using Sender = lockfree::SendRing<Model, small>;
using Receiver = lockfree::ReceiveRing<Model, small>;

struct Shared {
  lockfree::Line<Model> lines[small];
  lockfree::ConsumerLines<Model> consumer;
};

// Byte i of message m.
char byte_of(int message, std::size_t i) {
  return static_cast<char>(message * 37 + i + 1);
}

void send_all(Sender& ring, const int* sizes, int count) {
  char payload[256];
  for (int m = 0; m < count; ++m) {
    auto bytes = static_cast<std::size_t>(sizes[m]);
    for (std::size_t i = 0; i < bytes; ++i) payload[i] = byte_of(m, i);
    for (Mark round = mark(); !ring.has_space(lines_for(bytes));) pause(round);
    Header header = make_header(5, bytes, lockfree::sources_max - 1 - m);
    if (bytes <= lockfree::first_line_payload_bytes)
      ring.put(header, {7, m}, payload, bytes);
    else
      ring.put_long(header, {7, m}, payload, bytes);
  }
}

void receive_all(Receiver& ring, const int* sizes, const int* wanted, int count) {
  for (int m = 0; m < count; ++m) {
    Header header = ring.peek();
    while (header.lap() == 0) {
      pause();
      header = ring.peek();
    }
    Envelope envelope = ring.envelope();
    auto bytes = static_cast<std::size_t>(sizes[m]);
    auto want = static_cast<std::size_t>(wanted[m]);
    check(header.kind() == 5 && header.bytes() == bytes &&
              header.source() == lockfree::sources_max - 1 - m,
          "the header is of another message");
    check(envelope.context == 7 && envelope.tag == m, "the envelope is of another message");
    char payload[256] = {};
    if (bytes <= lockfree::first_line_payload_bytes)
      ring.take(payload, want);
    else
      ring.take_long(payload, want, bytes, [] { return pause(), true; });
    for (std::size_t i = 0; i < sizeof payload; ++i)
      check(payload[i] == (i < want ? byte_of(m, i) : 0), "the payload is not intact");
  }
  check(ring.peek().lap() == 0, "something is left in the ring");
}

template <int count>
void transfer(Stage& stage, const int (&sizes)[count], const int (&wanted)[count]) {
  auto& shared = stage.shared<Shared>();
  stage.thread([&] {
    Sender ring;
    ring.attach(shared.lines, &shared.consumer);
    send_all(ring, sizes, count);
  });
  stage.thread([&] {
    Receiver ring;
    ring.attach(shared.lines, &shared.consumer);
    receive_all(ring, sizes, wanted, count);
  });
}

MODEL_CASE(ring, short_messages_arrive_once_in_order_and_intact_over_three_laps) {
  static constexpr int sizes[] = {8, 0, 48, 3, 8, 8, 1, 8, 16, 8, 8, 8, 2};
  transfer(stage, sizes, sizes);
}
MODEL_CASE(ring, messages_of_several_lines_arrive_in_order_and_intact) {
  static constexpr int sizes[] = {49, 8, 160, 104, 105, 8, 210, 4};
  transfer(stage, sizes, sizes);
}
MODEL_CASE(ring, a_receiver_that_wants_less_gets_that_much_and_the_next_message_whole) {
  static constexpr int sizes[] = {160, 20, 104, 210, 8, 160};
  static constexpr int wanted[] = {100, 4, 0, 104, 8, 48};
  transfer(stage, sizes, wanted);
}

// The hint reaches the sender at the latest when it looks at the head again after it is set.
MODEL_CASE(ring, the_wish_for_envelopes_reaches_a_sender_that_finds_the_ring_full) {
  auto& shared = stage.shared<Shared>();
  stage.thread([&] {
    Sender ring;
    ring.attach(shared.lines, &shared.consumer);
    for (std::uint32_t i = 0; i < small; ++i) ring.put(make_header(1, 0, 0), {0, 0}, nullptr, 0);
    for (Mark round = mark(); !ring.has_space(1);) pause(round);
    check(ring.envelopes_only(), "the wish was stored before the line was released");
  });
  stage.thread([&] {
    Receiver ring;
    ring.attach(shared.lines, &shared.consumer);
    while (ring.peek().lap() == 0) pause();
    ring.set_envelopes_only(true);
    ring.take(nullptr, 0);
  });
}

using lockfree::Hardware;
struct Full {
  lockfree::Line<Hardware> lines[lockfree::ring_lines];
  lockfree::ConsumerLines<Hardware> consumer;
};

TEST(ring, full_ring_refuses_without_losing_a_line) {
  auto memory = std::make_unique<Full>();
  std::memset(static_cast<void*>(memory.get()), 0, sizeof(Full));
  lockfree::SendRing<Hardware> sender;
  lockfree::ReceiveRing<Hardware> receiver;
  sender.attach(memory->lines, &memory->consumer);
  receiver.attach(memory->lines, &memory->consumer);
  int sent = 0, received = 0;
  auto receive_one = [&] {
    ASSERT_NE(receiver.peek().lap(), 0u);
    ASSERT_EQ(receiver.envelope().tag, received);
    int value = -1;
    receiver.take(&value, sizeof value);
    ASSERT_EQ(value, received++);
  };
  for (int round = 0; round < 5; ++round) {
    for (; sender.has_space(1) && sent < received + 1000; ++sent)
      sender.put(make_header(1, sizeof sent, 0), {0, sent}, &sent, sizeof sent);
    EXPECT_EQ(sent - received, static_cast<int>(lockfree::ring_lines));
    for (int i = 0; i < 40; ++i) receive_one();
    EXPECT_FALSE(sender.has_space(41));
    EXPECT_TRUE(sender.has_space(40));
  }
  while (received < sent) receive_one();
  EXPECT_EQ(receiver.peek().lap(), 0u);
}

TEST(ring, a_header_gives_back_what_it_was_made_of) {
  for (unsigned kind : {0u, 1u, 63u})
    for (std::size_t bytes : {0ul, 1ul, 6144ul, 65535ul})
      for (std::int32_t source : {0, 1, 4096, lockfree::sources_max - 1}) {
        std::uint32_t sender = kind ? lockfree::ranks_max - 1 : 0;
        Header header = lockfree::add_sender(make_header(kind, bytes, source), sender);
        EXPECT_EQ(header.lap(), 0u);
        EXPECT_EQ(header.sender(), sender);
        EXPECT_EQ(header.kind(), kind);
        EXPECT_EQ(header.bytes(), bytes);
        EXPECT_EQ(header.source(), source);
      }
}

TEST(ring, lines_are_counted_up_to_the_byte) {
  EXPECT_EQ(lines_for(0), 1u);
  EXPECT_EQ(lines_for(48), 1u);
  EXPECT_EQ(lines_for(49), 2u);
  EXPECT_EQ(lines_for(104), 2u);
  EXPECT_EQ(lines_for(105), 3u);
}

}  // namespace
}  // namespace baton::model
