// Two processes of different nodes in one process, step by step: their messages go over libfabric
// with the provider of tests/network/fake_provider, which ends whoever breaks its rules.
#include "message/network/network_protocol.hpp"
#include "message/core/engine.hpp"

#include <array>
#include <cerrno>
#include <cstdlib>
#include <memory>

#include "base/failure_class.hpp"
#include "message/core/contact.hpp"
#include "message/core/loss.hpp"
#include "message/core/meeting.hpp"
#include "message/core/queue.hpp"
#include "message/core/requests.hpp"
#include "message/meet.hpp"
#include "message/network/peer_loss.hpp"
#include "message/network/remote_peer.hpp"
#include "message/network/rendezvous.hpp"
#include "message/network/rendezvous_table.hpp"
#include "tests/message/ranks.hpp"

namespace baton::message {
namespace {

struct between_nodes : protocol {
  Ranks ranks{2, Ranks::Nodes::each};
  // Looks until requests are complete: the provider takes its time by chance.
  template <class... Requests>
  void finish(const Requests&... requests) {
    for (int look = 0; look < 1000000 && !(is_complete(requests) && ...); ++look) ranks.settle();
    ASSERT_TRUE((is_complete(requests) && ...));
  }
  // Looks until a rank has kept an unexpected message.
  void wait_for_unexpected(std::uint32_t rank, std::uint64_t count) {
    for (int look = 0; look < 1000000 && ranks.unexpected(rank) < count; ++look) ranks.settle();
    ASSERT_EQ(ranks.unexpected(rank), count);
  }
};

TEST_F(between_nodes, peers_have_the_networks_protocol_and_no_lane) {
  int out = 1;
  ranks.send(0, 1, &out, sizeof out, 1, sending);
  ranks.as(0, [] {
    const Peer& peer = peer_of(Process{1});
    EXPECT_EQ(peer.protocol, engine.protocols[static_cast<int>(PeerKind::network)]);
    EXPECT_FALSE(peer.out.attached() || peer.in.attached());
    EXPECT_EQ(peer.peer_class, PeerClass::between_nodes);
  });
  int in = 0;
  ranks.receive(1, 0, &in, sizeof in, 1, receiving);
  finish(sending, receiving);
  EXPECT_EQ(in, 1);
}

TEST_F(between_nodes, messages_of_all_lengths_arrive_posted_or_unexpected) {
  std::uint64_t kept = 0;
  for (std::int64_t bytes : {0, 8, 2048, 20000, 1 << 20})
    for (bool posted_first : {true, false}) {
      const auto out = pattern(bytes);
      std::vector<char> in(out.size());
      Request send, receive;
      if (posted_first) ranks.receive(1, 0, in.data(), bytes, 1, receive);
      ranks.send(0, 1, out.data(), bytes, 1, send);
      if (!posted_first) {
        wait_for_unexpected(1, ++kept);
        ranks.receive(1, 0, in.data(), bytes, 1, receive);
      }
      finish(send, receive);
      EXPECT_EQ(in, out) << bytes;
    }
}

TEST_F(between_nodes, what_is_kept_of_unexpected_messages_is_counted_and_given_back) {
  const auto out = pattern(1 << 20);
  std::vector<char> in(out.size());
  std::uint64_t unexpected = 0;
  for (std::int64_t bytes : {1000, 1 << 20}) {
    Request send, receive;
    ranks.send(0, 1, out.data() + 1, bytes - 1, 1, send);
    wait_for_unexpected(1, ++unexpected);
    const auto kept = [] { return peer_of(Process{0}).account.unexpected_bytes; };
    EXPECT_GE(ranks.as(1, kept), bytes == 1000 ? 999 : 0);
    ranks.receive(1, 0, in.data(), bytes, 1, receive);
    finish(send, receive);
    EXPECT_EQ(ranks.as(1, kept), 0);
  }
}

TEST_F(between_nodes, a_send_that_waits_for_its_receiver_can_be_cancelled) {
  const auto out = pattern(1 << 20);
  std::vector<char> in(out.size());
  ranks.send(0, 1, out.data(), 1 << 20, 1, sending);
  wait_for_unexpected(1, 1);
  EXPECT_FALSE(is_complete(sending));
  ranks.cancel(0, sending);
  finish(sending);
  EXPECT_TRUE(sending.cancelled);
  ranks.receive(1, 0, in.data(), 1 << 20, 1, receiving);
  EXPECT_FALSE(is_complete(receiving)) << "it met a message that does not exist";
  ranks.cancel(1, receiving);
  finish(receiving);
  EXPECT_TRUE(receiving.cancelled);
}

TEST_F(between_nodes, a_send_that_was_tried_again_in_vain_can_be_cancelled) {
  constexpr std::int64_t bytes = 100000;
  const auto out = pattern(bytes);
  std::vector<char> in(out.size());
  std::array<Request, 256> sends;
  for (Request& send : sends) ranks.send(0, 1, out.data(), bytes, 1, send);
  ranks.step(0);
  Request* waiting = nullptr;
  ranks.as(0, [&] { waiting = peer_of(Process{1}).queued.first; });
  ASSERT_NE(waiting, nullptr) << "there was space for all";
  ranks.cancel(0, *waiting);
  finish(*waiting);
  EXPECT_TRUE(waiting->cancelled);
  for (const Request& send : sends) {
    if (&send == waiting) continue;
    Request receive;
    ranks.receive(1, 0, in.data(), bytes, 1, receive);
    finish(send, receive);
  }
}

TEST_F(between_nodes, a_message_too_long_for_its_receive_says_so) {
  const auto out = pattern(1 << 20);
  for (std::int64_t bytes : {1000, 1 << 20}) {
    std::vector<char> in(out.size());
    Request send, receive;
    ranks.send(0, 1, out.data(), bytes, 1, send);
    ranks.receive(1, 0, in.data(), bytes / 2, 1, receive);
    finish(send, receive);
    EXPECT_EQ(receive.error, MPI_ERR_TRUNCATE);
    EXPECT_TRUE(std::equal(in.begin(), in.begin() + bytes / 2, out.begin()));
  }
}

TEST_F(between_nodes, a_peer_that_is_lost_fails_what_is_under_way) {
  communicator_view = {
      .process = [](const void*, std::int32_t rank) { return static_cast<Process>(rank); },
      .has = [](const void*, Process) { return true; }};
  const auto out = pattern(1 << 20);
  int in = 0;
  ranks.send(0, 1, out.data(), 1 << 20, 1, sending);
  ranks.receive(0, 1, &in, sizeof in, 1, receiving);
  wait_for_unexpected(1, 1);
  EXPECT_FALSE(is_complete(sending) || is_complete(receiving));
  ranks.as(0, [] {
    EXPECT_TRUE(note_loss(Process{1}, ECONNRESET));
    end_what_is_lost();
  });
  EXPECT_EQ(receiving.error, error_process_failed);
  EXPECT_TRUE(is_complete(receiving));
  EXPECT_TRUE(is_complete(sending));
  EXPECT_EQ(sending.error, error_process_failed);
  Request later;
  ranks.send(0, 1, &in, sizeof in, 1, later);
  EXPECT_TRUE(is_complete(later));
  EXPECT_EQ(later.error, error_process_failed);
  communicator_view = {};
}

bool revoked;  // the communicator of all ranks

struct failures_between_nodes : between_nodes {
  failures_between_nodes() {
    revoked = false;
    communicator_view = {
        .process = [](const void*, std::int32_t rank) { return static_cast<Process>(rank); },
        .has = [](const void*, Process) { return true; },
        .is_revoked = [](const void*) { return revoked; }};
  }
  ~failures_between_nodes() override { communicator_view = {}; }
  void revoke_at(std::uint32_t rank) {
    revoked = true;
    ranks.as(rank, [] {
      note_revoked();
      fail_lost_sends();
    });
  }
  const std::vector<char> out = pattern(1 << 20);
  std::vector<char> in = std::vector<char>(1 << 20);
};

// One thread is about to ask for the data, when another one hears of the loss.
TEST_F(between_nodes, a_receive_that_has_not_asked_yet_ends_once) {
  ranks.as(0, [&] {
    auto& sender = static_cast<RemotePeer&>(*contact(Process{1}));
    receiving.kind = RequestKind::receive;
    receiving.process = Process{1};
    Rendezvous* rendezvous = open_rendezvous(sender, receiving, false);
    receiving.part.begin<NetworkRequest>().rendezvous = rendezvous->number;
    EXPECT_TRUE(note_loss(Process{1}, ECONNRESET));
    end_what_is_lost();
    ASSERT_FALSE(is_complete(receiving));
    submit(sender, receiving);
    EXPECT_TRUE(is_complete(receiving));
    EXPECT_EQ(receiving.error, error_process_failed);
  });
}

TEST_F(failures_between_nodes, a_send_that_waits_for_its_receiver_is_taken_back) {
  ranks.send(0, 1, out.data(), 1 << 20, 1, sending);
  wait_for_unexpected(1, 1);
  revoke_at(0);
  EXPECT_FALSE(is_complete(sending)) << "its receiver may use it until it has answered";
  finish(sending);
  EXPECT_EQ(sending.error, error_revoked);
  EXPECT_FALSE(sending.cancelled);
  ranks.receive(1, 0, in.data(), 1 << 20, 1, receiving);
  ranks.settle();
  EXPECT_FALSE(is_complete(receiving)) << "it met a message that does not exist";
  ranks.cancel(1, receiving);
  finish(receiving);
}

TEST_F(failures_between_nodes, a_send_that_its_receive_has_met_goes_on) {
  Request greeting, greeted;  // then the next envelope leaves at once
  ranks.send(0, 1, out.data(), 8, 1, greeting);
  ranks.receive(1, 0, in.data(), 8, 1, greeted);
  finish(greeting, greeted);
  ranks.receive(1, 0, in.data(), 1 << 20, 1, receiving);
  ranks.send(0, 1, out.data(), 1 << 20, 1, sending);
  revoke_at(0);
  if (is_complete(sending)) {  // the provider had no space for its envelope
    EXPECT_EQ(sending.error, error_revoked);
    ranks.cancel(1, receiving);
    return finish(receiving);
  }
  finish(sending, receiving);
  EXPECT_EQ(sending.error, MPI_SUCCESS);
  EXPECT_EQ(receiving.error, MPI_SUCCESS);
  EXPECT_EQ(in, out);
}

TEST_F(failures_between_nodes, a_receive_that_its_sender_knows_is_taken_back_there_too) {
  Request there, here, back, forth;  // both have met the other
  int one = 1, other = 0;
  ranks.send(0, 1, &one, sizeof one, 1, there);
  ranks.receive(1, 0, &other, sizeof other, 1, here);
  ranks.send(1, 0, &one, sizeof one, 1, back);
  ranks.receive(0, 1, &other, sizeof other, 1, forth);
  finish(there, here, back, forth);
  std::unique_ptr<Request> known;
  for (int tries = 0; tries < 100 && !(known && known->advert); ++tries) {
    if (known) {  // the provider had no space to tell of it
      ranks.cancel(1, *known);
      finish(*known);
    }
    known = std::make_unique<Request>();
    ranks.receive(1, 0, in.data(), 1 << 20, 1, *known);
  }
  ASSERT_NE(known->advert, 0u);
  ranks.settle();
  revoked = true;
  ranks.as(1, [] {
    note_revoked();
    fail_lost_receives();
    fail_lost_receives();
  });
  EXPECT_FALSE(is_complete(*known)) << "its sender may write there until it has answered";
  finish(*known);
  EXPECT_EQ(known->error, error_revoked);
  EXPECT_FALSE(known->cancelled);
  revoked = false;  // a new communicator has the context's number
  std::vector<char> later(out.size());
  ranks.send(0, 1, out.data(), 1 << 20, 1, sending);
  wait_for_unexpected(1, 1);
  ranks.receive(1, 0, later.data(), 1 << 20, 1, receiving);
  finish(sending, receiving);
  EXPECT_EQ(later, out);
  EXPECT_EQ(in, std::vector<char>(out.size()));
}

bool has_ended;  // the job

TEST_F(failures_between_nodes, a_packet_that_does_not_leave_ends_the_job_or_is_a_loss) {
  end_after_lost_message = [] { has_ended = true; };
  const auto lose_packet = [&] { ranks.as(0, [] { lost_packet(Process{1}, ECONNRESET); }); };
  has_ended = false;
  lose_packet();
  EXPECT_TRUE(has_ended);
  has_ended = false;
  ranks.as(0, [] { transport::job().continues = true; });
  ranks.receive(0, 1, in.data(), 8, 1, receiving);
  lose_packet();
  for (int look = 0; look < 1000000 && !is_complete(receiving); ++look) ranks.settle();
  EXPECT_FALSE(has_ended);
  EXPECT_TRUE(is_complete(receiving));
  EXPECT_EQ(receiving.error, error_process_failed);
  end_after_lost_message = nullptr;
}

TEST_F(protocol, a_death_that_another_node_tells_of_fails_what_waits_for_the_dead) {
  Ranks ranks{3, Ranks::Nodes::each};
  communicator_view = {
      .process = [](const void*, std::int32_t rank) { return static_cast<Process>(rank); },
      .has = [](const void*, Process) { return true; }};
  const auto loss_at_first = [&] { return ranks.as(0, [] { return loss_of(Process{2}); }); };
  int of_dead = 0, of_other = 0;
  Request from_other;
  ranks.receive(0, 2, &of_dead, sizeof of_dead, 1, receiving);
  ranks.receive(0, 1, &of_other, sizeof of_other, 1, from_other);
  ranks.as(1, [] {
    EXPECT_TRUE(note_loss(Process{2}, ESRCH));
    engine.protocols[static_cast<int>(PeerKind::network)]->tell_of_death(Process{2});
  });
  for (int look = 0; look < 1000000 && !loss_at_first(); ++look) ranks.settle();
  EXPECT_NE(loss_at_first(), 0);
  EXPECT_TRUE(is_complete(receiving));
  EXPECT_EQ(receiving.error, error_process_failed);
  EXPECT_FALSE(is_complete(from_other));
  const int out = 8;
  ranks.send(1, 0, &out, sizeof out, 1, sending);
  for (int look = 0; look < 1000000 && !is_complete(from_other); ++look) ranks.settle();
  EXPECT_EQ(of_other, 8);
  communicator_view = {};
}

struct three_nodes : protocol {
  three_nodes() {
    communicator_view = {
        .process = [](const void*, std::int32_t rank) { return static_cast<Process>(rank); },
        .has = [](const void*, Process) { return true; }};
  }
  ~three_nodes() override { communicator_view = {}; }
  // Posts a receive of rank 0 whose message waits there already, and looks until the sender has
  // been told where it goes, which it does not see.
  void answer(int source, std::vector<char>& in, Request& receive) {
    ranks.receive(0, source, in.data(), bytes, 1, receive);
    for (int look = 0; look < 1000000 && receive.stage != Stage::streaming; ++look) ranks.step(0);
    ASSERT_EQ(receive.stage, Stage::streaming);
  }
  void wait_for_unexpected(std::uint64_t count) {
    for (int look = 0; look < 1000000 && ranks.unexpected(0) < count; ++look) ranks.settle();
    ASSERT_EQ(ranks.unexpected(0), count);
  }
  static constexpr std::int64_t bytes = 1 << 20;
  Ranks ranks{3, Ranks::Nodes::each};
};

// Its last bytes are still in the kernel's buffers, on their way, when its death is known.
TEST_F(three_nodes, what_one_that_is_lost_has_written_late_does_not_count_for_the_next_receive) {
  const auto out = pattern(bytes);
  std::vector<char> in(out.size()), next_in(out.size());
  Request next_send, next_receive;
  ranks.send(1, 0, out.data(), bytes, 1, sending);
  wait_for_unexpected(1);
  ranks.send(2, 0, out.data(), bytes, 1, next_send);
  wait_for_unexpected(2);
  answer(1, in, receiving);
  const std::uint32_t number = network_part(receiving).rendezvous;
  ranks.as(0, [] { note_death(Process{1}); });
  ASSERT_TRUE(is_complete(receiving));
  EXPECT_EQ(receiving.error, error_process_failed);
  answer(2, next_in, next_receive);
  ranks.as(0, [=] { arrive_network_write(number); });
  EXPECT_FALSE(is_complete(next_receive)) << "nothing of it has come";
  ranks.as(1, [] { note_death(Process{0}); });
  for (int look = 0; look < 1000000 && !is_complete(next_receive); ++look) ranks.settle();
  EXPECT_EQ(next_receive.error, MPI_SUCCESS);
  EXPECT_EQ(next_in, out);
}

struct a_packet_of_several_messages : three_nodes {
  // Lets rank 0 read the first one, which is awaited, and leave what comes behind it in the packet.
  void begin_to_read() {
    for (auto& send : sends) {
      send.heap = true;  // it may wait for others: it does not leave at once
      ranks.send(1, 0, &one, sizeof one, 1, send);
    }
    ranks.step(1);
    for (std::size_t i = 0; i + 1 < count; ++i) {
      Request& receive = receives[i];
      ranks.receive(0, 1, &in, sizeof in, 1, receive);
      for (int look = 0; look < 1000000 && !is_complete(receive); ++look) {
        ranks.step(1);
        ranks.step(0);
      }
      ASSERT_TRUE(is_complete(receive));
    }
    ASSERT_EQ(ranks.unexpected(0), 0u);
  }
  void look_at_rank_0() {
    for (int look = 0; look < 100; ++look) ranks.step(0);
  }
  static constexpr std::size_t count = 5;
  int one = 1, in = 0;
  Request sends[count], receives[count];
};

TEST_F(a_packet_of_several_messages, is_read_no_further_when_its_sender_is_lost) {
  begin_to_read();
  ranks.as(0, [] { note_death(Process{1}); });
  look_at_rank_0();
  EXPECT_EQ(ranks.unexpected(0), 0u) << "its sender was lost before";
  ranks.as(1, [] { note_death(Process{0}); });
}

// Also a packet that is read to its end is still the inbox's: the address sanitizer finds whoever
// asks its sender, which is gone, for the next one.
TEST_F(a_packet_of_several_messages, is_read_no_further_when_its_sender_is_forgotten) {
  begin_to_read();
  ranks.as(0, [] {
    auto* meeting = new Meeting;
    meeting->protocol = engine.protocols[static_cast<int>(PeerKind::network)];
    meeting->first = meeting->count = 1;
    meeting->met = static_cast<Meeting::Met*>(std::calloc(1, sizeof(Meeting::Met)));
    forget_contact(Process{1});
    leave_over_network(*meeting);
  });
  look_at_rank_0();
  EXPECT_EQ(ranks.unexpected(0), 0u) << "its number means nobody, or another process";
  ranks.as(1, [] { note_death(Process{0}); });
}

}  // namespace
}  // namespace baton::message
