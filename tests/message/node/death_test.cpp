// Ranks that have died: what mpiexec writes on the board, or another launcher tells, or a rank
// finds out by looking, and what a rank makes of it.
#include "message/node/death.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include "base/failure_class.hpp"
#include "message/core/contact.hpp"
#include "message/core/loss.hpp"
#include "message/core/requests.hpp"
#include "message/node/lease.hpp"
#include "tests/message/ranks.hpp"
#include "transport/death.hpp"
#include "transport/peer_wait.hpp"

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
  // As mpiexec does.
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

// ---- under another launcher

struct deaths_that_nobody_tells : deaths {
  deaths_that_nobody_tells() {
    ranks.as(0, [] { transport::job().foreign_launcher = true; });
    for (std::uint32_t rank : {0, 1, 2}) write_process(rank, ::getpid());
  }
  void write_process(std::uint32_t rank, int process,
                     lockfree::Phase phase = lockfree::Phase::initialized) {
    ranks.as(0, [&] {
      auto& state = transport::status_row(static_cast<LocalRank>(rank)).state;
      state.pid.store(process);
      state.phase.store(phase);
    });
  }
  static int process_that_has_ended() {
    const int process = ::fork();
    if (process == 0) ::_exit(0);
    EXPECT_EQ(::waitpid(process, nullptr, 0), process);
    return process;
  }
};

TEST_F(deaths_that_nobody_tells, a_process_that_is_not_there_any_more_has_died) {
  write_process(2, process_that_has_ended());
  ranks.receive(0, 2, &in, sizeof in, 1, receiving);
  for (int look = 0; look < 10 && !is_complete(receiving); ++look) ranks.step(0);
  EXPECT_TRUE(is_complete(receiving));
  EXPECT_EQ(receiving.error, error_process_failed);
  EXPECT_NE(loss_at_first(2), 0);
  EXPECT_EQ(loss_at_first(1), 0);
  // It is written for all.
  EXPECT_EQ(ranks.as(1, [] { return std::atomic_ref(transport::job().deaths).load(); }), 1u);
}

TEST_F(deaths_that_nobody_tells, one_that_waits_for_its_parent_to_look_has_died) {
  const int process = ::fork();
  if (process == 0) ::_exit(0);
  siginfo_t ended;
  ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(process), &ended, WEXITED | WNOWAIT), 0);
  write_process(2, process);
  for (int look = 0; look < 10; ++look) ranks.step(0);
  EXPECT_NE(loss_at_first(2), 0);
  EXPECT_EQ(::waitpid(process, nullptr, 0), process);
}

TEST_F(deaths_that_nobody_tells, one_that_has_finalized_has_not_died) {
  write_process(2, process_that_has_ended(), lockfree::Phase::finalized);
  write_process(1, 0);  // it is about to come
  for (int look = 0; look < 10; ++look) ranks.step(0);
  EXPECT_EQ(loss_at_first(2), 0);
  EXPECT_EQ(loss_at_first(1), 0);
}

TEST_F(deaths_that_nobody_tells, who_waits_in_the_midst_of_a_message_asks_the_kernel) {
  const auto may_go_on = [&] {
    return ranks.as(0, [] { return transport::may_go_on(transport::Slot(LocalRank{2})); });
  };
  EXPECT_TRUE(may_go_on());
  write_process(2, process_that_has_ended());
  EXPECT_FALSE(may_go_on());
  ranks.as(0, [] { transport::job().foreign_launcher = false; });
  EXPECT_TRUE(may_go_on());  // mpiexec would have told
}

TEST_F(deaths, on_another_node_the_launcher_tells_of_them) {
  Ranks apart{3, Ranks::Nodes::each};
  apart.as(0, [] {
    transport::job().continues = transport::job().foreign_launcher = true;
    set_active(node(), true);
  });
  int of_other = 0;
  Request from_other;
  apart.receive(0, 2, &in, sizeof in, 1, receiving);
  apart.receive(0, 1, &of_other, sizeof of_other, 1, from_other);
  EXPECT_TRUE(apart.as(0, [] { return transport::write_death(Process{2}); }));
  EXPECT_FALSE(apart.as(0, [] { return transport::write_death(Process{2}); }));
  EXPECT_FALSE(apart.as(0, [] { return transport::write_death(Process{3}); }));
  for (int look = 0; look < 100 && !is_complete(receiving); ++look) apart.step(0);
  EXPECT_TRUE(is_complete(receiving));
  EXPECT_EQ(receiving.error, error_process_failed);
  EXPECT_FALSE(is_complete(from_other));
  EXPECT_NE(apart.as(0, [] { return loss_of(Process{2}); }), 0);
  EXPECT_EQ(apart.as(0, [] { return loss_of(Process{1}); }), 0);
  const int out = 8;
  apart.send(1, 0, &out, sizeof out, 1, sending);
  for (int look = 0; look < 1000000 && !is_complete(from_other); ++look) apart.settle();
  EXPECT_EQ(of_other, 8);
}

}  // namespace
}  // namespace baton::message
