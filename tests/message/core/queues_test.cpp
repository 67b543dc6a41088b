// The match queues of contexts: made when asked for, and dropped with what is in them.
#include "message/core/queues.hpp"
#include "message/core/engine.hpp"

#include <vector>

#include "message/core/unexpected.hpp"
#include "message/node/rendezvous_slots.hpp"
#include "tests/message/ranks.hpp"

namespace baton::message {
namespace {

struct queues : protocol {
  static constexpr std::uint32_t contexts = MatchQueues::leaf_contexts * MatchQueues::leaf_count;
};

TEST_F(queues, each_context_has_one_and_keeps_it) {
  Ranks ranks(1);
  ranks.as(0, [] {
    const std::uint32_t ids[] = {0, 1, MatchQueues::leaf_contexts - 1, MatchQueues::leaf_contexts,
                                 contexts - 1};
    std::vector<MatchQueue*> found;
    for (std::uint32_t id : ids) {
      MatchQueue* queue = queue_for(id);
      ASSERT_NE(queue, nullptr);
      for (MatchQueue* other : found) EXPECT_NE(queue, other);
      found.push_back(queue);
    }
    for (std::size_t i = 0; i < found.size(); ++i) EXPECT_EQ(&queue_of(ids[i]), found[i]);
  });
}

TEST_F(queues, there_is_none_beyond_the_last_context) {
  Ranks ranks(1);
  ranks.as(0, [] { EXPECT_EQ(queue_for(contexts), nullptr); });
}

TEST_F(queues, a_dropped_one_is_empty_when_its_context_is_used_again) {
  Ranks ranks(2);
  int out = 5, in = 0;
  ranks.send(0, 1, &out, sizeof out, 1, sending);
  ranks.settle();
  ranks.as(1, [] {
    EXPECT_EQ(queue_for(Ranks::context_id)->unexpected_count, 1u);
    drop_queue(Ranks::context_id);
    drop_queue(Ranks::context_id);
    drop_queue(contexts - 1);  // never made
    EXPECT_EQ(queue_for(Ranks::context_id)->unexpected_count, 0u);
  });
  ranks.receive(1, 0, &in, sizeof in, 1, receiving);
  EXPECT_FALSE(is_complete(receiving));
  ranks.send(0, 1, &out, sizeof out, 1, sending);
  ranks.settle();
  EXPECT_TRUE(is_complete(receiving));
}

TEST_F(queues, what_is_dropped_with_one_is_kept_no_more) {
  settings.unexpected_bytes_max = 3000;
  Ranks ranks(2);
  const auto out = pattern(1000);
  Request sends[4];
  for (Request& send : sends) {
    ranks.send(0, 1, out.data(), 1000, 1, send);
    ranks.settle();
  }
  EXPECT_TRUE(ranks.network.wishes[1][0].envelopes_only);
  ranks.as(1, [] { drop_queue(Ranks::context_id); });
  EXPECT_FALSE(ranks.network.wishes[1][0].envelopes_only);
}

TEST_F(queues, the_slots_of_cancelled_messages_go_back_to_their_senders) {
  settings.pipeline_early = 0;
  Ranks ranks(2);
  const auto out = pattern(long_bytes);
  ranks.send(0, 1, out.data(), long_bytes, 1, sending);
  ranks.settle();
  ranks.cancel(0, sending);
  ranks.as(0, [] { EXPECT_EQ(node().open_entries, 1u); });
  ranks.as(1, [] { drop_queue(Ranks::context_id); });
  ranks.settle();
  ranks.as(0, [] { EXPECT_EQ(node().open_entries, 0u); });
}

TEST_F(queues, all_can_be_forgotten) {
  Ranks ranks(1);
  ranks.as(0, [] {
    keep(*queue_for(3), *new_unexpected(0));
    keep(*queue_for(5000), *new_unexpected(0));
    forget_queues();
    for (const MatchQueues::Leaf* leaf : engine.queues.leaves) EXPECT_EQ(leaf, nullptr);
    EXPECT_EQ(queue_for(5000)->unexpected_count, 0u);
  });
}

}  // namespace
}  // namespace baton::message
