// The shared ring, a small one, over all interleavings: several senders, one receiver, and a sender
// that goes on in a ring of its own.
#include "lockfree/shared_ring.hpp"

#include <cstring>
#include <memory>

#include "tests/lockfree/model/cases.hpp"

namespace baton::model {
namespace {

using lockfree::Header;
using lockfree::lines_for;
using lockfree::make_header;
constexpr std::uint32_t small = 4, tiny = 2;
template <std::uint32_t lines>
using SenderOf = lockfree::SharedSendRing<Model, lines>;
template <std::uint32_t lines>
using ReceiverOf = lockfree::ReceiveRing<Model, lines>;
using Sender = SenderOf<small>;
using Receiver = ReceiverOf<small>;
constexpr int senders_max = 3;
constexpr unsigned message_kind = 5, ring_kind = 6;

struct Shared {
  lockfree::Line<Model> lines[small];
  lockfree::SharedRingControl<Model> control;
  lockfree::Line<Model> own_lines[small];
  lockfree::ConsumerLines<Model> own_consumer;
};

// Byte i of message m of a sender.
char byte_of(std::uint32_t sender, int m, std::size_t i) {
  return static_cast<char>(sender * 91 + static_cast<std::uint32_t>(m) * 37 + i + 1);
}

template <class Ring>
void put(Ring& ring, std::uint32_t sender, int m, std::size_t bytes) {
  char payload[256];
  for (std::size_t i = 0; i < bytes; ++i) payload[i] = byte_of(sender, m, i);
  for (Mark round = mark(); !ring.put(make_header(message_kind, bytes, 9), {7, m}, payload, bytes);)
    pause(round);
}

template <class Ring>
Header wait_for_header(const Ring& ring) {
  Header header = ring.peek();
  while (header.lap() == 0) {
    pause();
    header = ring.peek();
  }
  return header;
}

template <class Ring>
void take(Ring& ring, std::uint32_t sender, int m, std::size_t bytes) {
  check(ring.envelope().context == 7 && ring.envelope().tag == m,
        "a message is lost or not in order");
  char payload[256] = {};
  if (bytes <= lockfree::first_line_payload_bytes)
    ring.take(payload, bytes);
  else
    ring.take_long(payload, bytes, bytes, [] {
      check(false, "a message came in parts");
      return false;
    });
  for (std::size_t i = 0; i < bytes; ++i)
    check(payload[i] == byte_of(sender, m, i), "the payload is not intact");
}

// Each sender sends these sizes, in order.
template <std::uint32_t lines, int count>
void transfer(Stage& stage, int senders, const int (&sizes)[count]) {
  auto& shared = stage.shared<Shared>();
  for (std::uint32_t sender = 0; sender < static_cast<std::uint32_t>(senders); ++sender)
    stage.thread([&shared, &sizes, sender] {
      SenderOf<lines> ring;
      ring.attach(shared.lines, &shared.control, sender);
      for (int m = 0; m < count; ++m) put(ring, sender, m, static_cast<std::size_t>(sizes[m]));
    });
  stage.thread([&shared, &sizes, senders] {
    ReceiverOf<lines> ring;
    ring.attach(shared.lines, &shared.control.consumer);
    int next[senders_max] = {};
    for (int left = senders * count; left > 0; --left) {
      Header header = wait_for_header(ring);
      check(header.sender() < static_cast<std::uint32_t>(senders) && header.source() == 9,
            "the sender is not one of them");
      int& m = next[header.sender()];
      check(m < count && header.bytes() == static_cast<std::size_t>(sizes[m]),
            "the header is of another message");
      take(ring, header.sender(), m++, header.bytes());
    }
    check(ring.peek().lap() == 0, "something is left in the ring");
  });
}

MODEL_CASE(shared_ring, one_senders_messages_arrive_in_order_and_intact_over_three_laps) {
  static constexpr int sizes[] = {8, 49, 0, 160, 48, 3, 8, 104};
  transfer<small>(stage, 1, sizes);
}
MODEL_CASE(shared_ring, two_senders_messages_arrive_once_intact_and_each_ones_in_order) {
  static constexpr int sizes[] = {8, 3};
  transfer<tiny>(stage, 2, sizes);
}
MODEL_CASE(shared_ring, messages_of_several_lines_of_two_senders_are_not_mixed) {
  static constexpr int sizes[] = {49, 105};
  transfer<small>(stage, 2, sizes);
}
MODEL_CASE(shared_ring, three_senders_fill_it_and_none_is_lost) {
  static constexpr int sizes[] = {8};
  transfer<tiny>(stage, 3, sizes);
}

// A sender that gets a ring of its own says so in the shared one; the receiver looks there from
// then on, and never before: messages stay in order.
MODEL_CASE(shared_ring, messages_in_a_ring_of_its_own_come_behind_those_before) {
  auto& shared = stage.shared<Shared>();
  stage.thread([&shared] {
    Sender ring;
    ring.attach(shared.lines, &shared.control, 0);
    put(ring, 0, 0, 8);
    while (!ring.put(make_header(ring_kind, 0, 0), {0, 0}, nullptr, 0)) pause();
    lockfree::SendRing<Model, small> own;
    own.attach(shared.own_lines, &shared.own_consumer);
    char byte = byte_of(0, 1, 0);
    own.put(make_header(message_kind, 1, 9), {7, 1}, &byte, 1);
  });
  stage.thread([&shared] {
    Sender ring;
    ring.attach(shared.lines, &shared.control, 1);
    put(ring, 1, 0, 8);
  });
  stage.thread([&shared] {
    Receiver ring;
    ring.attach(shared.lines, &shared.control.consumer);
    lockfree::ReceiveRing<Model, small> own;
    int from_first = 0, from_second = 0;
    while (from_first < 2 || from_second < 1) {
      if (own.attached() && from_first < 2) {
        wait_for_header(own);
        take(own, 0, from_first++, 1);
        continue;
      }
      Header header = wait_for_header(ring);
      if (header.kind() == ring_kind) {
        check(from_first == 1, "the ring is told of before what came before it");
        ring.take(nullptr, 0);
        own.attach(shared.own_lines, &shared.own_consumer);
      } else {
        take(ring, header.sender(), header.sender() == 0 ? from_first++ : from_second++, 8);
      }
    }
  });
}

MODEL_CASE(shared_ring, the_wish_for_envelopes_reaches_who_puts_after_a_line_was_released) {
  auto& shared = stage.shared<Shared>();
  stage.thread([&shared] {
    Sender ring;
    ring.attach(shared.lines, &shared.control, 0);
    for (int m = 0; m < static_cast<int>(small); ++m) put(ring, 0, m, 0);
    put(ring, 0, small, 0);
    check(ring.envelopes_only(), "the wish was stored before the line was released");
  });
  stage.thread([&shared] {
    Receiver ring;
    ring.attach(shared.lines, &shared.control.consumer);
    wait_for_header(ring);
    ring.set_envelopes_only(true);
    for (int m = 0; m <= static_cast<int>(small); ++m) {
      wait_for_header(ring);
      ring.take(nullptr, 0);
    }
  });
}

using lockfree::Hardware;

TEST(shared_ring, full_ring_refuses_without_losing_a_line_or_writing_one) {
  struct Full {
    lockfree::Line<Hardware> lines[lockfree::shared_ring_lines];
    lockfree::SharedRingControl<Hardware> control;
  };
  auto memory = std::make_unique<Full>();
  std::memset(static_cast<void*>(memory.get()), 0, sizeof(Full));
  lockfree::SharedSendRing<Hardware> senders[2];
  senders[0].attach(memory->lines, &memory->control, 4095);
  senders[1].attach(memory->lines, &memory->control, 1);
  lockfree::ReceiveRing<Hardware, lockfree::shared_ring_lines> receiver;
  receiver.attach(memory->lines, &memory->control.consumer);
  char payload[160] = {};
  int sent = 0, received = 0;
  for (int round = 0; round < 5; ++round) {
    while (senders[sent % 2].put(make_header(1, sizeof sent, sent), {0, sent}, &sent, sizeof sent))
      ++sent;
    EXPECT_EQ(sent - received, static_cast<int>(lockfree::shared_ring_lines));
    for (int i = 0; i < 2; ++i, ++received) receiver.take(nullptr, 0);
    EXPECT_FALSE(
        senders[0].put(make_header(2, sizeof payload, 0), {0, 0}, payload, sizeof payload));
    for (int i = 0; i < 300; ++i, ++received) {
      ASSERT_EQ(receiver.peek().sender(), received % 2 ? 1u : 4095u);
      ASSERT_EQ(receiver.peek().source(), received);
      receiver.take(nullptr, 0);
    }
  }
}

}  // namespace
}  // namespace baton::model
