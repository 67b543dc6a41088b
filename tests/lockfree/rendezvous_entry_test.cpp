// The shipped rendezvous entries over all interleavings: the envelope travels as in the library,
// through a ring.
#include "lockfree/rendezvous_entry.hpp"

#include "lockfree/ring.hpp"
#include "tests/lockfree/model/cases.hpp"

namespace baton::model {
namespace {

using lockfree::entry_state;
using lockfree::make_header;
using lockfree::move_entry;
using lockfree::RendezvousState;
constexpr std::uint32_t small = 4;

struct Shared {
  lockfree::Line<Model> lines[small];
  lockfree::ConsumerLines<Model> consumer;
  lockfree::RendezvousEntry<Model> entries[2];
  alignas(64) char buffer[2][8];
};

struct Sender {
  explicit Sender(Shared& its) : shared(its) { ring.attach(its.lines, &its.consumer); }
  // Fills the slot's buffer and offers it.
  void offer(int slot, char value) {
    Model::store_payload(shared.buffer[slot], &value, 1);
    open_entry(shared.entries[slot]);
    for (Mark round = mark(); !ring.has_space(1);) pause(round);
    ring.put(make_header(2, 0, 0), {0, value}, &slot, sizeof slot);
  }
  // poll_entries of message/node/rendezvous.cpp: the slot is free again, and its buffer the
  // program's.
  void wait_done(int slot) {
    while (entry_state(shared.entries[slot]) != RendezvousState::done) pause();
    char gone = 0;
    Model::store_payload(shared.buffer[slot], &gone, 1);
  }
  // Withdrawn: the buffer is the program's at once, the slot only when the receiver has looked.
  bool withdraw(int slot) {
    if (!move_entry(shared.entries[slot], RendezvousState::offered, RendezvousState::withdrawn))
      return false;
    char gone = 0;
    Model::store_payload(shared.buffer[slot], &gone, 1);
    return true;
  }
  Shared& shared;
  lockfree::SendRing<Model, small> ring;
};

struct Receiver {
  explicit Receiver(Shared& its) : shared(its) { ring.attach(its.lines, &its.consumer); }
  // Takes the next envelope and delivers it, as deliver() of message/core/arrive.cpp: whether it
  // was there.
  bool receive() {
    while (ring.peek().lap() == 0) pause();
    int tag = ring.envelope().tag;
    int slot;
    ring.take(&slot, sizeof slot);
    lockfree::RendezvousEntry<Model>& entry = shared.entries[slot];
    if (!move_entry(entry, RendezvousState::offered, RendezvousState::claimed)) {
      check(move_entry(entry, RendezvousState::withdrawn, RendezvousState::done),
            "neither offered nor withdrawn");
      return false;
    }
    char value;
    Model::load_payload(&value, shared.buffer[slot], 1);
    check(value == tag, "the buffer is not the offered one");
    check(move_entry(entry, RendezvousState::claimed, RendezvousState::done),
          "a claimed entry was changed");
    return true;
  }
  Shared& shared;
  lockfree::ReceiveRing<Model, small> ring;
};

// Both sides copy: share and push_pieces of message/node/pull.cpp. Each byte of the message is a
// piece.
struct SharedCopy {
  lockfree::RendezvousEntry<Model> entry;
  char source[4];
  char target[4];
};

void copy_piece(SharedCopy& shared, lockfree::Piece piece) {
  check(piece.bytes == 1 && piece.begin < 4, "a piece outside of the message");
  char value;
  Model::load_payload(&value, shared.source + piece.begin, 1);
  Model::store_payload(shared.target + piece.begin, &value, 1);
}

// `refused_from`: the sender's kernel refuses its pieces from that one on.
void share_copy(Stage& stage, std::uint64_t bytes, int refused_from) {
  auto& shared = stage.shared<SharedCopy>();
  set_initial(&shared.entry.word, lockfree::entry_word(0, RendezvousState::claimed));
  stage.thread([&, refused_from] {
    for (int pushed = 0;;) {
      Mark round = mark();
      RendezvousState state = entry_state(shared.entry);
      if (state == RendezvousState::done) break;
      lockfree::Piece piece{0, 0};
      if (state == RendezvousState::shared && pushed >= 0)
        piece = lockfree::take_piece(shared.entry, lockfree::Taker::sender);
      if (piece.bytes == 0) {
        pause(round);
      } else if (pushed == refused_from) {
        pushed = -1;
        lockfree::push_refused(shared.entry);
      } else {
        copy_piece(shared, piece);
        lockfree::push_done(shared.entry);
        ++pushed;
      }
    }
    char gone = 0;  // the buffer is the program's
    Model::store_payload(shared.source, &gone, 1);
  });
  stage.thread([&, bytes] {
    lockfree::share_entry(shared.entry, 0, bytes, 1);
    std::uint64_t own = 0;
    for (;; ++own) {
      lockfree::Piece piece = lockfree::take_piece(shared.entry, lockfree::Taker::receiver);
      if (piece.bytes == 0) break;
      copy_piece(shared, piece);
    }
    std::uint64_t of_sender = lockfree::close_pieces(shared.entry) - own;
    for (Mark round = mark();
         lockfree::pushed_pieces(shared.entry) < of_sender && !was_refused(shared.entry);)
      pause(round);
    if (was_refused(shared.entry))
      for (std::uint64_t i = 0; i < bytes; ++i) copy_piece(shared, {i, 1});
    for (std::uint64_t i = 0; i < bytes; ++i) {
      char value;
      Model::load_payload(&value, shared.target + i, 1);
    }
    check(move_entry(shared.entry, RendezvousState::shared, RendezvousState::done),
          "somebody moved it");
  });
}

MODEL_CASE(rendezvous_entry,
           of_a_shared_copy_each_piece_is_copied_once_and_all_are_there_at_the_end) {
  share_copy(stage, 3, -2);
}
MODEL_CASE(rendezvous_entry, a_sender_that_may_not_push_leaves_all_to_the_receiver) {
  share_copy(stage, 2, 0);
}
MODEL_CASE(rendezvous_entry, a_sender_that_may_not_push_any_more_touches_nothing_afterwards) {
  share_copy(stage, 3, 1);
}

bool withdrawn[4], taken[4];

MODEL_CASE(rendezvous_entry, done_is_seen_only_after_the_copy_and_a_slot_is_used_again) {
  auto& shared = stage.shared<Shared>();
  stage.thread([&] {
    Sender sender(shared);
    for (char value = 1; value <= 3; ++value) {
      sender.offer(0, value);
      sender.wait_done(0);
    }
  });
  stage.thread([&] {
    Receiver receiver(shared);
    for (int i = 0; i < 3; ++i) check(receiver.receive(), "an entry that nobody withdrew is gone");
  });
}

MODEL_CASE(rendezvous_entry, two_entries_are_open_at_once) {
  auto& shared = stage.shared<Shared>();
  stage.thread([&] {
    Sender sender(shared);
    sender.offer(0, 1);
    sender.offer(1, 2);
    sender.wait_done(1);
    sender.offer(1, 3);
    sender.wait_done(0);
    sender.wait_done(1);
  });
  stage.thread([&] {
    Receiver receiver(shared);
    for (int i = 0; i < 3; ++i) check(receiver.receive(), "an entry that nobody withdrew is gone");
  });
}

MODEL_CASE(rendezvous_entry,
           a_message_is_either_withdrawn_or_taken_also_when_its_slot_is_used_again) {
  auto& shared = stage.shared<Shared>();
  stage.thread([&] {
    Sender sender(shared);
    for (int i = 0; i < 3; ++i) {
      sender.offer(0, static_cast<char>(i + 1));
      withdrawn[i] = sender.withdraw(0);
      sender.wait_done(0);
    }
  });
  stage.thread([&] {
    Receiver receiver(shared);
    for (bool& it : taken) it = &it - taken < 3 && receiver.receive();
  });
  stage.finally([] {
    for (int i = 0; i < 3; ++i) check(withdrawn[i] != taken[i], "withdrawn and taken, or neither");
  });
}

// With the ring through which the receiver asks for streams.
struct Both {
  Shared forth;
  lockfree::Line<Model> lines[small];
  lockfree::ConsumerLines<Model> consumer;
};

// The receiver asks for a stream and takes that back: arrive_cts and end_done_entries of
// message/node/rendezvous_entries.cpp, take_back_stream of message/node/pull.cpp. One of the two
// copies, and the slot is not used again before its request has come.
int streamed, pulled;
MODEL_CASE(rendezvous_entry,
           what_is_taken_back_is_copied_by_one_side_and_its_slot_used_again_only_then) {
  auto& both = stage.shared<Both>();
  streamed = pulled = 0;
  stage.thread([&] {
    Sender sender(both.forth);
    lockfree::ReceiveRing<Model, small> claims;
    claims.attach(both.lines, &both.consumer);
    auto& entry = both.forth.entries[0];
    for (int i = 0; i < 2; ++i) {
      sender.offer(0, static_cast<char>(i + 1));
      while (claims.peek().lap() == 0) pause();
      check(claims.envelope().tag == i + 1, "the request is another message's");
      claims.take(nullptr, 0);
      if (move_entry(entry, RendezvousState::claimed, RendezvousState::streaming)) {
        ++streamed;
        check(move_entry(entry, RendezvousState::streaming, RendezvousState::done),
              "somebody moved it");
        continue;
      }
      while (entry_state(entry) != RendezvousState::copied) pause();
      char gone = 0;
      Model::store_payload(both.forth.buffer[0], &gone, 1);
    }
  });
  stage.thread([&] {
    Receiver receiver(both.forth);
    lockfree::SendRing<Model, small> claims;
    claims.attach(both.lines, &both.consumer);
    auto& entry = both.forth.entries[0];
    for (int i = 0; i < 2; ++i) {
      while (receiver.ring.peek().lap() == 0) pause();
      receiver.ring.take(nullptr, 0);
      check(move_entry(entry, RendezvousState::offered, RendezvousState::claimed), "not offered");
      const std::uint32_t use = lockfree::entry_use(entry);
      claims.put(make_header(3, 0, 0), {0, i + 1}, nullptr, 0);
      if (!move_entry(entry, use, RendezvousState::claimed, RendezvousState::taken_back)) continue;
      char value;
      Model::load_payload(&value, both.forth.buffer[0], 1);
      check(value == i + 1, "the buffer is the program's already");
      ++pulled;
      check(move_entry(entry, RendezvousState::taken_back, RendezvousState::copied),
            "somebody moved it");
    }
  });
  stage.finally([] { check(streamed + pulled == 2, "a message was copied twice, or not at all"); });
}

// Its stream may be over, and the slot another receiver's, before the first one tries to take it
// back: then it gets nothing.
MODEL_CASE(rendezvous_entry, a_receiver_takes_back_nothing_but_the_use_that_it_has_claimed) {
  struct Three : Both {
    lockfree::Line<Model> other_lines[small];
    lockfree::ConsumerLines<Model> other_consumer;
  };
  auto& all = stage.shared<Three>();
  stage.thread([&] {
    Sender sender(all.forth);
    lockfree::ReceiveRing<Model, small> claims;
    claims.attach(all.lines, &all.consumer);
    lockfree::SendRing<Model, small> other;
    other.attach(all.other_lines, &all.other_consumer);
    auto& entry = all.forth.entries[0];
    sender.offer(0, 1);
    while (claims.peek().lap() == 0) pause();
    claims.take(nullptr, 0);
    const bool streams = move_entry(entry, RendezvousState::claimed, RendezvousState::streaming);
    if (streams) {
      check(move_entry(entry, RendezvousState::streaming, RendezvousState::done),
            "somebody moved it");
      char next = 2;
      Model::store_payload(all.forth.buffer[0], &next, 1);
      open_entry(entry);
    }
    other.put(make_header(2, 0, 0), {0, streams}, nullptr, 0);
  });
  stage.thread([&] {
    Receiver receiver(all.forth);
    lockfree::SendRing<Model, small> claims;
    claims.attach(all.lines, &all.consumer);
    auto& entry = all.forth.entries[0];
    while (receiver.ring.peek().lap() == 0) pause();
    receiver.ring.take(nullptr, 0);
    check(move_entry(entry, RendezvousState::offered, RendezvousState::claimed), "not offered");
    const std::uint32_t use = lockfree::entry_use(entry);
    claims.put(make_header(3, 0, 0), {0, 1}, nullptr, 0);
    if (!move_entry(entry, use, RendezvousState::claimed, RendezvousState::taken_back)) return;
    char value;
    Model::load_payload(&value, all.forth.buffer[0], 1);
    check(value == 1, "it took back the next message");
  });
  stage.thread([&] {
    lockfree::ReceiveRing<Model, small> ring;
    ring.attach(all.other_lines, &all.other_consumer);
    while (ring.peek().lap() == 0) pause();
    const bool streamed = ring.envelope().tag != 0;
    ring.take(nullptr, 0);
    if (!streamed) return;
    auto& entry = all.forth.entries[0];
    check(move_entry(entry, RendezvousState::offered, RendezvousState::claimed), "not offered");
    check(move_entry(entry, RendezvousState::claimed, RendezvousState::done),
          "another receiver has moved it");
  });
}

// As when the receiver asks for a stream: the claim returns through the other ring and the sender
// itself ends the entry.
MODEL_CASE(rendezvous_entry, a_streamed_entry_is_ended_by_the_sender_once_the_claim_has_come) {
  auto& both = stage.shared<Both>();
  stage.thread([&] {
    Sender sender(both.forth);
    lockfree::ReceiveRing<Model, small> claims;
    claims.attach(both.lines, &both.consumer);
    for (int i = 0; i < 2; ++i) {
      sender.offer(0, static_cast<char>(i + 1));
      while (claims.peek().lap() == 0) pause();
      claims.take(nullptr, 0);
      check(move_entry(both.forth.entries[0], RendezvousState::claimed, RendezvousState::streaming),
            "not claimed");
      check(move_entry(both.forth.entries[0], RendezvousState::streaming, RendezvousState::done),
            "somebody moved it");
    }
  });
  stage.thread([&] {
    Receiver receiver(both.forth);
    lockfree::SendRing<Model, small> claims;
    claims.attach(both.lines, &both.consumer);
    for (int i = 0; i < 2; ++i) {
      while (receiver.ring.peek().lap() == 0) pause();
      receiver.ring.take(nullptr, 0);
      check(move_entry(both.forth.entries[0], RendezvousState::offered, RendezvousState::claimed),
            "not offered");
      claims.put(make_header(3, 0, 0), {0, 0}, nullptr, 0);
    }
  });
}

// More than the design needs: however many contend, one of them gets it and reads the whole buffer.
MODEL_CASE(rendezvous_entry, of_two_claims_and_a_withdrawal_one_succeeds) {
  auto& shared = stage.shared<Shared>();
  stage.thread([&] {
    Sender sender(shared);
    sender.offer(0, 1);
    withdrawn[0] = sender.withdraw(0);
  });
  for (int t = 0; t < 2; ++t)
    stage.thread([&, t] {
      while (shared.lines[0].header.load(std::memory_order_acquire) == 0) pause();
      taken[t] = move_entry(shared.entries[0], RendezvousState::offered, RendezvousState::claimed);
      // Who has it may do what he likes with the buffer; two of them would race.
      char mark = 2;
      if (taken[t]) Model::store_payload(shared.buffer[0], &mark, 1);
    });
  stage.finally([] { check(withdrawn[0] + taken[0] + taken[1] == 1, "not exactly one got it"); });
}

}  // namespace
}  // namespace baton::model
