// Messages of a rank to itself.
#include "message/self/self_protocol.hpp"
#include "message/core/engine.hpp"

#include <memory>
#include <vector>

#include "base/failure_class.hpp"
#include "message/core/account.hpp"
#include "message/core/active.hpp"
#include "message/core/loss.hpp"
#include "message/core/protocol.hpp"
#include "tests/message/ranks.hpp"

namespace baton::message {
namespace {

struct to_self : protocol {
  void send(const void* buffer, std::int64_t bytes, Request& request, bool synchronous = false) {
    ranks.send(0, 0, buffer, bytes, 1, request, synchronous);
  }
  void receive(void* buffer, std::int64_t bytes, Request& request, int source = 0) {
    ranks.receive(0, source, buffer, bytes, 1, request);
  }
  static constexpr std::int64_t long_one = 100000;
  std::vector<char> out = pattern(long_one), in = std::vector<char>(long_one);
  Ranks ranks{2};
};

TEST_F(to_self, a_short_message_is_sent_at_once_and_its_buffer_free) {
  int value = 5, got = 0;
  send(&value, sizeof value, sending);
  EXPECT_TRUE(is_complete(sending));
  value = 6;
  receive(&got, sizeof got, receiving, MPI_ANY_SOURCE);
  EXPECT_TRUE(is_complete(receiving));
  EXPECT_EQ(got, 5);
  EXPECT_EQ(receiving.source, 0);
  EXPECT_EQ(receiving.bytes, 4);
}

TEST_F(to_self, a_long_or_synchronous_message_waits_for_its_receive) {
  for (const bool synchronous : {false, true}) {
    const std::int64_t bytes = synchronous ? 4 : long_one;
    Request send_request, receive_request;
    send(out.data(), bytes, send_request, synchronous);
    EXPECT_FALSE(is_complete(send_request));
    out[1] = static_cast<char>(60 + synchronous);  // it is not copied yet
    receive(in.data(), bytes, receive_request);
    EXPECT_TRUE(is_complete(send_request) && is_complete(receive_request));
    EXPECT_TRUE(std::equal(in.begin(), in.begin() + bytes, out.begin()));
  }
}

TEST_F(to_self, the_longest_that_is_copied_at_once_is_the_longest_eager_one) {
  Request two[2];
  send(out.data(), settings.eager_bytes_max, two[0]);
  send(out.data(), settings.eager_bytes_max + 1, two[1]);
  EXPECT_TRUE(is_complete(two[0]));
  EXPECT_FALSE(is_complete(two[1]));
  for (Request& one : two) {
    Request request;
    receive(in.data(), long_one, request);
    EXPECT_TRUE(is_complete(request) && is_complete(one));
    EXPECT_EQ(request.bytes, settings.eager_bytes_max + (&one == &two[1]));
  }
}

TEST_F(to_self, a_message_whose_receive_was_posted_goes_straight_into_it) {
  receive(in.data(), long_one, receiving);
  EXPECT_FALSE(is_complete(receiving));
  send(out.data(), long_one, sending, true);
  EXPECT_TRUE(is_complete(sending) && is_complete(receiving));
  EXPECT_EQ(in, out);
}

TEST_F(to_self, a_message_too_long_for_its_receive_is_cut_and_says_so) {
  for (const std::int64_t bytes : {std::int64_t{100}, long_one})
    for (const bool posted : {false, true}) {
      std::fill(in.begin(), in.end(), 0);
      Request send_request, receive_request;
      if (posted) receive(in.data(), bytes / 2, receive_request);
      send(out.data(), bytes, send_request);
      if (!posted) receive(in.data(), bytes / 2, receive_request);
      ASSERT_TRUE(is_complete(send_request) && is_complete(receive_request));
      EXPECT_EQ(receive_request.error, MPI_ERR_TRUNCATE);
      EXPECT_EQ(send_request.error, MPI_SUCCESS);
      EXPECT_EQ(in[static_cast<std::size_t>(bytes / 2 - 1)],
                out[static_cast<std::size_t>(bytes / 2 - 1)]);
      EXPECT_EQ(in[static_cast<std::size_t>(bytes / 2)], 0);
    }
}

TEST_F(to_self, the_order_is_kept_among_short_and_long_messages_and_those_of_others) {
  Request sends[4], receives[4];
  char first[4] = {1, 2, 3, 4};
  for (int i = 0; i < 4; ++i) {
    if (i == 2) {
      ranks.send(1, 0, &first[i], 1, 1, sends[i]);
      ranks.settle();
    } else {
      send(i == 1 ? out.data() : &first[i], i == 1 ? long_one : 1, sends[i]);
    }
  }
  for (int i = 0; i < 4; ++i) {
    receive(in.data(), long_one, receives[i], MPI_ANY_SOURCE);
    ASSERT_TRUE(is_complete(receives[i]));
    EXPECT_EQ(in[0], i == 1 ? out[0] : first[i]);
    EXPECT_EQ(receives[i].source, i == 2);
  }
}

TEST_F(to_self, a_send_that_waits_can_be_cancelled_and_no_other_is) {
  Request sends[3];
  for (Request& one : sends) send(out.data(), long_one, one);
  ranks.cancel(0, sends[1]);
  EXPECT_TRUE(is_complete(sends[1]) && sends[1].cancelled);
  for (int i : {0, 2}) {
    Request request;
    EXPECT_FALSE(is_complete(sends[i]));
    receive(in.data(), long_one, request);
    EXPECT_TRUE(is_complete(request) && is_complete(sends[i])) << i;
    ranks.cancel(0, sends[i]);
    EXPECT_FALSE(sends[i].cancelled) << "it was received";
  }
  receive(in.data(), long_one, receiving);
  EXPECT_FALSE(is_complete(receiving)) << "it met a message that does not exist";
  ranks.cancel(0, receiving);
  int value = 7;
  send(&value, sizeof value, sending);
  ranks.cancel(0, sending);
  EXPECT_FALSE(sending.cancelled) << "it is sent";
}

TEST_F(to_self, a_send_that_waits_fails_when_its_communicator_is_revoked_and_no_other) {
  static const void* revoked;
  revoked = nullptr;
  communicator_view.is_revoked = [](const void* owner) { return owner == revoked; };
  constexpr int count = 5;
  Request sends[count];
  for (Request& one : sends) send(out.data(), long_one, one);
  Request of_another;
  ranks.as(0, [&] {
    Context context = ranks.context(0);
    context.owner = &of_another;
    begin_send(context, out.data(), long_one, Ranks::byte(), 0, 1, false, of_another);
    revoked = &ranks;
    note_revoked();
    EXPECT_TRUE(fail_lost_sends());
    EXPECT_FALSE(fail_lost_sends()) << "that was all";
  });
  for (const Request& one : sends) {
    EXPECT_TRUE(is_complete(one));
    EXPECT_EQ(one.error, error_revoked);
  }
  EXPECT_FALSE(is_complete(of_another));
  revoked = nullptr;
  receive(in.data(), long_one, receiving);
  EXPECT_TRUE(is_complete(receiving) && is_complete(of_another));
  communicator_view = {};
}

TEST_F(to_self, active_messages_come_in_order_and_what_their_handlers_send_in_the_next_round) {
  static std::vector<std::int32_t> calls;
  calls.clear();
  handle_active(ActiveKind::test, [](const ActiveMessage& message) {
    EXPECT_EQ(message.sender, engine.self);
    EXPECT_EQ(message.bytes, 3u);
    EXPECT_EQ(std::memcmp(message.payload, "abc", 3), 0);
    calls.push_back(message.word);
    if (message.word < 10) {
      EXPECT_EQ(send_active(engine.self, ActiveKind::test, message.word + 10, "abc", 3),
                MPI_SUCCESS);
    }
  });
  ranks.as(0, [] {
    char payload[] = "abc";
    for (int i = 0; i < 3; ++i)
      EXPECT_EQ(send_active(engine.self, ActiveKind::test, i, payload, 3), MPI_SUCCESS);
    payload[0] = 'x';
    EXPECT_FALSE(all_have_left());
  });
  EXPECT_TRUE(calls.empty());
  EXPECT_TRUE(ranks.step(0));
  EXPECT_EQ(calls, (std::vector<std::int32_t>{0, 1, 2}));
  EXPECT_TRUE(ranks.step(0));
  EXPECT_EQ(calls, (std::vector<std::int32_t>{0, 1, 2, 10, 11, 12}));
  EXPECT_FALSE(ranks.step(0));
  ranks.as(0, [] { EXPECT_TRUE(all_have_left()); });
}

TEST_F(to_self, what_was_sent_is_counted_by_size) {
  Request sends[3];
  send(out.data(), 8, sends[0]);
  send(out.data(), 7, sends[1]);
  send(out.data(), long_one, sends[2]);
  ranks.as(0, [] {
    auto record = std::make_unique<TrafficRecord>();
    sum_up(*record);
    const auto& tally =
        record->tally[static_cast<int>(PeerClass::self)][static_cast<int>(Way::self)];
    EXPECT_EQ(tally[0].messages, 2u);
    EXPECT_EQ(tally[0].bytes, 15u);
    EXPECT_EQ(tally[size_class(long_one)].messages, 1u);
    EXPECT_EQ(tally[size_class(long_one)].bytes, std::uint64_t{long_one});
  });
  ranks.cancel(0, sends[2]);
}

}  // namespace
}  // namespace baton::message
