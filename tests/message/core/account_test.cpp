// What a rank tells of its messages: the sums over its peers.
#include <memory>

#include "base/settings.hpp"
#include "message/core/account.hpp"
#include "message/core/contact.hpp"
#include "message/core/point_to_point.hpp"
#include "tests/message/ranks.hpp"

namespace baton::message {
namespace {

struct accounts : protocol {
  const TrafficRecord& record(Ranks& ranks, std::uint32_t rank) {
    ranks.as(rank, [&] { sum_up(*record_); });
    return *record_;
  }
  // Of all classes of peers but the rank itself.
  Tally others(const TrafficRecord& record, Way way, std::int64_t bytes) {
    Tally sum;
    for (int place = 1; place < peer_class_count; ++place) {
      const Tally& one = record.tally[place][static_cast<int>(way)][size_class(bytes)];
      sum.messages += one.messages;
      sum.bytes += one.bytes;
    }
    return sum;
  }
  std::unique_ptr<TrafficRecord> record_ = std::make_unique<TrafficRecord>();
};

TEST_F(accounts, messages_are_counted_by_size_whoever_they_go_to) {
  for (const Lines lines : {Lines::fake, Lines::lanes}) {
    Ranks ranks(3, lines);
    char data[1000] = {};
    Request sends[5];
    ranks.send(0, 1, data, 4, 1, sends[0]);
    ranks.send(0, 2, data, 8, 1, sends[1]);
    ranks.send(0, 2, data, 30, 1, sends[2]);
    ranks.send(0, 1, data, 1000, 1, sends[3]);
    ranks.send(0, 0, data, 8, 1, sends[4]);
    ranks.settle();
    const TrafficRecord& sums = record(ranks, 0);
    EXPECT_EQ(others(sums, Way::inline_eager, 8).messages, 2u);
    EXPECT_EQ(others(sums, Way::inline_eager, 8).bytes, 12u);
    EXPECT_EQ(others(sums, Way::inline_eager, 30).messages, 1u);
    EXPECT_EQ(others(sums, Way::inline_eager, 30).bytes, 30u);
    EXPECT_EQ(others(sums, Way::eager, 1000).messages, 1u);
    EXPECT_EQ(others(sums, Way::eager, 1000).bytes, 1000u);
    const auto self = static_cast<int>(PeerClass::self);
    EXPECT_EQ(sums.tally[self][static_cast<int>(Way::self)][size_class(8)].messages, 1u);
    EXPECT_EQ(sums.published, 1u);
    const TrafficRecord& received = record(ranks, 1);
    EXPECT_EQ(others(received, Way::inline_eager, 8).messages, 0u) << "its sender has counted it";
  }
}

TEST_F(accounts, short_messages_by_the_quickest_way_are_counted_too) {
  Ranks ranks(2, Lines::lanes);
  ranks.as(0, [&] {
    const Context context = ranks.context(0);
    EXPECT_EQ(send(context, "12345678", 8, Ranks::byte(), 1, 1), MPI_SUCCESS);  // makes contact
    for (int i = 0; i < 4; ++i)
      EXPECT_EQ(send(context, "12345678", i, Ranks::byte(), 1, 1), MPI_SUCCESS);
    EXPECT_EQ(send(context, "a message of one line", 21, Ranks::byte(), 1, 1), MPI_SUCCESS);
  });
  const TrafficRecord& sums = record(ranks, 0);
  EXPECT_EQ(others(sums, Way::inline_eager, 8).messages, 5u);
  EXPECT_EQ(others(sums, Way::inline_eager, 8).bytes, 8u + 0 + 1 + 2 + 3);
  EXPECT_EQ(others(sums, Way::inline_eager, 21).messages, 1u);
  EXPECT_EQ(others(sums, Way::inline_eager, 21).bytes, 21u);
}

TEST_F(accounts, peers_that_share_a_history_are_counted_once) {
  Ranks ranks(3);
  ranks.as(0, [] {
    Peer* one = meet(Process{1});
    meet(Process{2});
    ASSERT_FALSE(has_history(*one));
    count_message(*one, Way::cma, 1 << 20);
    ASSERT_TRUE(give_history(*one));
    count_message(*one, Way::cma, 1 << 20);
  });
  EXPECT_EQ(others(record(ranks, 0), Way::cma, 1 << 20).messages, 2u);
  EXPECT_EQ(others(record(ranks, 0), Way::cma, 1 << 20).bytes, 2u << 20) << "asked a second time";
}

TEST_F(accounts, a_history_of_its_own_is_given_once_and_is_empty) {
  Ranks ranks(2);
  ranks.as(0, [] {
    Peer* peer = meet(Process{1});
    count_message(*peer, Way::cma, 100);
    EXPECT_FALSE(has_history(*peer));
    EXPECT_TRUE(give_history(*peer));
    EXPECT_TRUE(has_history(*peer));
    History* own = &peer->past();
    EXPECT_EQ(own->traffic.at(Way::cma, 100).messages, 0u);
    EXPECT_TRUE(give_history(*peer));
    EXPECT_EQ(&peer->past(), own);
  });
}

TEST_F(accounts, what_was_observed_is_told_by_pairs) {
  Ranks ranks(3);
  ranks.as(0, [] {
    for (const Process process : {Process{1}, Process{2}}) {
      Peer* peer = meet(process);
      ASSERT_TRUE(give_history(*peer));
      peer->past().traffic.observed[3] = Observation::cold;
    }
    known_peer(Process{2})->past().traffic.observed[4] = Observation::warm;
  });
  const TrafficRecord& sums = record(ranks, 0);
  std::uint32_t warm = 0, cold = 0;
  for (int place = 0; place < peer_class_count; ++place) {
    cold += sums.observed[place][3].cold;
    warm += sums.observed[place][4].warm;
    EXPECT_EQ(sums.observed[place][3].warm + sums.observed[place][4].cold, 0u);
  }
  EXPECT_EQ(cold, 2u);
  EXPECT_EQ(warm, 1u);
}

TEST_F(accounts, reasons_are_counted_by_peer_and_size_and_none_is_not) {
  Ranks ranks(2);
  int place = 0;
  ranks.as(0, [&] {
    const Peer* peer = meet(Process{1});
    place = static_cast<int>(peer->peer_class);
    count_reason(*peer, Reason::none, 100);
    count_reason(*peer, Reason::early_off, 100);
    count_reason(*peer, Reason::early_off, 100000);
    count_reason(*peer, Reason::early_off, 100000);
  });
  const ReasonCounts& reasons = record(ranks, 0).reasons;
  const auto& row = reasons.messages[place][static_cast<int>(Reason::early_off)];
  EXPECT_EQ(row[size_class(100)], 1u);
  EXPECT_EQ(row[size_class(100000)], 2u);
  std::uint64_t all = 0;
  for (const auto& peer_class : reasons.messages)
    for (const auto& reason : peer_class)
      for (std::uint64_t messages : reason) all += messages;
  EXPECT_EQ(all, 3u);
}

TEST_F(accounts, where_direct_copies_are_refused_the_reason_is_why) {
  settings.cma = 0;
  Ranks ranks(2);
  int place = 0;
  ranks.as(0, [&] {
    const Peer* peer = meet(Process{1});
    place = static_cast<int>(peer->peer_class);
    count_reason(*peer, Reason::cma_refused, 100);
  });
  const auto& messages = record(ranks, 0).reasons.messages[place];
  EXPECT_EQ(messages[static_cast<int>(Reason::cma_refused)][size_class(100)], 0u);
  EXPECT_EQ(messages[static_cast<int>(Reason::cma_off)][size_class(100)], 1u);
}

TEST_F(accounts, a_record_says_by_which_limits_and_which_library) {
  settings.eager_bytes_max = 777;
  settings.cma_bytes_min = 88888;
  Ranks ranks(1);
  const TrafficRecord& sums = record(ranks, 0);
  EXPECT_EQ(sums.eager_bytes_max, 777);
  EXPECT_EQ(sums.cma_bytes_min, 88888);
  EXPECT_NE(sums.version[0], 0);
}

}  // namespace
}  // namespace baton::message
