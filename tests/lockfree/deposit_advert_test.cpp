// The shipped adverts of the deposit models over all interleavings, with the ring beside which they
// lie, in the steps of message/deposit_model*.cpp.
#include "lockfree/deposit_advert.hpp"

#include "lockfree/deposit_ring.hpp"
#include "tests/lockfree/model/cases.hpp"

namespace baton::model {
namespace {

using lockfree::DepositAdvertState;
using lockfree::DepositHeader;
using lockfree::DepositTarget;
using lockfree::move_deposit_advert;
constexpr std::uint64_t small_bytes = 6 * 64;

struct Shared {
  lockfree::DepositHead<Model> head;
  lockfree::DepositAdvert<Model> advert;
  alignas(64) char ring[small_bytes];
  alignas(64) char buffer[8];  // the program's, of every receive
};

struct Sender {
  explicit Sender(Shared& its) : shared(its) { ring.attach(its.ring, small_bytes, &its.head, {}); }
  // Claims what is open, if all before is consumed; what it says is of one and the same advert.
  DepositTarget claim() {
    if (!ring.all_consumed()) return {};
    DepositTarget target = view_deposit_advert(shared.advert);
    if (!target.number ||
        !move_deposit_advert(shared.advert, target.number, DepositAdvertState::open,
                             DepositAdvertState::claimed))
      return {};
    check(target.address == 8 * target.number && target.bytes == target.number &&
              target.context == 7 && target.tag == static_cast<std::int32_t>(target.number),
          "the fields are of another advert");
    return target;
  }
  void send(char value) {
    std::uint64_t piece = 0;
    for (Mark round = mark(); !ring.make_room(1, &piece);) pause(round);
    DepositHeader header{.message_bytes = 1, .bytes = 1};
    header.redirected = claim().number > 0;
    Model::store_payload(header.redirected ? shared.buffer : ring.payload(), &value, 1);
    ring.end(header);
  }
  Shared& shared;
  lockfree::DepositSender<Model> ring;
};

struct Receiver {
  explicit Receiver(Shared& its) : shared(its) {
    ring.attach(its.ring, small_bytes, &its.head, {});
  }
  // The program has used the buffer, and posts it again.
  void post() {
    char old = 0;
    Model::store_payload(shared.buffer, &old, 1);
    ++number;
    open_deposit_advert(shared.advert,
                        {number, 8 * number, number, 7, static_cast<std::int32_t>(number)});
  }
  bool close() {
    return move_deposit_advert(shared.advert, number, DepositAdvertState::open,
                               DepositAdvertState::closed);
  }
  // Takes the next message, which matches what is posted; the value it brings.
  char receive() {
    DepositHeader header;
    for (Mark round = mark(); !ring.peek(&header);) pause(round);
    if (header.redirected) {
      check(move_deposit_advert(shared.advert, number, DepositAdvertState::claimed,
                                DepositAdvertState::closed),
            "it was redirected to another receive");
    } else {
      check(close(), "what matched a message was claimed for the next");
      char value;
      Model::load_payload(&value, ring.payload(), 1);
      Model::store_payload(shared.buffer, &value, 1);
    }
    ring.take(header);
    char value;
    Model::load_payload(&value, shared.buffer, 1);
    return value;
  }
  Shared& shared;
  lockfree::DepositReceiver<Model> ring;
  std::uint64_t number = 0;
};

MODEL_CASE(deposit_advert, redirected_or_not_messages_come_in_order_to_the_receives_in_order) {
  auto& shared = stage.shared<Shared>();
  stage.thread([&] {
    Sender sender(shared);
    for (char value = 1; value <= 4; ++value) sender.send(value);
  });
  stage.thread([&] {
    Receiver receiver(shared);
    for (char value = 1; value <= 4; ++value) {
      receiver.post();
      check(receiver.receive() == value, "it is another message");
    }
  });
}

// Cancelled, the buffer is the program's at once, and the message comes through the ring.
MODEL_CASE(deposit_advert, a_receive_is_cancelled_or_redirected_to_never_both) {
  auto& shared = stage.shared<Shared>();
  stage.thread([&] {
    Sender sender(shared);
    sender.send(1);
  });
  stage.thread([&] {
    Receiver receiver(shared);
    receiver.post();
    bool cancelled = receiver.close();
    char used = 0;
    if (cancelled) {
      Model::store_payload(shared.buffer, &used, 1);
      receiver.post();
    }
    check(receiver.receive() == 1, "the message is lost");
  });
}

// The sender's kernel refused part of the copy: the advert is open again, and can be cancelled.
MODEL_CASE(deposit_advert, what_was_claimed_in_vain_is_the_receivers_again_after_all_writes) {
  auto& shared = stage.shared<Shared>();
  stage.thread([&] {
    Sender sender(shared);
    DepositTarget target = sender.claim();
    if (!target.number) return;
    char part = 1;
    Model::store_payload(shared.buffer, &part, 1);
    check(move_deposit_advert(shared.advert, target.number, DepositAdvertState::claimed,
                              DepositAdvertState::open),
          "somebody took it away");
  });
  stage.thread([&] {
    Receiver receiver(shared);
    receiver.post();
    char used = 2;
    for (Mark round = mark(); !receiver.close();) pause(round);
    Model::store_payload(shared.buffer, &used, 1);
  });
}

}  // namespace
}  // namespace baton::model
