// Persistent requests, and a send and a receive in one.
#include <algorithm>
#include <cstdlib>
#include <vector>

#include "message/core/engine.hpp"
#include "message/core/point_to_point.hpp"
#include "message/core/requests.hpp"
#include "message/core/send_buffer.hpp"
#include "tests/message/ranks.hpp"

namespace baton::message {
namespace {

// Requests with handles are of the process, so that only rank 0 or 1 at a time looks for them.
struct persistent : protocol {
  Request* send(Ranks& ranks, std::uint32_t from, std::uint32_t to, const void* buffer,
                std::int64_t bytes, SendMode mode) {
    return ranks.as(from, [&] {
      from_ = ranks.context(from);
      MPI_Request handle = MPI_REQUEST_NULL;
      EXPECT_EQ(make_persistent_send(from_, buffer, bytes, Ranks::byte(), static_cast<int>(to), 1,
                                     mode, &handle),
                MPI_SUCCESS);
      return requests.find(handle);
    });
  }
  Request* receive(Ranks& ranks, std::uint32_t at, int source, void* buffer, std::int64_t bytes) {
    return ranks.as(at, [&] {
      at_ = ranks.context(at);
      MPI_Request handle = MPI_REQUEST_NULL;
      EXPECT_EQ(make_persistent_receive(at_, buffer, bytes, Ranks::byte(), source, 1, &handle),
                MPI_SUCCESS);
      return requests.find(handle);
    });
  }
  static Error start(Ranks& ranks, std::uint32_t rank, Request& request) {
    return ranks.as(rank, [&] { return start_again(request); });
  }
  Context from_, at_;  // they outlive the requests
  int out = 0, in = 0;
};

TEST_F(persistent, requests_deliver_what_is_in_their_buffers_at_each_start) {
  Ranks ranks(2);
  Request* sent = send(ranks, 0, 1, &out, sizeof out, SendMode::standard);
  Request* received = receive(ranks, 1, 0, &in, sizeof in);
  EXPECT_FALSE(is_active(*sent) || is_active(*received));
  for (int round = 1; round < 4; ++round) {
    out = round;
    EXPECT_EQ(start(ranks, 1, *received), MPI_SUCCESS);
    EXPECT_TRUE(is_active(*received));
    EXPECT_FALSE(is_complete(*received)) << "of the round before";
    EXPECT_EQ(start(ranks, 0, *sent), MPI_SUCCESS);
    ranks.settle();
    EXPECT_TRUE(is_complete(*sent) && is_complete(*received));
    EXPECT_EQ(in, round);
    EXPECT_TRUE(retire_request(*sent) && retire_request(*received));
  }
  release_request(*sent);
  release_request(*received);
}

TEST_F(persistent, requests_forget_the_errors_of_their_last_start_and_who_sent) {
  Ranks ranks(3);
  const auto data = pattern(100);
  std::vector<char> space(50);
  Request* received = receive(ranks, 1, MPI_ANY_SOURCE, space.data(), 50);
  start(ranks, 1, *received);
  ranks.send(0, 1, data.data(), 100, 1, sending);
  ranks.settle();
  EXPECT_EQ(received->error, MPI_ERR_TRUNCATE);
  EXPECT_EQ(received->source, 0);
  retire_request(*received);
  start(ranks, 1, *received);
  Request second;
  ranks.send(2, 1, data.data(), 20, 1, second);
  ranks.settle();
  EXPECT_TRUE(is_complete(*received));
  EXPECT_EQ(received->error, MPI_SUCCESS);
  EXPECT_EQ(received->source, 2);
  EXPECT_EQ(received->bytes, 20);
  retire_request(*received);
  start(ranks, 1, *received);
  ranks.cancel(1, *received);
  EXPECT_TRUE(received->cancelled);
  retire_request(*received);
  start(ranks, 1, *received);
  EXPECT_FALSE(received->cancelled || is_complete(*received));
  Request third;
  ranks.send(0, 1, data.data(), 50, 1, third);
  ranks.settle();
  EXPECT_TRUE(is_complete(*received));
  EXPECT_EQ(received->bytes, 50) << "the whole buffer is offered anew";
  release_request(*received);
}

TEST_F(persistent, long_sends_can_be_started_again_too) {
  Ranks ranks(2);
  auto data = pattern(long_bytes);
  std::vector<char> space(long_bytes);
  Request* sent = send(ranks, 0, 1, data.data(), long_bytes, SendMode::standard);
  for (int round = 0; round < 2; ++round) {
    const auto next = pattern(long_bytes, round);
    std::copy(next.begin(), next.end(), data.begin());
    Request received;
    start(ranks, 0, *sent);
    ranks.receive(1, 0, space.data(), long_bytes, 1, received);
    ranks.settle();
    ASSERT_TRUE(is_complete(*sent) && is_complete(received));
    EXPECT_EQ(space, data);
    retire_request(*sent);
  }
  release_request(*sent);
}

TEST_F(persistent, long_receives_can_be_started_again_too_and_come_in_another_way) {
  Ranks ranks(2);
  std::vector<char> space(long_bytes);
  Request* received = receive(ranks, 1, 0, space.data(), long_bytes);
  const std::int64_t lengths[] = {long_bytes, 8, 100000, 0, long_bytes};
  for (const bool pulled : {true, false})
    for (const std::int64_t bytes : lengths) {
      settings.cma = pulled;
      const auto data = pattern(bytes, pulled);
      std::fill(space.begin(), space.end(), 0);
      Request sent;
      start(ranks, 1, *received);
      ranks.send(0, 1, data.data(), bytes, 1, sent);
      ranks.settle();
      ASSERT_TRUE(is_complete(sent) && is_complete(*received)) << bytes;
      EXPECT_EQ(received->bytes, bytes);
      EXPECT_TRUE(std::equal(data.begin(), data.end(), space.begin())) << bytes;
      retire_request(*received);
    }
  release_request(*received);
}

TEST_F(persistent, a_send_that_waits_for_space_can_be_cancelled_though_it_had_left_before) {
  settings.cma = 0;
  Ranks ranks(2);
  const auto data = pattern(long_bytes);
  std::vector<char> space(long_bytes);
  Request* sent = send(ranks, 0, 1, data.data(), long_bytes, SendMode::standard);
  Request first;
  start(ranks, 0, *sent);
  ranks.receive(1, 0, space.data(), long_bytes, 1, first);
  ranks.settle();
  EXPECT_TRUE(is_complete(*sent) && is_complete(first));
  retire_request(*sent);
  ranks.network.space = 0;
  start(ranks, 0, *sent);
  ranks.cancel(0, *sent);
  EXPECT_TRUE(is_complete(*sent) && sent->cancelled);
  release_request(*sent);
}

TEST_F(persistent, a_synchronous_send_waits_for_its_match_at_each_start_a_standard_one_does_not) {
  for (const SendMode mode : {SendMode::standard, SendMode::synchronous}) {
    Ranks ranks(2);
    Request* sent = send(ranks, 0, 1, &out, sizeof out, mode);
    for (int round = 0; round < 2; ++round) {
      Request received;
      start(ranks, 0, *sent);
      ranks.settle();
      EXPECT_EQ(is_complete(*sent), mode == SendMode::standard);
      ranks.receive(1, 0, &in, sizeof in, 1, received);
      ranks.settle();
      EXPECT_TRUE(is_complete(*sent));
      retire_request(*sent);
    }
    release_request(*sent);
  }
}

TEST_F(persistent, a_buffered_send_is_over_when_it_starts_and_says_where_it_finds_no_buffer) {
  settings.eager_bytes_max = 48;
  settings.pipeline_early = 0;
  Ranks ranks(2);
  SendBuffer buffer;
  auto data = pattern(1000);
  const auto sent_data = data;
  std::vector<char> space(1000), memory(4096);
  Request* sent = send(ranks, 0, 1, data.data(), 1000, SendMode::buffered);
  from_.buffer = &buffer;
  EXPECT_EQ(start(ranks, 0, *sent), MPI_ERR_BUFFER);
  EXPECT_TRUE(is_complete(*sent));
  EXPECT_EQ(sent->error, MPI_ERR_BUFFER);
  retire_request(*sent);
  EXPECT_EQ(buffer.attach(memory.data(), 4096), MPI_SUCCESS);
  EXPECT_EQ(start(ranks, 0, *sent), MPI_SUCCESS);
  EXPECT_TRUE(is_complete(*sent));
  EXPECT_EQ(sent->error, MPI_SUCCESS);
  std::fill(data.begin(), data.end(), 0);
  ranks.receive(1, 0, space.data(), 1000, 1, receiving);
  ranks.settle();
  EXPECT_EQ(space, sent_data);
  EXPECT_TRUE(ranks.as(0, [&] { return buffer.is_idle(); }));
  release_request(*sent);
}

TEST_F(persistent, requests_hold_their_communicator_also_while_they_are_inactive) {
  Ranks ranks(1);
  Usage usage;
  ranks.as(0, [&] {
    Context context = ranks.context(0);
    context.usage = &usage;
    MPI_Request handle = MPI_REQUEST_NULL;
    make_persistent_receive(context, &in, 4, Ranks::byte(), 0, 1, &handle);
    EXPECT_EQ(usage.uses, 2);
    release_request(*requests.find(handle));
    EXPECT_EQ(usage.uses, 1);
  });
}

struct exchanges : persistent {
  // Rank 0 sends to rank 1, and receives from it.
  Request* begin(Ranks& ranks, const std::vector<char>& data, void* buffer, std::int64_t space,
                 void* staged = nullptr) {
    return ranks.as(0, [&] {
      from_ = ranks.context(0);
      from_.usage = &usage;
      MPI_Request handle = MPI_REQUEST_NULL;
      EXPECT_EQ(
          start_exchange(from_, data.data(), static_cast<std::int64_t>(data.size()), Ranks::byte(),
                         1, 5, buffer, space, Ranks::byte(), MPI_ANY_SOURCE, 6, staged, &handle),
          MPI_SUCCESS);
      return requests.find(handle);
    });
  }
  exchanges() { settings.pipeline_early = 0; }
  Usage usage;
  std::vector<char> to_send = pattern(long_bytes), to_receive = std::vector<char>(long_bytes);
};

TEST_F(exchanges, are_over_when_both_sides_are_and_tell_of_the_receive) {
  for (const bool receive_first : {false, true}) {
    Ranks ranks(2);
    Request back, there;
    char answer = 0;
    Request* both = begin(ranks, to_send, &answer, 1);
    EXPECT_EQ(usage.uses, 2);
    const char sent = 'x';
    for (const bool first : {true, false}) {
      if (first == receive_first)
        ranks.receive(1, 0, to_receive.data(), long_bytes, 5, there);
      else
        ranks.send(1, 0, &sent, 1, 6, back);
      ranks.settle();
      EXPECT_EQ(is_complete(*both), !first);
    }
    EXPECT_EQ(to_receive, to_send);
    EXPECT_EQ(answer, 'x');
    EXPECT_EQ(both->kind, RequestKind::receive);
    EXPECT_EQ(both->source, 1);
    EXPECT_EQ(both->tag, 6);
    EXPECT_EQ(both->bytes, 1);
    EXPECT_EQ(both->error, MPI_SUCCESS);
    ranks.as(0, [&] { release_request(*both); });
    EXPECT_EQ(usage.uses, 1);
  }
}

TEST_F(exchanges, keep_what_is_staged_until_it_has_left_and_tell_the_error_of_a_side) {
  Ranks ranks(2);
  auto* staged = static_cast<char*>(std::malloc(long_bytes));
  std::copy(to_send.begin(), to_send.end(), staged);
  char small[2] = {};
  Request back, there;
  Request* both = ranks.as(0, [&] {
    from_ = ranks.context(0);
    MPI_Request handle = MPI_REQUEST_NULL;
    EXPECT_EQ(start_exchange(from_, staged, long_bytes, Ranks::byte(), 1, 5, small, 1,
                             Ranks::byte(), 1, 6, staged, &handle),
              MPI_SUCCESS);
    return requests.find(handle);
  });
  ranks.send(1, 0, "yz", 2, 6, back);
  ranks.settle();
  EXPECT_FALSE(is_complete(*both));
  ranks.receive(1, 0, to_receive.data(), long_bytes, 5, there);
  ranks.settle();
  EXPECT_TRUE(is_complete(*both));
  EXPECT_EQ(both->error, MPI_ERR_TRUNCATE);
  EXPECT_EQ(small[1], 0);
  EXPECT_EQ(to_receive, to_send);
  release_request(*both);
}

TEST_F(exchanges, of_which_several_are_under_way_end_each_for_itself) {
  Ranks ranks(2);
  const std::vector<char> short_data(4);
  char space[3][4];
  Request* all[3];
  for (int i = 0; i < 3; ++i) all[i] = begin(ranks, short_data, space[i], 4);
  Request sends[3];
  for (int i = 0; i < 3; ++i) {
    const int value = 100 + i;
    ranks.send(1, 0, &value, sizeof value, 6, sends[i]);
    ranks.settle();
    for (int j = 0; j < 3; ++j) EXPECT_EQ(is_complete(*all[j]), j <= i);
    EXPECT_EQ(std::memcmp(space[i], &value, 4), 0);
  }
  for (Request* one : all) release_request(*one);
  ranks.as(0, [&] { EXPECT_EQ(engine.sources.under_way, 1u) << "the inbox of the fake links"; });
}

}  // namespace
}  // namespace baton::message
