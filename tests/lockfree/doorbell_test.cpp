// Sleeping, waking and finding work, over all interleavings: the steps of the engine with the
// shipped doorbell and ring. Senders make contact, publish, and notify; the receiver sleeps without
// a bound.
#include "lockfree/doorbell.hpp"

#include "lockfree/ring.hpp"
#include "tests/lockfree/model/cases.hpp"
#include "tests/lockfree/model/waiting.hpp"

namespace baton::model {
namespace {

constexpr std::uint32_t small = 4;
constexpr int senders_max = 3;

struct Plan {
  int senders, messages_each;
  Ordering ordering;
  int polled_max = 16;  // contacts beyond which doorbells are trusted
  int per_poll = 32;
  int known = 0;  // senders in contact from the beginning
};
struct Shared {
  ModelDoorbell doorbell;
  ModelDoorbell sender_doorbell;
  lockfree::Line<Model> lines[senders_max][small];
  lockfree::ConsumerLines<Model> consumer[senders_max];
};

// The receiver's part of engine.cpp: contacts, the doorbells' bits, and the change to trusting
// them.
struct Receiver {
  Receiver(Shared& its, Plan plan)
      : shared(its),
        ordering(plan.ordering),
        polled_max(plan.polled_max),
        per_poll(plan.per_poll) {}

  bool poll_peer(int sender) {
    int taken = 0;
    for (; taken < per_poll && rings[sender].peek().lap() != 0; ++taken, ++received) {
      check(rings[sender].envelope().tag == next[sender]++, "a message is lost or out of order");
      rings[sender].take(nullptr, 0);
    }
    if (taken == per_poll && doorbells)
      (void)ring_doorbell(shared.doorbell, static_cast<std::uint32_t>(sender));
    return taken > 0;
  }
  void trust_doorbells() {
    doorbells = true;
    announce(shared.doorbell, lockfree::wake_doorbell);
    order_announcement(ordering);
    for (int i = 0; i < contact_count; ++i) poll_peer(contacts[i]);
  }
  bool look_at(int sender) {
    if (!rings[sender].attached()) {
      rings[sender].attach(shared.lines[sender], &shared.consumer[sender]);
      contacts[contact_count++] = sender;
      if (contact_count == polled_max + 1) trust_doorbells();
    }
    return poll_peer(sender);
  }
  bool progress() {
    bool any = false;
    for (std::uint64_t bits = take_doorbells(shared.doorbell, 0); bits; bits &= bits - 1)
      any |= look_at(std::countr_zero(bits));
    if (!doorbells)
      for (int i = 0; i < contact_count; ++i) any |= poll_peer(contacts[i]);
    return any;
  }
  void receive(int messages) {
    wait_until(
        shared.doorbell, ordering, [&] { return received == messages; }, [&] { return progress(); },
        [&] { return doorbells; }, [&] { return state(); });
  }
  std::uint64_t state() const {
    std::uint64_t all = mix(static_cast<std::uint64_t>(contact_count), doorbells);
    for (int s = 0; s < senders_max; ++s)
      all = mix(all, static_cast<std::uint64_t>(contacts[s] << 8 | next[s]));
    return all;
  }

  Shared& shared;
  Ordering ordering;
  int polled_max, per_poll;
  lockfree::ReceiveRing<Model, small> rings[senders_max];
  int contacts[senders_max] = {}, next[senders_max] = {};
  int contact_count = 0, received = 0;
  bool doorbells = false;
};

void send(Shared& shared, std::uint32_t sender, Plan plan) {
  lockfree::SendRing<Model, small> ring;
  ring.attach(shared.lines[sender], &shared.consumer[sender]);
  Mark start = mark();
  if (static_cast<int>(sender) >= plan.known) notify_slow(shared.doorbell, sender);  // contact()
  for (int m = 0; m < plan.messages_each; ++m) {
    // The ring never gets full here, so that all it remembers is how many were sent.
    ring.put(lockfree::make_header(1, 0, 0), {0, m}, nullptr, 0);
    notify(shared.doorbell, sender, plan.ordering);
    forget_all_but(start, static_cast<std::uint64_t>(m));
  }
}

void sleep_and_wake(Stage& stage, Plan plan) {
  auto& shared = stage.shared<Shared>();
  for (int s = 0; s < plan.senders; ++s)
    stage.thread([&, s, plan] { send(shared, static_cast<std::uint32_t>(s), plan); });
  stage.thread([&, plan] {
    Receiver receiver(shared, plan);
    for (int s = 0; s < plan.known; ++s) receiver.look_at(s);
    receiver.receive(plan.senders * plan.messages_each);
  });
}

MODEL_CASE(doorbell, no_wake_up_of_one_sender_is_lost_with_fences) {
  sleep_and_wake(stage, {1, 2, Ordering::fences});
}
MODEL_CASE(doorbell, no_wake_up_of_one_sender_is_lost_with_membarrier) {
  sleep_and_wake(stage, {1, 2, Ordering::membarrier});
}
MODEL_CASE(doorbell, no_wake_up_of_two_known_senders_is_lost_with_fences) {
  sleep_and_wake(stage, {2, 1, Ordering::fences, 16, 32, 2});
}
MODEL_CASE(doorbell, no_wake_up_of_two_known_senders_is_lost_with_membarrier) {
  sleep_and_wake(stage, {2, 1, Ordering::membarrier, 16, 32, 2});
}
MODEL_CASE(doorbell, a_trusting_receiver_finds_all_of_one_sender_with_fences) {
  sleep_and_wake(stage, {1, 2, Ordering::fences, 0, 1});
}
MODEL_CASE(doorbell, a_trusting_receiver_finds_all_of_one_sender_with_membarrier) {
  sleep_and_wake(stage, {1, 2, Ordering::membarrier, 0, 1});
}
MODEL_CASE(doorbell, a_trusting_receiver_finds_all_of_two_known_senders_with_fences) {
  sleep_and_wake(stage, {2, 1, Ordering::fences, 0, 1, 2});
}
MODEL_CASE(doorbell, a_trusting_receiver_finds_all_of_two_known_senders_with_membarrier) {
  sleep_and_wake(stage, {2, 1, Ordering::membarrier, 0, 1, 2});
}

// The second sender makes contact while the first one sends, and is one too many to be polled.
MODEL_CASE(doorbell_at_length, a_receiver_that_begins_to_trust_misses_nobody_with_fences) {
  sleep_and_wake(stage, {2, 1, Ordering::fences, 1, 1, 1});
}
MODEL_CASE(doorbell_at_length, a_receiver_that_begins_to_trust_misses_nobody_with_membarrier) {
  sleep_and_wake(stage, {2, 1, Ordering::membarrier, 1, 1, 1});
}

TEST(doorbell, without_fences_and_membarrier_a_wake_up_is_lost) {
  expect_fails(
      [](Stage& stage) {
        sleep_and_wake(stage, {1, 1, Ordering::none});
      },
      "nobody can go on");
}

// Why a sleep needs a bound: "lazy pointers" tell a sender of a full ring nothing.
TEST(doorbell, a_sender_that_sleeps_on_a_full_ring_is_woken_by_nobody) {
  auto setup = [](Stage& stage) {
    auto& shared = stage.shared<Shared>();
    stage.thread([&] {
      lockfree::SendRing<Model, small> ring;
      ring.attach(shared.lines[0], &shared.consumer[0]);
      for (std::uint32_t i = 0; i < small; ++i)
        ring.put(lockfree::make_header(1, 0, 0), {0, 0}, nullptr, 0);
      wait_until(
          shared.sender_doorbell, Ordering::fences, [&] { return ring.has_space(1); },
          [] { return false; }, [] { return false; }, [] { return 0; });
    });
    stage.thread([&] {
      lockfree::ReceiveRing<Model, small> ring;
      ring.attach(shared.lines[0], &shared.consumer[0]);
      while (ring.peek().lap() == 0) pause();
      ring.take(nullptr, 0);
    });
  };
  expect_fails(setup, "nobody can go on");
}

}  // namespace
}  // namespace baton::model
