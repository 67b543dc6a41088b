// What a rank of this node leaves behind that is lost. Nobody finds that out by default; here the
// test does.
#include "message/node/node_protocol.hpp"
#include "message/core/engine.hpp"
#include "message/core/protocol.hpp"
#include "message/core/sleep.hpp"

#include <cerrno>

#include "base/failure_class.hpp"
#include "message/core/loss.hpp"
#include "message/core/requests.hpp"
#include "tests/message/ranks.hpp"

namespace baton::message {
namespace {

struct lost_rank : protocol {
  lost_rank() {
    settings.cma = 0;
    communicator_view = {
        .process = [](const void*, std::int32_t rank) { return static_cast<Process>(rank); },
        .has = [](const void*, Process) { return true; }};
  }
  ~lost_rank() override { communicator_view = {}; }
  // Rank 0 hears that rank 1 is gone.
  static void lose(Ranks& ranks) {
    ranks.as(0, [] {
      EXPECT_TRUE(note_loss(Process{1}, ESRCH));
      EXPECT_FALSE(note_loss(Process{1}, ESRCH)) << "it is known";
      end_what_is_lost();
    });
  }
  // Rank 0 alone makes progress.
  static void settle(Ranks& ranks) {
    while (ranks.step(0)) {
    }
  }
  std::vector<char> out = pattern(long_bytes), in = std::vector<char>(long_bytes);
};

TEST_F(lost_rank, fails_the_receives_that_name_it_and_no_others) {
  Ranks ranks(3);
  Request named, of_another;
  int value = 0;
  ranks.receive(0, 1, in.data(), 8, 1, named);
  ranks.receive(0, 2, &value, sizeof value, 1, of_another);
  lose(ranks);
  EXPECT_TRUE(is_complete(named));
  EXPECT_EQ(named.error, error_process_failed);
  EXPECT_FALSE(is_complete(of_another));
  const int sent = 5;
  ranks.send(2, 0, &sent, sizeof sent, 1, sending);
  settle(ranks);
  EXPECT_TRUE(is_complete(of_another));
  EXPECT_EQ(value, 5);
}

TEST_F(lost_rank, fails_sends_that_wait_for_their_match_and_later_ones) {
  Ranks ranks(2);
  Request offered, later;
  ranks.send(0, 1, out.data(), long_bytes, 1, offered);
  settle(ranks);
  EXPECT_FALSE(is_complete(offered));
  lose(ranks);
  EXPECT_TRUE(is_complete(offered));
  EXPECT_EQ(offered.error, error_process_failed);
  ranks.send(0, 1, out.data(), 8, 1, later);
  EXPECT_TRUE(is_complete(later));
  EXPECT_EQ(later.error, error_process_failed);
  ranks.as(0, [] { EXPECT_TRUE(all_have_left()); });
}

TEST_F(lost_rank, fails_what_streams_there_and_from_there) {
  Ranks ranks(2);
  Request there, here, received_there, sent_here;
  std::vector<char> other = in;
  ranks.receive(0, 1, in.data(), long_bytes, 1, here);
  ranks.receive(1, 0, other.data(), long_bytes, 2, received_there);
  ranks.send(1, 0, out.data(), long_bytes, 1, sent_here);
  ranks.send(0, 1, out.data(), long_bytes, 2, there);
  for (int i = 0; i < 3; ++i) {
    ranks.step(1);
    ranks.step(0);
  }
  EXPECT_FALSE(is_complete(there) || is_complete(here)) << "both stream";
  lose(ranks);
  EXPECT_TRUE(is_complete(there) && is_complete(here));
  EXPECT_EQ(there.error, error_process_failed);
  EXPECT_EQ(here.error, error_process_failed);
  settle(ranks);
  ranks.as(0, [] {
    EXPECT_TRUE(all_have_left());
    EXPECT_FALSE(waits_for_space());
    EXPECT_EQ(engine.outstanding_bytes, 0);
  });
}

TEST_F(lost_rank, fails_a_receive_that_meets_what_it_had_offered) {
  Ranks ranks(2);
  ranks.send(1, 0, out.data(), long_bytes, 1, sending);
  settle(ranks);
  EXPECT_EQ(ranks.unexpected(0), 1u);
  lose(ranks);
  ranks.receive(0, 1, in.data(), long_bytes, 1, receiving);
  settle(ranks);
  EXPECT_TRUE(is_complete(receiving));
  EXPECT_EQ(receiving.error, error_process_failed);
}

}  // namespace
}  // namespace baton::message
