// Ranks of a node that have died: what the launcher writes on the board, and what a rank makes of
// it.
#include "message/node/death.hpp"

#include "base/failure_class.hpp"
#include "message/core/contact.hpp"
#include "message/core/loss.hpp"
#include "message/core/requests.hpp"
#include "message/node/lease.hpp"
#include "tests/message/ranks.hpp"

namespace baton::message {
namespace {

struct deaths : protocol {
  deaths() {
    communicator_view = {
        .process = [](const void*, std::int32_t rank) { return static_cast<Process>(rank); },
        .has = [](const void*, Process) { return true; }};
    ranks.as(0, [] {
      transport::job().continues = true;
      set_active(node(), true);  // as at the start of such a job
    });
  }
  ~deaths() override { communicator_view = {}; }
  // As the launcher does.
  void write_death(std::uint32_t rank) {
    ranks.as(0, [&] {
      transport::status_row(static_cast<LocalRank>(rank)).launcher.died.store(1);
      std::atomic_ref(transport::job().deaths).fetch_add(1);
    });
  }
  int loss_at_first(std::uint32_t rank) {
    return ranks.as(0, [&] { return loss_of(static_cast<Process>(rank)); });
  }
  Ranks ranks{3, Lines::lanes};
  int in = 0;
};

TEST_F(deaths, what_the_dead_has_sent_arrives_and_then_it_is_lost) {
  int more = 0;
  Request too_many, of_other;
  ranks.receive(0, 2, &in, sizeof in, 1, receiving);
  ranks.receive(0, 2, &more, sizeof more, 1, too_many);
  ranks.receive(0, 1, &more, sizeof more, 1, of_other);
  const int out = 8;
  ranks.send(2, 0, &out, sizeof out, 1, sending);
  write_death(2);
  for (int look = 0; look < 10 && !is_complete(too_many); ++look) ranks.step(0);
  EXPECT_EQ(in, 8);
  EXPECT_EQ(receiving.error, MPI_SUCCESS);
  EXPECT_TRUE(is_complete(too_many));
  EXPECT_EQ(too_many.error, error_process_failed);
  EXPECT_FALSE(is_complete(of_other));
  EXPECT_NE(loss_at_first(2), 0);
  EXPECT_EQ(loss_at_first(1), 0);
}

TEST_F(deaths, one_that_was_never_met_is_lost_too) {
  write_death(1);
  ranks.step(0);
  EXPECT_NE(loss_at_first(1), 0);
  ranks.send(0, 1, &in, sizeof in, 1, sending);
  EXPECT_TRUE(is_complete(sending));
  EXPECT_EQ(sending.error, error_process_failed);
}

// Rank 1 was met before; what rank 2 sends is its first.
TEST_F(deaths, who_looks_at_nothing_else_takes_in_first_what_the_dead_has_sent) {
  Request greeting;
  ranks.send(1, 0, nullptr, 0, 1, greeting);
  ranks.settle();
  std::uint64_t taken = ranks.unexpected(0);
  for (std::uint32_t dead : {1u, 2u}) {
    constexpr int count = 3;
    Request sent[count];
    for (Request& send : sent) ranks.send(dead, 0, &in, sizeof in, 1, send);
    EXPECT_EQ(ranks.unexpected(0), taken);
    write_death(dead);
    for (int look = 0; look < 10 && !loss_at_first(dead); ++look)
      ranks.as(0, [] { node().advance(); });
    EXPECT_NE(loss_at_first(dead), 0);
    EXPECT_EQ(ranks.unexpected(0), taken += count);
  }
}

TEST_F(deaths, what_the_dead_held_of_staging_comes_back) {
  const auto free_at_first = [&] {
    return ranks.as(0, [] {
      return lockfree::free_chunks(transport::doorbell(engine.local_rank).chunks.free);
    });
  };
  const int before = free_at_first();
  ranks.as(2, [] { (void)take_staging_buffer(static_cast<NodePeer&>(*contact(Process{0})), 5); });
  EXPECT_EQ(free_at_first(), before - 5);
  ranks.as(0, [] { (void)contact(Process{2}); });
  write_death(2);
  for (int look = 0; look < 10 && !loss_at_first(2); ++look) ranks.step(0);
  EXPECT_EQ(free_at_first(), before);
}

}  // namespace
}  // namespace baton::message
