// Bytes of long messages under way, and what the status board says of them.
#include "message/core/outstanding.hpp"
#include "message/core/engine.hpp"

#include "message/core/requests.hpp"
#include "tests/message/ranks.hpp"

namespace baton::message {
namespace {

struct outstanding : protocol {
  // What a rank looks like to rank 1.
  static lockfree::ChannelClass seen(Ranks& ranks, std::uint32_t rank) {
    return ranks.as(1, [&] { return channel_of(static_cast<Process>(rank)); });
  }
};

TEST_F(outstanding, bytes_are_seen_by_others_as_their_class_until_they_are_gone) {
  Ranks ranks(2);
  EXPECT_EQ(seen(ranks, 0), lockfree::channel_idle);
  ranks.as(0, [] { add_outstanding(4096); });
  EXPECT_EQ(seen(ranks, 0), lockfree::channel_idle);
  ranks.as(0, [] { add_outstanding(1); });
  EXPECT_EQ(seen(ranks, 0), 1);
  ranks.as(0, [] { add_outstanding(1 << 20); });
  EXPECT_EQ(seen(ranks, 0), lockfree::channel_class(4097 + (1 << 20)));
  ranks.as(0, [] { add_outstanding(-4097 - (1 << 20)); });
  EXPECT_EQ(seen(ranks, 0), lockfree::channel_idle);
}

TEST_F(outstanding, the_board_is_written_only_when_the_class_changes) {
  Ranks ranks(2);
  constexpr lockfree::ChannelClass mark = 9;
  ranks.as(0, [] {
    add_outstanding(10000);
    lockfree::publish_channel(transport::status_row(engine.local_rank).channel, mark);
    add_outstanding(6000);
  });
  EXPECT_EQ(seen(ranks, 0), mark);
  ranks.as(0, [] { add_outstanding(1000); });
  EXPECT_EQ(seen(ranks, 0), lockfree::channel_class(17000));
}

TEST_F(outstanding, a_request_counts_what_is_still_to_come_of_it) {
  Ranks ranks(1);
  ranks.as(0, [&] {
    set_outstanding(sending, 50000);
    set_outstanding(receiving, 7);
    EXPECT_EQ(engine.outstanding_bytes, 50007);
    set_outstanding(sending, 20000);
    EXPECT_EQ(engine.outstanding_bytes, 20007);
    set_outstanding(sending, 0);
    set_outstanding(receiving, 0);
    EXPECT_EQ(engine.outstanding_bytes, 0);
  });
}

TEST_F(outstanding, a_copy_counts_while_it_is_made) {
  Ranks ranks(2);
  ranks.as(0, [&] {
    OutstandingCopy copy(1 << 20);
    EXPECT_EQ(engine.outstanding_bytes, 1 << 20);
  });
  EXPECT_EQ(seen(ranks, 0), lockfree::channel_idle);
  ranks.as(0, [] { EXPECT_EQ(engine.outstanding_bytes, 0); });
}

TEST_F(outstanding, with_several_threads_the_board_follows_too) {
  Ranks ranks(2);
  platform::threads_multiple = true;
  ranks.as(0, [] { add_outstanding(1 << 24); });
  EXPECT_EQ(seen(ranks, 0), lockfree::channel_class(1 << 24));
  ranks.as(0, [] { add_outstanding(-(1 << 24)); });
  platform::threads_multiple = false;
  EXPECT_EQ(seen(ranks, 0), lockfree::channel_idle);
}

TEST_F(outstanding, a_long_message_shows_at_its_sender_until_it_has_been_received) {
  settings.pipeline_early = 0;
  Ranks ranks(2);
  const auto out = pattern(long_bytes);
  std::vector<char> in(long_bytes);
  ranks.send(0, 1, out.data(), long_bytes, 1, sending);
  EXPECT_EQ(seen(ranks, 0), lockfree::channel_class(long_bytes));
  ranks.settle();
  EXPECT_EQ(seen(ranks, 0), lockfree::channel_class(long_bytes)) << "nobody has received it";
  ranks.receive(1, 0, in.data(), long_bytes, 1, receiving);
  ranks.settle();
  EXPECT_EQ(seen(ranks, 0), lockfree::channel_idle);
  EXPECT_EQ(seen(ranks, 1), lockfree::channel_idle);
}

TEST_F(outstanding, a_short_message_never_shows) {
  Ranks ranks(2);
  const auto out = pattern(4096);
  ranks.send(0, 1, out.data(), 4096, 1, sending);
  ranks.as(0, [] { EXPECT_EQ(engine.outstanding_bytes, 0); });
}

}  // namespace
}  // namespace baton::message
