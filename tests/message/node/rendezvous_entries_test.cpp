// Rendezvous entries: sends that wait in a slot until their receivers have come.
#include "message/node/rendezvous_entries.hpp"
#include "message/core/engine.hpp"

#include <cerrno>
#include <optional>
#include <vector>

#include "base/failure_class.hpp"
#include "message/core/contact.hpp"
#include "message/core/loss.hpp"
#include "message/core/protocol.hpp"
#include "message/core/queues.hpp"
#include "message/core/requests.hpp"
#include "message/core/unexpected.hpp"
#include "message/node/rendezvous_slots.hpp"
#include "tests/message/other_thread.hpp"
#include "tests/message/ranks.hpp"

namespace baton::message {
namespace {

using lockfree::RendezvousState;

struct rendezvous_entries : protocol {
  static constexpr std::int64_t bytes = 100000;
  rendezvous_entries() { settings.pipeline_early = 0; }  // nothing leaves before it is matched
  static std::uint32_t slot_of(const Request& send) { return node_part(send).slot; }
  RendezvousState state(std::uint32_t slot) {
    return ranks.as(0, [&] { return lockfree::entry_state(own_entry(node(), slot)); });
  }
  std::uint32_t open() {
    return ranks.as(0, [] { return node().open_entries; });
  }
  std::uint32_t withdrawn() {
    return ranks.as(0, [] { return node().withdrawn_entries; });
  }
  void send(Request& request, int tag = 1) {
    ranks.send(0, 1, out.data(), bytes, tag, request);
    EXPECT_EQ(request.stage, Stage::offered);
  }
  void receive(Request& request, int tag = 1) {
    std::fill(in.begin(), in.end(), 0);
    ranks.receive(1, 0, in.data(), bytes, tag, request);
  }
  // All that rank 1 can do alone.
  void let_receive() {
    while (ranks.step(1)) {
    }
  }
  std::vector<char> out = pattern(bytes), in = std::vector<char>(bytes);
  Ranks ranks{2};
};

TEST_F(rendezvous_entries, a_slot_is_open_until_its_sender_has_seen_that_the_message_was_taken) {
  send(sending);
  EXPECT_EQ(state(slot_of(sending)), RendezvousState::offered);
  EXPECT_EQ(open(), 1u);
  ranks.settle();
  EXPECT_FALSE(ranks.as(0, [&] { return is_entry_taken(sending); }));
  ranks.as(0, [] { EXPECT_FALSE(all_have_left()); });
  receive(receiving);
  let_receive();
  EXPECT_TRUE(is_complete(receiving));
  EXPECT_EQ(in, out);
  EXPECT_EQ(state(slot_of(sending)), RendezvousState::done);
  EXPECT_TRUE(ranks.as(0, [&] { return is_entry_taken(sending); }));
  EXPECT_EQ(open(), 1u);
  EXPECT_FALSE(is_complete(sending));
  EXPECT_TRUE(ranks.step(0));
  EXPECT_EQ(open(), 0u);
  EXPECT_TRUE(is_complete(sending));
  ranks.as(0, [] { EXPECT_TRUE(all_have_left()); });
}

TEST_F(rendezvous_entries, that_are_open_have_slots_of_their_own_and_the_lowest_free_one_is_next) {
  constexpr int count = 70;  // more than a page
  Request sends[count];
  for (int i = 0; i < count; ++i) {
    send(sends[i], i);
    EXPECT_EQ(slot_of(sends[i]), static_cast<std::uint32_t>(i));
  }
  ranks.as(0, [] { EXPECT_EQ(node().slots.in_use, 2u); });
  for (int i : {3, 67}) {
    Request request;
    receive(request, i);
    ranks.settle();
    ASSERT_TRUE(is_complete(sends[i]) && is_complete(request));
    EXPECT_EQ(in, out);
  }
  Request again[3];
  const std::uint32_t expected[3] = {3, 67, 70};
  for (int i = 0; i < 3; ++i) {
    send(again[i], 100);
    EXPECT_EQ(slot_of(again[i]), expected[i]);
  }
  for (int i = 0; i < count; ++i) {
    if (i == 3 || i == 67) continue;
    Request request;
    receive(request, i);
    ranks.settle();
    EXPECT_TRUE(is_complete(sends[i]) && is_complete(request)) << i;
  }
  for (Request& one : again) {
    Request request;
    receive(request, 100);
    ranks.settle();
    EXPECT_TRUE(is_complete(one));
  }
  EXPECT_EQ(open(), 0u);
}

TEST_F(rendezvous_entries, one_that_is_withdrawn_keeps_its_slot_until_its_receiver_has_looked) {
  send(sending);
  const std::uint32_t slot = slot_of(sending);
  ranks.settle();  // the envelope waits there
  ranks.cancel(0, sending);
  EXPECT_TRUE(is_complete(sending) && sending.cancelled);
  EXPECT_EQ(state(slot), RendezvousState::withdrawn);
  EXPECT_EQ(open(), 1u);
  EXPECT_EQ(withdrawn(), 1u);
  ranks.as(0, [] {
    EXPECT_TRUE(all_have_left()) << "nobody need ever look";
    EXPECT_EQ(engine.outstanding_bytes, 0);
  });
  Request next;
  send(next);
  EXPECT_NE(slot_of(next), slot);
  receive(receiving);
  let_receive();
  EXPECT_TRUE(is_complete(receiving));
  EXPECT_EQ(state(slot), RendezvousState::done);
  ranks.settle();
  EXPECT_TRUE(is_complete(next));
  EXPECT_EQ(open(), 0u);
  EXPECT_EQ(withdrawn(), 0u);
  Request third;
  send(third);
  EXPECT_EQ(slot_of(third), slot);
  Request request;
  receive(request);
  ranks.settle();
  EXPECT_TRUE(is_complete(third));
}

TEST_F(rendezvous_entries, one_that_was_claimed_cannot_be_withdrawn) {
  receive(receiving);
  send(sending);
  let_receive();
  ranks.as(0, [&] { EXPECT_FALSE(withdraw(sending)); });
  ranks.settle();
  EXPECT_TRUE(is_complete(sending));
  Request next;
  send(next);
  EXPECT_EQ(slot_of(next), slot_of(sending));
  ranks.as(0, [&] { EXPECT_FALSE(withdraw(sending)) << "its slot is another's by now"; });
  EXPECT_EQ(state(slot_of(next)), RendezvousState::offered);
  EXPECT_EQ(withdrawn(), 0u);
  ranks.cancel(0, next);
}

TEST_F(rendezvous_entries, one_that_is_claimed_stays_its_receivers_and_a_withdrawn_one_is_dropped) {
  for (const bool withdraws : {false, true}) {
    Request request;
    send(request);
    ranks.settle();
    if (withdraws) ranks.cancel(0, request);
    ranks.as(1, [&] {
      UnexpectedMessage* message = take_unexpected(*queue_for(Ranks::context_id), 0, 1);
      ASSERT_NE(message, nullptr);
      EXPECT_EQ(is_entry_withdrawn(*message), withdraws);
      EXPECT_EQ(claim_entry(*message), !withdraws);  // a withdrawn one is gone
      if (withdraws) return;
      EXPECT_TRUE(message->claimed);
      end_entry(node_peer(message->process), node_part(*message).slot);
      free_unexpected(message);
    });
    EXPECT_EQ(state(slot_of(request)), RendezvousState::done);
    ranks.settle();
    EXPECT_TRUE(is_complete(request));
    EXPECT_EQ(open(), 0u);
  }
}

TEST_F(rendezvous_entries, a_message_without_a_slot_has_nothing_to_end) {
  send(sending);
  ranks.as(1, [] {
    ASSERT_NE(meet(Process{0}), nullptr);
    end_entry(node_peer(Process{0}), no_slot);
  });
  EXPECT_EQ(state(slot_of(sending)), RendezvousState::offered);
  ranks.settle();
  ranks.cancel(0, sending);
}

TEST_F(rendezvous_entries, that_are_abandoned_are_counted_no_more) {
  ranks.as(0, [&] {
    ASSERT_NE(meet(Process{1}), nullptr);
    sending.process = receiving.process = Process{1};
    sending.bytes = 5000;
    const int slot = open_slot(sending);
    ASSERT_EQ(slot, 0);
    EXPECT_EQ(send_of(node(), 0), &sending);
    EXPECT_EQ(engine.outstanding_bytes, 5000);
    abandon_slot(node(), 0);
    EXPECT_EQ(node().open_entries, 0u);
    EXPECT_EQ(engine.outstanding_bytes, 0);
    EXPECT_EQ(send_of(node(), 0), nullptr);
    EXPECT_EQ(open_slot(receiving), 0);
    abandon_slot(node(), 0);
  });
}

TEST_F(rendezvous_entries, of_many_pages_a_poll_looks_at_a_part_but_all_are_found) {
  constexpr int count = 64 * 20;
  ranks.network.space = count;
  std::vector<Request> sends(count), receives(count);
  for (int i = 0; i < count; ++i) ranks.send(0, 1, out.data(), bytes, 1, sends[i]);
  for (int i = 0; i < count; ++i) ranks.receive(1, 0, in.data(), bytes, 1, receives[i]);
  let_receive();
  EXPECT_TRUE(is_complete(receives[count - 1]));
  EXPECT_TRUE(ranks.step(0));
  EXPECT_EQ(open(), 64u * 4);
  EXPECT_TRUE(ranks.step(0));
  EXPECT_EQ(open(), 0u);
}

TEST_F(rendezvous_entries, who_is_about_to_sleep_looks_at_all) {
  constexpr int count = 64 * 20;
  ranks.network.space = count;
  std::vector<Request> sends(count), receives(count);
  for (int i = 0; i < count; ++i) ranks.send(0, 1, out.data(), bytes, 1, sends[i]);
  for (int i = 0; i < count; ++i) ranks.receive(1, 0, in.data(), bytes, 1, receives[i]);
  let_receive();
  ranks.as(0, [] { engine.about_to_sleep = true; });
  ranks.step(0);
  EXPECT_EQ(open(), 0u);
  ranks.as(0, [] { engine.about_to_sleep = false; });
}

TEST_F(rendezvous_entries, that_find_no_space_end_once_where_another_thread_hears_of_a_death) {
  communicator_view.process = [](const void*, std::int32_t rank) {
    return static_cast<Process>(rank);
  };
  const Threads several;
  std::optional<OtherThread> makes_progress;
  ranks.network.at_put = [&] {
    makes_progress.emplace([] {
      EXPECT_TRUE(note_loss(Process{1}, ESRCH));
      end_what_is_lost();
    });
    ranks.network.space = 0;
  };
  ranks.as(0, [&] {
    begin_send(ranks.context(0), out.data(), bytes, Ranks::byte(), 1, 1, false, sending);
    makes_progress->join();
  });
  ranks.step(0);
  EXPECT_TRUE(is_complete(sending));
  EXPECT_EQ(sending.error, error_process_failed);
  EXPECT_EQ(open(), 0u);
  communicator_view = {};
}

TEST_F(rendezvous_entries, are_judged_while_no_other_thread_ends_them) {
  send(sending);
  const Threads several;
  ranks.as(0, [&] {
    List<Request> taken;
    withdraw_all(
        node(),
        [](const Request&) {
          EXPECT_TRUE(node().slots.lock.is_held());
          return true;
        },
        taken);
    EXPECT_EQ(taken.first, &sending);
  });
}

}  // namespace
}  // namespace baton::message
