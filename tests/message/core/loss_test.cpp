// Lost peers: what is known of them, and which receives fail.
#include "message/core/loss.hpp"
#include "base/failure_class.hpp"
#include "base/settings.hpp"
#include "message/core/engine.hpp"
#include "message/core/queues.hpp"

#include <cerrno>
#include <vector>

#include "message/core/contact.hpp"
#include "message/core/protocol.hpp"
#include "tests/message/ranks.hpp"

namespace baton::message {
namespace {

// A communicator as the layer above knows it: ranks of it, as processes.
struct Members {
  std::vector<Process> processes;
  bool cut_off = false;
};

struct losses : protocol {
  losses() {
    communicator_view = {[](const void* owner, std::int32_t rank) {
                           const auto& members = static_cast<const Members*>(owner)->processes;
                           return static_cast<std::size_t>(rank) < members.size()
                                      ? members[static_cast<std::size_t>(rank)]
                                      : engine.self;
                         },
                         [](const void* owner, Process process) {
                           const auto& members = static_cast<const Members*>(owner)->processes;
                           return std::find(members.begin(), members.end(), process) !=
                                  members.end();
                         }};
    communicator_view.is_cut_off = [](const void* owner) {
      return static_cast<const Members*>(owner)->cut_off;
    };
    communicator_view.cut_off = [](const void* owner) {
      const_cast<Members*>(static_cast<const Members*>(owner))->cut_off = true;
    };
  }
  ~losses() override { communicator_view = {}; }
  // Rank 0 posts a receive on a communicator of these members.
  void receive(Members& members, int source, Request& request, std::uint32_t plane = 0) {
    ranks.as(0, [&] {
      Context context = ranks.context(0);
      context.receive_id += plane;
      context.send_id += plane;
      context.queue = queue_for(context.receive_id);
      context.owner = &members;
      begin_receive(context, &in, sizeof in, Ranks::byte(), source, 1, request);
    });
  }
  bool lose(std::uint32_t lost, int error = ECONNRESET) {
    return ranks.as(0, [&] { return note_loss(static_cast<Process>(lost), error); });
  }
  bool fail_receives() {
    return ranks.as(0, [] { return fail_lost_receives(); });
  }
  Ranks ranks{4};
  Members all{{Process{0}, Process{1}, Process{2}, Process{3}}};
  Members without_two{{Process{3}, Process{1}, Process{0}}};
  int in = 0;
};

TEST_F(losses, a_loss_is_news_once_and_stays_as_it_was_found) {
  ranks.as(0, [] { EXPECT_FALSE(has_lost_peers()); });
  EXPECT_TRUE(lose(2));
  EXPECT_FALSE(lose(2, ETIMEDOUT));
  ranks.as(0, [] {
    EXPECT_TRUE(has_lost_peers());
    EXPECT_EQ(loss_of(Process{2}), ECONNRESET);
    EXPECT_EQ(loss_of(Process{1}), 0);
  });
  ranks.as(1, [] { EXPECT_FALSE(has_lost_peers()) << "each finds for itself"; });
}

TEST_F(losses, nobody_loses_himself) {
  EXPECT_FALSE(lose(0));
  ranks.as(0, [] { EXPECT_EQ(loss_of(Process{0}), 0); });
}

TEST_F(losses, receives_that_name_a_lost_peer_fail_and_others_go_on) {
  Request of_lost, of_other;
  receive(all, 2, of_lost);
  receive(all, 1, of_other);
  EXPECT_FALSE(fail_receives()) << "nobody is lost";
  lose(2);
  EXPECT_TRUE(fail_receives());
  EXPECT_TRUE(is_complete(of_lost));
  EXPECT_EQ(of_lost.error, error_process_failed);
  EXPECT_EQ(of_lost.bytes, 0);
  EXPECT_FALSE(is_complete(of_other));
  EXPECT_FALSE(fail_receives()) << "that was all";
  int out = 8;
  ranks.send(1, 0, &out, sizeof out, 1, sending);
  ranks.settle();
  EXPECT_TRUE(is_complete(of_other));
  EXPECT_EQ(in, 8);
}

TEST_F(losses, a_source_is_a_rank_of_its_communicator) {
  Request of_two, of_three;
  receive(without_two, 2, of_two);    // process 0
  receive(without_two, 0, of_three);  // process 3
  lose(2);
  EXPECT_FALSE(fail_receives());
  lose(3);
  EXPECT_TRUE(fail_receives());
  EXPECT_FALSE(is_complete(of_two));
  EXPECT_TRUE(is_complete(of_three));
}

TEST_F(losses, any_source_receives_fail_where_the_lost_one_is_of_the_communicator) {
  Request with, without;
  receive(all, MPI_ANY_SOURCE, with);
  receive(without_two, MPI_ANY_SOURCE, without);
  lose(2);
  EXPECT_TRUE(fail_receives());
  EXPECT_TRUE(is_complete(with));
  EXPECT_EQ(with.error, error_process_failed);
  EXPECT_FALSE(is_complete(without));
}

TEST_F(losses, a_part_of_a_collective_fails_whoever_of_the_communicator_is_lost) {
  Request of_one, elsewhere;
  constexpr auto plane = static_cast<std::uint32_t>(Plane::collective);
  receive(all, 1, of_one, plane);
  receive(without_two, 1, elsewhere, plane);
  lose(2);
  EXPECT_TRUE(fail_receives());
  EXPECT_TRUE(is_complete(of_one));
  EXPECT_FALSE(is_complete(elsewhere));
}

// In a job that goes on without ranks that have died.
struct grace : losses {
  grace() {
    ranks.as(0, [] { transport::job().continues = 1; });
    settings.failure_grace_ms = 1'000'000'000;
  }
  ~grace() override {
    ranks.as(0, [] { transport::job().continues = 0; });
    settings.failure_grace_ms = -1;
  }
  void end_it() {
    settings.failure_grace_ms = 0;
    ranks.as(0, [] { engine.lost.grace_end_ns = 1; });
  }
  static constexpr auto plane = static_cast<std::uint32_t>(Plane::collective);
};

TEST_F(grace, what_needs_all_goes_on_for_a_while_after_a_death) {
  Request under_way, begun_later, refused;
  receive(all, 1, under_way, plane);
  lose(2);
  EXPECT_FALSE(fail_receives());
  receive(all, 1, begun_later, plane);
  EXPECT_FALSE(is_complete(begun_later));
  EXPECT_FALSE(all.cut_off);
  end_it();
  EXPECT_TRUE(fail_receives());
  EXPECT_EQ(under_way.error, error_process_failed);
  EXPECT_EQ(begun_later.error, error_process_failed);
  EXPECT_TRUE(all.cut_off);
  settings.failure_grace_ms = 1'000'000'000;
  receive(all, 1, refused, plane);
  EXPECT_TRUE(is_complete(refused)) << "a call on the communicator has failed before";
  EXPECT_EQ(refused.error, error_process_failed);
}

TEST_F(grace, begins_again_with_what_is_begun) {
  Request late;
  lose(2);
  end_it();
  settings.failure_grace_ms = 1'000'000'000;
  receive(all, 1, late, plane);
  EXPECT_FALSE(is_complete(late) || fail_receives());
  end_it();
  EXPECT_TRUE(fail_receives());
}

TEST_F(grace, messages_of_the_program_have_none) {
  Request of_lost;
  receive(all, 2, of_lost);
  lose(2);
  EXPECT_TRUE(fail_receives());
}

TEST_F(losses, a_receive_of_no_communicator_fails_with_any_loss) {
  ranks.as(0, [&] {
    Context context = ranks.context(0);
    context.owner = nullptr;
    begin_receive(context, &in, sizeof in, Ranks::byte(), 1, 1, receiving);
  });
  lose(2);
  EXPECT_TRUE(fail_receives());
  EXPECT_TRUE(is_complete(receiving));
}

TEST_F(losses, the_order_of_receives_that_stay_is_kept) {
  Request receives[5];
  int values[5] = {};
  ranks.as(0, [&] {
    Context context = ranks.context(0);
    context.owner = &all;
    for (int i = 0; i < 5; ++i)  // sources 1 and 17 would share a list; 2 is lost
      begin_receive(context, &values[i], sizeof(int), Ranks::byte(), i % 2 ? 2 : 1, 1, receives[i]);
  });
  lose(2);
  EXPECT_TRUE(fail_receives());
  for (int i = 0; i < 5; ++i) EXPECT_EQ(is_complete(receives[i]), i % 2 == 1);
  Request sends[3];
  for (int i = 0; i < 3; ++i) {
    const int value = 10 + i;
    ranks.send(1, 0, &value, sizeof value, 1, sends[i]);
  }
  ranks.settle();
  EXPECT_EQ(values[0], 10);
  EXPECT_EQ(values[2], 11);
  EXPECT_EQ(values[4], 12);
}

TEST_F(losses, who_is_about_to_wait_for_a_source_hears_that_it_is_lost) {
  lose(2);
  ranks.as(0, [&] {
    Context context = ranks.context(0);
    context.owner = &all;
    EXPECT_EQ(lost_source(context, 2), error_process_failed);
    EXPECT_EQ(lost_source(context, 1), MPI_SUCCESS);
    EXPECT_EQ(lost_source(context, MPI_ANY_SOURCE), error_process_failed);
    context.owner = &without_two;
    EXPECT_EQ(lost_source(context, 1), MPI_SUCCESS);
    EXPECT_EQ(lost_source(context, MPI_ANY_SOURCE), MPI_SUCCESS);
  });
}

TEST_F(losses, what_a_rank_has_found_others_of_its_node_are_told) {
  const auto found = [&](std::int32_t size) {
    return ranks.as(1, [&] {
      Context context = ranks.context(1);
      context.size = size;
      return loss_found_here(context);
    });
  };
  EXPECT_EQ(found(4), MPI_SUCCESS);
  lose(2);
  EXPECT_EQ(found(4), error_process_failed);
  EXPECT_EQ(found(2), MPI_SUCCESS) << "the lost process is none of its ranks";
  EXPECT_EQ(found(0), MPI_SUCCESS);
}

TEST_F(losses, the_error_says_who_is_gone_and_why) {
  lose(2, ETIMEDOUT);
  ranks.as(0, [] { EXPECT_EQ(explain_loss(Process{2}), error_process_failed); });
  const std::string words = last_explanation().text;
  EXPECT_NE(words.find("rank 2"), std::string::npos) << words;
  EXPECT_NE(words.find(std::strerror(ETIMEDOUT)), std::string::npos) << words;
}

// A protocol that notes what it is told.
struct Noting final : Protocol {
  Peer* make_peer(Process) override { return new Peer; }
  void forget_peer(Peer* peer) override { delete peer; }
  Error begin(Peer&) override { return MPI_SUCCESS; }
  bool put(Peer&, Request&) override { return false; }
  bool put_active(Peer&, transport::Envelope, const void*, std::size_t) override { return false; }
  bool arrive(ArrivedLine&) override { return false; }
  void accept(UnexpectedMessage&, Request&) override {}
  bool take_back_send(Request&) override { return false; }
  bool advance() override { return false; }
  void end_lost(Peer& peer) override { ended.push_back(peer.process); }
  void expect_leaving(Leaving leaving) override { told.push_back(leaving); }
  std::vector<Process> ended;
  std::vector<Leaving> told;
};

TEST_F(losses, protocols_end_what_is_under_way_with_lost_peers_that_were_met) {
  ranks.as(0, [] {
    auto* noting = new Noting;
    engine.protocols[static_cast<int>(PeerKind::test)] = noting;
    engine.kind_of = [](Process process) {
      return process == engine.self ? PeerKind::self : PeerKind::test;
    };
    meet(Process{1});
    meet(Process{2});
    note_loss(Process{2}, ECONNRESET);
    note_loss(Process{3}, ECONNRESET);  // nobody knows it
    end_what_is_lost();
    EXPECT_EQ(noting->ended, std::vector<Process>{Process{2}});
    expect_leaving(Leaving::together);
    EXPECT_EQ(noting->told, std::vector<Leaving>{Leaving::together});
  });
}

}  // namespace
}  // namespace baton::message
