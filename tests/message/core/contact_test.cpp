// How peers are met, and what fails then.
#include "message/core/contact.hpp"
#include "message/core/engine.hpp"
#include "message/core/protocol.hpp"
#include "message/core/requests.hpp"
#include "tests/message/ranks.hpp"

namespace baton::message {
namespace {

struct contacts : protocol {};

TEST_F(contacts, a_peer_is_met_once_and_sending_begins_with_the_first_contact) {
  Ranks ranks(2);
  ranks.as(0, [] {
    EXPECT_EQ(known_peer(Process{1}), nullptr);
    Peer* peer = meet(Process{1});
    ASSERT_NE(peer, nullptr);
    EXPECT_EQ(peer->process, Process{1});
    EXPECT_EQ(peer->protocol, &protocol_of(Process{1}));
    EXPECT_EQ(known_peer(Process{1}), peer);
    EXPECT_FALSE(peer->begun);
    EXPECT_EQ(contact(Process{1}), peer);
    EXPECT_TRUE(peer->begun);
    EXPECT_EQ(contact(Process{1}), peer);
    EXPECT_EQ(meet(Process{1}), peer);
  });
}

// A protocol in which the first attempts fail.
struct Failing final : Protocol {
  Peer* make_peer(Process) override { return makes_peers ? new Peer : nullptr; }
  void forget_peer(Peer* peer) override { delete peer; }
  Error begin(Peer&) override { return ++begun > 1 ? MPI_SUCCESS : MPI_ERR_NO_MEM; }
  bool put(Peer&, Request& request) override { return complete(request, MPI_SUCCESS), true; }
  bool put_active(Peer&, transport::Envelope, const void*, std::size_t) override { return true; }
  bool arrive(ArrivedLine&) override { return false; }
  void accept(UnexpectedMessage&, Request&) override {}
  bool take_back_send(Request&) override { return false; }
  bool advance() override { return false; }
  bool makes_peers = false;
  int begun = 0;
};

TEST_F(contacts, what_fails_at_first_contact_fails_the_send_and_is_tried_again) {
  Ranks ranks(2);
  Failing* failing = ranks.as(0, [] {
    auto* one = new Failing;
    engine.protocols[static_cast<int>(PeerKind::test)] = one;
    engine.kind_of = [](Process) { return PeerKind::test; };
    return one;
  });
  Request sends[4];
  ranks.send(0, 1, nullptr, 0, 1, sends[0]);
  EXPECT_EQ(sends[0].error, MPI_ERR_NO_MEM) << "there is no memory for the peer";
  failing->makes_peers = true;
  ranks.send(0, 1, nullptr, 0, 1, sends[1]);
  EXPECT_EQ(sends[1].error, MPI_ERR_NO_MEM) << "nor for the way there";
  for (int i = 2; i < 4; ++i) {
    ranks.send(0, 1, nullptr, 0, 1, sends[i]);
    EXPECT_EQ(sends[i].error, MPI_SUCCESS);
  }
  EXPECT_EQ(failing->begun, 2) << "it is begun once";
  ranks.as(0, [] {
    EXPECT_FALSE(lockfree::wants_attention(*known_peer(Process{1})->doorbell)) << "nobody's";
  });
}

}  // namespace
}  // namespace baton::message
