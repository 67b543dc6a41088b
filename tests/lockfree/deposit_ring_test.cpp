// The shipped byte ring of the deposit models, a small one, over all interleavings; and by itself.
#include "lockfree/deposit_ring.hpp"

#include <cstring>
#include <memory>
#include <vector>

#include "lockfree/advert.hpp"
#include "tests/lockfree/model/cases.hpp"

namespace baton::model {
namespace {

using lockfree::DepositHeader;
using lockfree::DepositRules;
constexpr std::uint64_t small_bytes = 5 * 64;

struct Shared {
  lockfree::DepositHead<Model> head;
  alignas(64) char ring[small_bytes];
};

// Byte i of message m.
char byte_of(int message, std::uint64_t i) {
  return static_cast<char>(message * 37 + static_cast<int>(i) + 1);
}

void send_all(Shared& shared, DepositRules rules, const int* sizes, int count) {
  lockfree::DepositSender<Model> ring;
  ring.attach(shared.ring, small_bytes, &shared.head, rules);
  for (int m = 0; m < count; ++m) {
    auto all = static_cast<std::uint64_t>(sizes[m]);
    std::uint64_t sent = 0;
    do {
      std::uint64_t fragment = 0;
      for (Mark round = mark(); !ring.make_space(all - sent, &fragment);) pause(round);
      DepositHeader header{.context = 7, .tag = m, .message_bytes = all, .bytes = fragment};
      header.is_first = sent == 0;
      char data[small_bytes];
      for (std::uint64_t i = 0; i < fragment; ++i) data[i] = byte_of(m, sent + i);
      ring.begin(header);
      if (fragment) Model::store_payload(ring.payload(), data, fragment);
      ring.end(header);
      sent += fragment;
    } while (sent < all);
  }
}

void receive_all(Shared& shared, std::uint64_t ring_length, DepositRules rules, const int* sizes,
                 int count) {
  lockfree::DepositReceiver<Model> ring;
  ring.attach(shared.ring, ring_length, &shared.head, rules);
  DepositHeader header;
  for (int m = 0; m < count; ++m) {
    auto all = static_cast<std::uint64_t>(sizes[m]);
    std::uint64_t got = 0;
    do {
      for (Mark round = mark(); !ring.peek(&header);) pause(round);
      check(header.context == 7 && header.tag == m && header.message_bytes == all,
            "the header is of another message");
      check(header.is_first == (got == 0) && got + header.bytes <= all, "the fragment is another");
      char data[small_bytes];
      if (header.bytes) Model::load_payload(data, ring.payload(), header.bytes);
      for (std::uint64_t i = 0; i < header.bytes; ++i)
        check(data[i] == byte_of(m, got + i), "the data are not intact");
      got += header.bytes;
      ring.take(header);
    } while (got < all);
  }
  check(!ring.peek(&header), "something is left in the ring");
}

template <int count>
void transfer(Stage& stage, DepositRules rules, const int (&sizes)[count]) {
  auto& shared = stage.shared<Shared>();
  stage.thread([&shared, rules, &sizes] { send_all(shared, rules, sizes, count); });
  stage.thread([&shared, rules, &sizes] { receive_all(shared, small_bytes, rules, sizes, count); });
}

constexpr DepositRules lazy{.lazy = true, .tail = false};
constexpr DepositRules eager_look_and_tail{.lazy = false, .tail = true};
constexpr DepositRules delayed{.lazy = true, .tail = false, .delayed = true};

MODEL_CASE(deposit_ring, messages_arrive_once_in_order_and_intact_over_several_laps) {
  static constexpr int sizes[] = {8, 0, 64, 3, 65, 8, 0, 1, 16, 8};
  transfer(stage, lazy, sizes);
}
MODEL_CASE(deposit_ring, messages_that_meet_the_end_are_split_and_arrive_whole) {
  static constexpr int sizes[] = {130, 200, 8, 130, 192};
  transfer(stage, lazy, sizes);
}
MODEL_CASE(deposit_ring, a_message_longer_than_the_ring_arrives_whole) {
  static constexpr int sizes[] = {8, 700, 8};
  transfer(stage, lazy, sizes);
}
MODEL_CASE(deposit_ring, with_tails_and_without_lazy_pointers_messages_arrive_whole) {
  static constexpr int sizes[] = {8, 0, 100, 300, 1};
  transfer(stage, eager_look_and_tail, sizes);
}
MODEL_CASE(deposit_ring, delayed_messages_wait_for_contiguous_space_and_arrive_whole) {
  static constexpr int sizes[] = {130, 190, 8, 130, 700, 8};
  transfer(stage, delayed, sizes);
}

// --- redirection, in the steps of message/deposit_model*.cpp.

using lockfree::AdvertState;
using lockfree::move_advert;
constexpr std::uint64_t advertised_bytes = 5 * 64;

struct Redirected {
  lockfree::DepositHead<Model> head;
  lockfree::Advert<Model> advert;
  alignas(64) char ring[advertised_bytes];
  alignas(64) char buffer[8];  // the program's, of every receive
};

struct Pusher {
  explicit Pusher(Redirected& its) : shared(its) {
    ring.attach(its.ring, advertised_bytes, &its.head, {});
  }
  // Claims what is open, if all before is consumed; what it says is of one and the same advert.
  std::uint64_t claim() {
    if (!ring.all_consumed()) return 0;
    lockfree::AdvertView advert = view_advert(shared.advert);
    if (advert.state != AdvertState::open ||
        !move_advert(shared.advert, advert.number, AdvertState::open, AdvertState::claimed))
      return 0;
    check(advert.target == 8 * advert.number && advert.bytes == advert.number,
          "the fields are of another advert");
    return advert.number;
  }
  void send(char value) {
    std::uint64_t fragment = 0;
    for (Mark round = mark(); !ring.make_space(1, &fragment);) pause(round);
    DepositHeader header{.message_bytes = 1, .bytes = 1};
    header.redirected = claim() > 0;
    Model::store_payload(header.redirected ? shared.buffer : ring.payload(), &value, 1);
    ring.end(header);
  }
  Redirected& shared;
  lockfree::DepositSender<Model> ring;
};

struct Poster {
  explicit Poster(Redirected& its) : shared(its) {
    ring.attach(its.ring, advertised_bytes, &its.head, {});
  }
  // The program has used the buffer, and posts it again.
  void post() {
    char old = 0;
    Model::store_payload(shared.buffer, &old, 1);
    ++number;
    open_advert(shared.advert, number, 8 * number, number, 7, 5);
  }
  bool close() {
    return move_advert(shared.advert, number, AdvertState::open, AdvertState::closed);
  }
  // Takes the next message, which matches what is posted; the value it brings.
  char receive() {
    DepositHeader header;
    for (Mark round = mark(); !ring.peek(&header);) pause(round);
    if (header.redirected) {
      check(move_advert(shared.advert, number, AdvertState::claimed, AdvertState::closed),
            "it was redirected to another receive");
    } else {
      check(close(), "what matched a message was claimed for the next");
      char value;
      Model::load_payload(&value, ring.payload(), 1);
      Model::store_payload(shared.buffer, &value, 1);
    }
    ring.take(header);
    char value;
    Model::load_payload(&value, shared.buffer, 1);
    return value;
  }
  Redirected& shared;
  lockfree::DepositReceiver<Model> ring;
  std::uint64_t number = 0;
};

void redirect_some(Stage& stage, char messages) {
  auto& shared = stage.shared<Redirected>();
  stage.thread([&shared, messages] {
    Pusher sender(shared);
    for (char value = 1; value <= messages; ++value) sender.send(value);
  });
  stage.thread([&shared, messages] {
    Poster receiver(shared);
    for (char value = 1; value <= messages; ++value) {
      receiver.post();
      check(receiver.receive() == value, "it is another message");
    }
  });
}
MODEL_CASE(deposit_redirection, redirected_or_not_messages_come_in_order_to_their_receives) {
  redirect_some(stage, 2);
}
MODEL_CASE(deposit_redirection_at_length, messages_come_in_order_to_their_receives) {
  redirect_some(stage, 3);
}

MODEL_CASE(deposit_ring, what_is_known_to_be_consumed_may_be_overwritten) {
  static constexpr int sizes[] = {64, 64, 64};
  auto& shared = stage.shared<Shared>();
  stage.thread([&] {
    lockfree::DepositSender<Model> ring;
    ring.attach(shared.ring, 4 * 64, &shared.head, lazy);
    for (int m = 0; m < 3; ++m) {
      std::uint64_t fragment = 0;
      check(ring.make_space(64, &fragment) && fragment == 64, "there is no space in an empty ring");
      char data[64];
      for (std::uint64_t i = 0; i < fragment; ++i) data[i] = byte_of(m, i);
      Model::store_payload(ring.payload(), data, fragment);
      ring.end({.context = 7, .tag = m, .message_bytes = 64, .bytes = 64});
      for (Mark round = mark(); !ring.all_consumed();) pause(round);
    }
  });
  stage.thread([&] { receive_all(shared, 4 * 64, lazy, sizes, 3); });
}

// Cancelled, the buffer is the program's at once, and the message comes through the ring.
MODEL_CASE(deposit_redirection, a_receive_is_cancelled_or_redirected_to_never_both) {
  auto& shared = stage.shared<Redirected>();
  stage.thread([&] {
    Pusher sender(shared);
    sender.send(1);
  });
  stage.thread([&] {
    Poster receiver(shared);
    receiver.post();
    bool cancelled = receiver.close();
    char used = 0;
    if (cancelled) {
      Model::store_payload(shared.buffer, &used, 1);
      receiver.post();
    }
    check(receiver.receive() == 1, "the message is lost");
  });
}

// The sender's kernel refused part of the copy: the advert is open again, and can be cancelled.
MODEL_CASE(deposit_redirection, what_was_claimed_in_vain_is_the_receivers_again_after_all_writes) {
  auto& shared = stage.shared<Redirected>();
  stage.thread([&] {
    Pusher sender(shared);
    std::uint64_t number = sender.claim();
    if (!number) return;
    char part = 1;
    Model::store_payload(shared.buffer, &part, 1);
    check(move_advert(shared.advert, number, AdvertState::claimed, AdvertState::open),
          "somebody took it away");
  });
  stage.thread([&] {
    Poster receiver(shared);
    receiver.post();
    char used = 2;
    for (Mark round = mark(); !receiver.close();) pause(round);
    Model::store_payload(shared.buffer, &used, 1);
  });
}

using lockfree::Hardware;

// A ring and both its ends in one thread.
struct Ring {
  explicit Ring(std::uint64_t bytes, DepositRules rules = {})
      : memory(new (std::align_val_t{64}) char[bytes]()) {
    sender.attach(memory, bytes, &head, rules);
    receiver.attach(memory, bytes, &head, rules);
  }
  ~Ring() { ::operator delete[](memory, std::align_val_t{64}); }
  // Puts one fragment of data that are all `word`; how long it is, 0 when there is no space.
  std::uint64_t put(std::uint64_t left, std::uint64_t word) {
    std::uint64_t fragment = 0;
    if (!sender.make_space(left, &fragment)) return 0;
    DepositHeader header{.message_bytes = left, .bytes = fragment};
    sender.begin(header);
    for (std::uint64_t i = 0; i + 8 <= fragment; i += 8)
      std::memcpy(sender.payload() + i, &word, sizeof word);
    sender.end(header);
    return fragment;
  }
  bool take() {
    DepositHeader header;
    if (!receiver.peek(&header)) return false;
    receiver.take(header);
    return true;
  }
  lockfree::DepositHead<Hardware> head{};
  char* memory;
  lockfree::DepositSender<Hardware> sender;
  lockfree::DepositReceiver<Hardware> receiver;
};

// Every word of every message is the number of a fragment that is to come: wherever the next line
// stands, a lap later it stands on such data.
TEST(deposit_ring, data_of_the_lap_before_are_never_taken_for_a_line) {
  for (DepositRules rules : {lazy, eager_look_and_tail}) {
    Ring ring(16 * 64, rules);
    for (std::uint64_t number = 1; number < 2000; ++number) {
      std::uint64_t guess = ring.sender.fragments() + 1 + number % 9;
      ASSERT_GT(ring.put(64 * (1 + number % 7), guess), 0u);
      ASSERT_TRUE(ring.take());
      DepositHeader header;
      ASSERT_FALSE(ring.receiver.peek(&header)) << "after " << number << " messages";
    }
  }
}

TEST(deposit_ring, a_full_ring_refuses_and_takes_the_next_when_there_is_space) {
  constexpr std::uint64_t bytes = 4 << 20;
  Ring ring(bytes);
  constexpr std::uint64_t message = 1 << 20;
  for (int i = 0; i < 3; ++i) EXPECT_EQ(ring.put(message, 1), message);
  EXPECT_EQ(ring.put(message, 1), 0u);
  EXPECT_TRUE(ring.take());
  // Up to the end; the place of the next line is free again.
  std::uint64_t fragment = bytes - 3 * (message + 64) - 64;
  EXPECT_EQ(ring.put(message, 1), fragment);
  EXPECT_EQ(ring.put(message - fragment, 1), message - fragment);
  for (int i = 0; i < 4; ++i) EXPECT_TRUE(ring.take());
  EXPECT_FALSE(ring.take());
}

TEST(deposit_ring, a_delayed_message_goes_round_the_end_and_is_not_split) {
  Ring ring(4096, delayed);
  EXPECT_EQ(ring.put(2000, 1), 2000u);
  EXPECT_EQ(ring.put(2500, 1), 0u);  // there is no space to give up what is left at the end
  EXPECT_TRUE(ring.take());
  EXPECT_EQ(ring.put(2500, 1), 0u);  // it is given up, but not yet passed
  EXPECT_FALSE(ring.take());
  EXPECT_EQ(ring.put(2500, 1), 2500u);
  EXPECT_TRUE(ring.take());
}

TEST(deposit_ring, what_is_longer_than_the_ring_goes_in_fragments_that_need_all_of_it) {
  Ring ring(4096);
  EXPECT_EQ(ring.put(10000, 1), 4096u - 128u);
  EXPECT_EQ(ring.put(1, 1), 0u);
  EXPECT_TRUE(ring.take());
  // What is left before the end is one line: it is filled, and the next fragment waits until that
  // is consumed, too.
  EXPECT_EQ(ring.put(10000, 1), 0u);
  EXPECT_FALSE(ring.take());
  EXPECT_EQ(ring.put(10000, 1), 4096u - 128u);
}

}  // namespace
}  // namespace baton::model
