// Messages that came before their receives: what is kept of them, and those that are cancelled.
#include "message/core/unexpected.hpp"

#include <vector>

#include "message/core/contact.hpp"
#include "message/core/point_to_point.hpp"
#include "message/core/queues.hpp"
#include "message/node/rendezvous_slots.hpp"
#include "tests/message/ranks.hpp"

namespace baton::message {
namespace {

struct unexpected : protocol {
  unexpected() {
    settings.unexpected_bytes_max = 1000;
    account.senders = &told;
    account.tell = [](void* senders, bool envelopes_only) {
      static_cast<std::vector<bool>*>(senders)->push_back(envelopes_only);
    };
  }
  // One that is kept for the account's senders.
  UnexpectedMessage* kept(std::int64_t bytes) {
    UnexpectedMessage* message = new_unexpected(bytes);
    message->account = &account;
    account_unexpected(*message, bytes);
    return message;
  }
  Account account;
  std::vector<bool> told;
};

TEST_F(unexpected, senders_hear_when_too_much_is_kept_and_when_half_of_it_is_gone) {
  UnexpectedMessage* messages[3] = {kept(500), kept(500), nullptr};
  EXPECT_TRUE(told.empty()) << "that is the bound";
  messages[2] = kept(1);
  EXPECT_EQ(told, std::vector<bool>{true});
  drop_unexpected(*messages[2]);
  EXPECT_EQ(told.size(), 1u) << "it would be too much again soon";
  drop_unexpected(*messages[0]);
  EXPECT_EQ(told, (std::vector<bool>{true, false}));
  drop_unexpected(*messages[1]);
  EXPECT_EQ(told.size(), 2u);
  EXPECT_EQ(account.unexpected_bytes, 0);
}

TEST_F(unexpected, senders_hear_once_however_much_more_comes) {
  UnexpectedMessage* messages[4] = {kept(800), kept(800), kept(800), kept(800)};
  EXPECT_EQ(told, std::vector<bool>{true});
  for (UnexpectedMessage* message : messages) drop_unexpected(*message);
  EXPECT_EQ(told, (std::vector<bool>{true, false}));
}

TEST_F(unexpected, a_message_may_grow_and_takes_all_with_it) {
  UnexpectedMessage* message = kept(400);
  account_unexpected(*message, 700);
  EXPECT_EQ(message->kept_bytes, 1100);
  EXPECT_EQ(told, std::vector<bool>{true});
  drop_unexpected(*message);
  EXPECT_EQ(account.unexpected_bytes, 0);
  EXPECT_FALSE(account.envelopes_only);
}

TEST_F(unexpected, who_cannot_be_told_is_counted_all_the_same) {
  account.tell = nullptr;
  UnexpectedMessage* message = kept(2000);
  EXPECT_TRUE(account.envelopes_only);
  drop_unexpected(*message);
  EXPECT_FALSE(account.envelopes_only);
}

TEST_F(unexpected, a_message_names_who_sent_it) {
  Ranks ranks(2);
  ranks.as(0, [&] {
    Peer* peer = meet(Process{1});
    UnexpectedMessage& message = make_unexpected(*peer, account, 7, {24, 5}, 100);
    EXPECT_EQ(message.process, Process{1});
    EXPECT_EQ(message.source, 7);
    EXPECT_EQ(message.context, 24u);
    EXPECT_EQ(message.tag, 5);
    EXPECT_EQ(message.account, &account);
    EXPECT_EQ(message.kept_bytes, 0);
    drop_unexpected(message);
  });
}

struct offered : protocol {
  static constexpr int count = 3;
  offered() {
    settings.pipeline_early = 0;
    for (int i = 0; i < count; ++i) ranks.send(0, 1, out.data(), long_bytes, i, sends[i]);
    ranks.settle();
  }
  // The tag that a probe of rank 1 finds; -1: nothing is there.
  int probe(int tag) {
    return ranks.as(1, [&] {
      const UnexpectedMessage* found = find_unexpected(*queue_for(Ranks::context_id), 0, tag);
      return found ? found->tag : -1;
    });
  }
  std::uint32_t kept() {
    return ranks.as(1, [] { return queue_for(Ranks::context_id)->unexpected_count; });
  }
  std::vector<char> out = pattern(long_bytes), in = std::vector<char>(long_bytes);
  Request sends[count];
  Ranks ranks{2};
};

TEST_F(offered, a_probe_finds_the_first_that_its_sender_has_not_cancelled) {
  EXPECT_EQ(probe(MPI_ANY_TAG), 0);
  ranks.cancel(0, sends[0]);
  ranks.cancel(0, sends[1]);
  EXPECT_EQ(kept(), 3u);
  EXPECT_EQ(probe(1), -1);
  EXPECT_EQ(probe(MPI_ANY_TAG), 2);
  EXPECT_EQ(kept(), 1u) << "those in its way are gone";
  ranks.settle();
  ranks.as(0, [] { EXPECT_EQ(node().open_entries, 1u); });
  ranks.cancel(0, sends[2]);
  EXPECT_EQ(probe(MPI_ANY_TAG), -1);
  EXPECT_EQ(kept(), 0u);
}

TEST_F(offered, one_that_was_claimed_can_not_be_cancelled_any_more) {
  UnexpectedMessage* message = ranks.as(1, [] {
    UnexpectedMessage* taken = take_unexpected(*queue_for(Ranks::context_id), 0, 0);
    EXPECT_FALSE(is_withdrawn(*taken));
    EXPECT_TRUE(claim(*taken));
    EXPECT_TRUE(claim(*taken)) << "it stays so";
    return taken;
  });
  ranks.cancel(0, sends[0]);
  EXPECT_FALSE(sends[0].cancelled);
  Request receive;
  ranks.as(1, [&] {
    EXPECT_FALSE(is_withdrawn(*message));
    receive_unexpected(*message, in.data(), long_bytes, Ranks::byte(), receive);
  });
  ranks.settle();
  EXPECT_TRUE(is_complete(receive) && is_complete(sends[0]));
  EXPECT_EQ(in, out);
  for (int i : {1, 2}) ranks.cancel(0, sends[i]);
}

TEST_F(offered, one_that_was_cancelled_cannot_be_claimed) {
  ranks.cancel(0, sends[1]);
  ranks.as(1, [] {
    UnexpectedMessage* taken = take_unexpected(*queue_for(Ranks::context_id), 0, 1);
    EXPECT_TRUE(is_withdrawn(*taken));
    EXPECT_FALSE(claim(*taken));
  });
  EXPECT_EQ(kept(), 2u);
  for (int i : {0, 2}) ranks.cancel(0, sends[i]);
}

}  // namespace
}  // namespace baton::message
