// Messages that are pushed into a receive that was posted first, and those that must not be.
#include "message/core/contact.hpp"
#include "message/core/loss.hpp"
#include "tests/message/ranks.hpp"

namespace baton::message {
namespace {

struct redirected : protocol {
  redirected() {
    settings.push_bytes_min = 4096;
    settings.observe = 0;
  }
  // A receive is made known only to ranks that have been met.
  static void meet(Ranks& ranks) {
    for (std::uint32_t rank = 0; rank < 2; ++rank) {
      Request send, receive;
      ranks.send(rank, 1 - rank, nullptr, 0, 9, send);
      ranks.settle();
      ranks.receive(1 - rank, static_cast<int>(rank), nullptr, 0, 9, receive);
    }
  }
  std::vector<char> out = pattern(65536), in = std::vector<char>(65536);
};

TEST_F(redirected, a_message_is_pushed_into_the_receive_that_was_posted_first) {
  Ranks ranks(2);
  meet(ranks);
  ranks.receive(1, 0, in.data(), 65536, 1, receiving);
  EXPECT_NE(receiving.advert, 0u);
  ranks.send(0, 1, out.data(), 65536, 1, sending);
  ranks.settle();
  ASSERT_TRUE(is_complete(sending) && is_complete(receiving));
  EXPECT_EQ(in, out);
  EXPECT_EQ(ranks.messages(0, Way::receiver_initiated), 1u);
}

TEST_F(redirected, a_receive_that_a_lost_sender_has_claimed_fails) {
  Ranks ranks(2);
  meet(ranks);
  ranks.receive(1, 0, in.data(), 65536, 1, receiving);
  receiving.owner = nullptr;  // any loss concerns it
  ranks.as(1, [&] {
    transport::Advert& advert = transport::advert(peer_of(Process{0}).slot.own(),
                                                  peer_of(Process{0}).slot, receiving.advert);
    ASSERT_TRUE(lockfree::move_advert(advert, receiving.advert, lockfree::AdvertState::open,
                                      lockfree::AdvertState::claimed));
    fail_lost_receives();
    EXPECT_FALSE(is_complete(receiving));
    EXPECT_TRUE(note_loss(Process{0}, ESRCH));
    end_what_is_lost();
    ASSERT_TRUE(is_complete(receiving));
    EXPECT_NE(receiving.error, MPI_SUCCESS);
    EXPECT_EQ(receiving.advert, 0u);
  });
}

TEST_F(redirected, not_past_a_message_that_the_receiver_has_not_taken_in) {
  Ranks ranks(2);
  meet(ranks);
  Request first, second_receive;
  int one = 1;
  ranks.send(0, 1, &one, sizeof one, 1, first);  // the receive below matches this one
  ranks.network.held = true;
  ranks.receive(1, 0, in.data(), 65536, 1, receiving);
  ranks.send(0, 1, out.data(), 65536, 1, sending);
  ranks.network.held = false;
  ranks.settle();
  ASSERT_TRUE(is_complete(receiving));
  EXPECT_EQ(receiving.bytes, 4);
  EXPECT_EQ(ranks.messages(0, Way::receiver_initiated), 0u);
  ranks.receive(1, 0, in.data(), 65536, 1, second_receive);
  ranks.settle();
  EXPECT_TRUE(is_complete(second_receive) && is_complete(sending));
  EXPECT_EQ(in, out);
}

TEST_F(redirected, not_while_an_any_source_receive_stands_before_it) {
  Ranks ranks(2);
  meet(ranks);
  Request any;
  int small = 0;
  ranks.receive(1, MPI_ANY_SOURCE, &small, sizeof small, 1, any);
  ranks.receive(1, 0, in.data(), 65536, 1, receiving);
  EXPECT_EQ(receiving.advert, 0u);
}

TEST_F(redirected, a_longer_message_takes_the_ordinary_way_and_is_truncated_there) {
  Ranks ranks(2);
  meet(ranks);
  ranks.receive(1, 0, in.data(), 32768, 1, receiving);
  EXPECT_NE(receiving.advert, 0u);
  ranks.send(0, 1, out.data(), 65536, 1, sending);
  ranks.settle();
  ASSERT_TRUE(is_complete(sending) && is_complete(receiving));
  EXPECT_EQ(receiving.error, MPI_ERR_TRUNCATE);
  EXPECT_EQ(receiving.bytes, 32768);
  EXPECT_TRUE(std::equal(in.begin(), in.begin() + 32768, out.begin()));
  EXPECT_EQ(in[32768], 0);
}

TEST_F(redirected, a_cancelled_receive_is_not_written_into) {
  Ranks ranks(2);
  meet(ranks);
  ranks.receive(1, 0, in.data(), 65536, 1, receiving);
  ranks.cancel(1, receiving);
  EXPECT_TRUE(is_complete(receiving) && receiving.cancelled);
  ranks.send(0, 1, out.data(), 65536, 1, sending);
  ranks.settle();
  EXPECT_EQ(in, std::vector<char>(65536));
}

}  // namespace
}  // namespace baton::message
