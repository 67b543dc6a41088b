// Buffered sends: what fits into the buffer and where it lies, and what waits until it has left.
#include "message/core/send_buffer.hpp"

#include <algorithm>
#include <vector>

#include "message/core/progress.hpp"
#include "message/core/requests.hpp"
#include "tests/message/function_source.hpp"
#include "tests/message/ranks.hpp"

namespace baton::message {
namespace {

// Rank 0 sends by its buffer, and no message leaves before rank 1 has received it.
struct buffered : protocol {
  static constexpr std::int64_t bytes = 1008;
  static constexpr std::int64_t unit = bytes + MPI_BSEND_OVERHEAD;

  buffered() {
    settings.eager_bytes_max = 48;
    settings.pipeline_early = 0;
  }
  ~buffered() override {
    ranks.settle();
    ranks.as(0, [&] { buffer.is_idle(); });
  }
  void attach(std::int64_t units) {
    memory.resize(static_cast<std::size_t>(units * unit));
    EXPECT_EQ(buffer.attach(memory.data(), units * unit), MPI_SUCCESS);
  }
  // A message with a content and a tag of its own, of so many units.
  Error send(int number, std::int64_t units = 1) {
    auto data = pattern(units * unit - MPI_BSEND_OVERHEAD, number);
    const Error error = ranks.as(0, [&] {
      return buffer.send(ranks.context(0), data.data(), static_cast<std::int64_t>(data.size()),
                         Ranks::byte(), 1, number);
    });
    std::fill(data.begin(), data.end(), 0);  // it is the program's again
    return error;
  }
  void receive(int number, std::int64_t units = 1) {
    const auto expected = pattern(units * unit - MPI_BSEND_OVERHEAD, number);
    std::vector<char> in(expected.size());
    Request request;
    ranks.receive(1, 0, in.data(), static_cast<std::int64_t>(in.size()), number, request);
    ranks.settle();
    ASSERT_TRUE(is_complete(request)) << number;
    EXPECT_EQ(in, expected) << number;
  }
  // In which unit of the buffer a message begins; -1: nowhere.
  std::int64_t place_of(int number) {
    const auto data = pattern(bytes, number);
    const auto at = std::search(memory.begin(), memory.end(), data.begin(), data.end());
    return at == memory.end() ? -1 : (at - memory.begin()) / unit;
  }
  Request* start_flush() {
    return ranks.as(0, [&] {
      MPI_Request handle = MPI_REQUEST_NULL;
      EXPECT_EQ(buffer.start_flush(nullptr, &handle), MPI_SUCCESS);
      return requests.find(handle);
    });
  }
  Ranks ranks{2};
  SendBuffer buffer;
  std::vector<char> memory;
  void* given_back = nullptr;
  std::int64_t given_back_bytes = 0;
};

TEST_F(buffered, a_full_buffer_refuses_without_losing_a_message) {
  attach(2);
  EXPECT_EQ(send(1), MPI_SUCCESS);
  EXPECT_EQ(send(2), MPI_SUCCESS);
  EXPECT_EQ(send(3), MPI_ERR_BUFFER);  // after it has waited for a while
  receive(1);
  receive(2);
  EXPECT_EQ(send(4), MPI_SUCCESS);
  receive(4);
}

TEST_F(buffered, a_message_needs_its_bytes_and_the_overhead_and_no_more) {
  memory.resize(unit);
  EXPECT_EQ(buffer.attach(memory.data(), unit - 1), MPI_SUCCESS);
  EXPECT_EQ(send(1), MPI_ERR_BUFFER);
  EXPECT_EQ(buffer.detach(&given_back, &given_back_bytes), MPI_SUCCESS);
  EXPECT_EQ(given_back, memory.data());
  EXPECT_EQ(given_back_bytes, unit - 1);
  EXPECT_EQ(buffer.attach(memory.data(), unit), MPI_SUCCESS);
  EXPECT_EQ(send(1), MPI_SUCCESS);
  receive(1);
}

TEST_F(buffered, memory_at_any_address_serves) {
  for (std::int64_t shift = 0; shift < 16; ++shift) {
    memory.resize(2 * unit + 16);
    EXPECT_EQ(buffer.attach(memory.data() + shift, 2 * unit), MPI_SUCCESS);
    EXPECT_EQ(send(1), MPI_SUCCESS);
    EXPECT_EQ(send(2), MPI_SUCCESS);
    receive(2);
    receive(1);
    EXPECT_EQ(ranks.as(0, [&] { return buffer.detach(&given_back, &given_back_bytes); }),
              MPI_SUCCESS);
  }
}

TEST_F(buffered, the_next_message_lies_behind_the_last_and_at_the_start_where_that_is_the_end) {
  attach(3);
  send(1);
  send(2);
  receive(1);
  EXPECT_EQ(send(3), MPI_SUCCESS);
  EXPECT_EQ(place_of(2), 1);
  EXPECT_EQ(place_of(3), 2) << "though there is space at the start";
  receive(2);
  EXPECT_EQ(send(4, 2), MPI_SUCCESS) << "so whatever fits into a ring fits";
  EXPECT_EQ(place_of(4), 0);
  receive(4, 2);
  receive(3);
}

TEST_F(buffered, space_between_messages_is_used_and_what_is_beside_stays_whole) {
  attach(4);
  for (int i = 1; i <= 4; ++i) EXPECT_EQ(send(i), MPI_SUCCESS);
  receive(2);
  EXPECT_EQ(send(5), MPI_SUCCESS);
  EXPECT_EQ(place_of(5), 1);
  receive(3);
  EXPECT_EQ(send(6), MPI_SUCCESS);
  EXPECT_EQ(place_of(6), 2);
  for (int i : {6, 5, 4, 1}) receive(i);
  EXPECT_EQ(send(7, 4), MPI_SUCCESS) << "all is free";
  receive(7, 4);
}

TEST_F(buffered, messages_arrive_in_the_order_in_which_they_were_sent) {
  attach(3);
  int in[3] = {};
  Request receives[3];
  for (int i = 0; i < 3; ++i)
    ranks.as(0, [&] {
      EXPECT_EQ(buffer.send(ranks.context(0), &i, sizeof i, Ranks::byte(), 1, 9), MPI_SUCCESS);
    });
  for (int i = 0; i < 3; ++i) ranks.receive(1, 0, &in[i], sizeof(int), 9, receives[i]);
  ranks.settle();
  for (int i = 0; i < 3; ++i) EXPECT_EQ(in[i], i);
}

TEST_F(buffered, a_full_buffer_waits_for_what_is_just_being_received) {
  attach(1);
  EXPECT_EQ(send(1), MPI_SUCCESS);
  std::vector<char> in(bytes);
  ranks.receive(1, 0, in.data(), bytes, 1, receiving);
  // Rank 1 makes progress while rank 0 waits.
  static Ranks* all;
  all = &ranks;
  static constinit FunctionSource receiver{[] { return all->step(1); }};
  ranks.as(0, [] { set_active(receiver, true); });
  EXPECT_EQ(send(2), MPI_SUCCESS);
  ranks.as(0, [] { set_active(receiver, false); });
  EXPECT_EQ(in, pattern(bytes, 1));
  receive(2);
}

TEST_F(buffered, detaching_waits_until_every_message_has_left) {
  attach(2);
  send(1);
  send(2);
  std::vector<char> in[2] = {std::vector<char>(bytes), std::vector<char>(bytes)};
  Request receives[2];
  for (int i = 0; i < 2; ++i) ranks.receive(1, 0, in[i].data(), bytes, i + 1, receives[i]);
  static Ranks* all;
  all = &ranks;
  static constinit FunctionSource receiver{[] { return all->step(1); }};
  ranks.as(0, [&] {
    set_active(receiver, true);
    EXPECT_EQ(buffer.detach(&given_back, &given_back_bytes), MPI_SUCCESS);
    set_active(receiver, false);
  });
  std::fill(memory.begin(), memory.end(), 0);  // it is the program's again
  EXPECT_EQ(given_back, memory.data());
  EXPECT_EQ(given_back_bytes, 2 * unit);
  EXPECT_FALSE(buffer.attached());
  ranks.settle();
  for (int i = 0; i < 2; ++i) EXPECT_EQ(in[i], pattern(bytes, i + 1));
}

TEST_F(buffered, a_flush_waits_for_what_was_buffered_before_it_and_for_nothing_else) {
  attach(3);
  send(1);
  send(2);
  Request* flush = start_flush();
  ASSERT_NE(flush, nullptr);
  send(3);
  ranks.settle();
  EXPECT_FALSE(is_complete(*flush));
  receive(2);
  EXPECT_FALSE(is_complete(*flush));
  receive(1);
  EXPECT_TRUE(is_complete(*flush));
  Request* second = start_flush();
  EXPECT_FALSE(is_complete(*second));
  receive(3);
  EXPECT_TRUE(is_complete(*second));
  for (Request* one : {flush, second}) release_request(*one);
}

TEST_F(buffered, a_flush_of_what_has_left_is_over_at_once) {
  make_completed_request();
  attach(1);
  EXPECT_EQ(start_flush(), requests.find(completed_handle()));
  send(1);
  receive(1);
  EXPECT_EQ(start_flush(), requests.find(completed_handle()));
  EXPECT_EQ(ranks.as(0, [&] { return buffer.flush(); }), MPI_SUCCESS);
}

TEST_F(buffered, an_automatic_buffer_takes_whatever_is_sent) {
  EXPECT_EQ(buffer.attach(MPI_BUFFER_AUTOMATIC, 0), MPI_SUCCESS);
  for (int i = 1; i <= 20; ++i) EXPECT_EQ(send(i), MPI_SUCCESS);
  EXPECT_FALSE(ranks.as(0, [&] { return buffer.has_left(1); }));
  for (int i = 20; i >= 1; --i) receive(i);
  EXPECT_TRUE(ranks.as(0, [&] { return buffer.has_left(20); }));
  EXPECT_EQ(buffer.detach(&given_back, &given_back_bytes), MPI_SUCCESS);
  EXPECT_EQ(given_back, MPI_BUFFER_AUTOMATIC);
}

TEST_F(buffered, without_a_buffer_nothing_is_sent_and_nothing_to_be_detached_or_flushed) {
  EXPECT_EQ(send(1), MPI_ERR_BUFFER);
  EXPECT_EQ(buffer.detach(&given_back, &given_back_bytes), MPI_ERR_BUFFER);
  EXPECT_EQ(buffer.flush(), MPI_ERR_BUFFER);
  MPI_Request handle = MPI_REQUEST_NULL;
  EXPECT_EQ(buffer.start_flush(nullptr, &handle), MPI_ERR_BUFFER);
  ranks.as(0, [&] {
    EXPECT_EQ(buffer.send(ranks.context(0), "x", 1, Ranks::byte(), MPI_PROC_NULL, 1), MPI_SUCCESS)
        << "nobody gets it";
  });
  EXPECT_TRUE(ranks.network.to[1].empty());
}

TEST_F(buffered, only_one_buffer_can_be_attached_and_it_has_an_address) {
  EXPECT_EQ(buffer.attach(nullptr, 8), MPI_ERR_BUFFER);
  EXPECT_EQ(buffer.attach(MPI_IN_PLACE, 8), MPI_ERR_BUFFER);
  EXPECT_FALSE(buffer.attached());
  EXPECT_EQ(buffer.attach(nullptr, 0), MPI_SUCCESS);
  EXPECT_EQ(buffer.attach(&given_back, 8), MPI_ERR_BUFFER);
  EXPECT_EQ(buffer.detach(&given_back, &given_back_bytes), MPI_SUCCESS);
  EXPECT_EQ(given_back, nullptr);
  EXPECT_EQ(given_back_bytes, 0);
}

TEST_F(buffered, the_communicators_own_comes_before_its_sessions_and_that_before_the_process) {
  SendBuffer session;
  Context context;
  EXPECT_EQ(&buffer_for(context), &process_buffer);
  context.buffer = &buffer;
  context.session_buffer = &session;
  EXPECT_EQ(&buffer_for(context), &process_buffer) << "nothing is attached to them";
  session.attach(nullptr, 0);
  EXPECT_EQ(&buffer_for(context), &session);
  buffer.attach(nullptr, 0);
  EXPECT_EQ(&buffer_for(context), &buffer);
}

}  // namespace
}  // namespace baton::message
