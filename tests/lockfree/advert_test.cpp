// The shipped adverts over all interleavings, with the ring that carries the envelopes: as
// message/node/receiver_initiated.cpp and message/core/arrive.cpp use them.
#include "lockfree/advert.hpp"

#include "lockfree/ring.hpp"
#include "tests/lockfree/model/cases.hpp"

namespace baton::model {
namespace {

using lockfree::AdvertState;
using lockfree::make_header;
using lockfree::move_advert;
constexpr std::uint32_t small = 4;
constexpr unsigned ordinary = 1, redirected = 2;

struct Shared {
  lockfree::Line<Model> lines[small];
  lockfree::ConsumerLines<Model> consumer;
  lockfree::Advert<Model> adverts[2];  // number n in place n % 2
  alignas(64) char buffer[2][8];
  alignas(64) char place_memory[8];
};

struct Sender {
  explicit Sender(Shared& its) : shared(its) { ring.attach(its.lines, &its.consumer); }
  lockfree::Advert<Model>& place(std::uint64_t number) { return shared.adverts[number % 2]; }

  void send_ordinary(char value) {
    ring.put(make_header(ordinary, 1, 0), {0, 0}, &value, 1);
    others_end = ring.sent_lines();
  }
  // Claims the first open advert from `number` on; 0 when there is none.
  lockfree::AdvertView claim(std::uint64_t number) {
    if (!ring.has_adverts() || !ring.has_taken(others_end)) return {};
    char memory;
    Model::load_payload(&memory, shared.place_memory, 1);
    for (;; ++number) {
      lockfree::AdvertView advert = lockfree::view_advert(place(number));
      if (advert.number < number) return {};
      if (advert.number > number || advert.state != AdvertState::open) continue;
      return move_advert(place(number), number, AdvertState::open, AdvertState::claimed)
                 ? advert
                 : lockfree::AdvertView{};
    }
  }
  void push(const lockfree::AdvertView& advert, char value) {
    check(advert.target < 2 && advert.bytes == 1, "the fields of another advert");
    Model::store_payload(shared.buffer[advert.target], &value, 1);
  }
  void send(std::uint64_t first, char value) {
    lockfree::AdvertView advert = claim(first);
    if (advert.number == 0) return send_ordinary(value);
    push(advert, value);
    ring.put(make_header(redirected, 0, 0), {0, 0}, &advert.number, sizeof advert.number);
  }
  Shared& shared;
  lockfree::SendRing<Model, small> ring;
  std::uint64_t others_end = 0;
};

struct Receiver {
  explicit Receiver(Shared& its) : shared(its) { ring.attach(its.lines, &its.consumer); }
  lockfree::Advert<Model>& place(std::uint64_t number) { return shared.adverts[number % 2]; }

  // A receive into a buffer of its own; the program wrote there before.
  void post(std::uint64_t number, std::uint64_t buffer) {
    char before = 0;
    Model::store_payload(shared.buffer[buffer], &before, 1);
    lockfree::open_advert(place(number), number, buffer, 1, 0, 0);
  }
  void announce() {
    char memory = 1;
    Model::store_payload(shared.place_memory, &memory, 1);
    ring.announce_adverts();
  }
  bool cancel(std::uint64_t number) {
    return move_advert(place(number), number, AdvertState::open, AdvertState::closed);
  }
  // Takes a message in for the receive that is first in line.
  void take(std::uint64_t number, std::uint64_t buffer, char expected) {
    while (ring.peek().lap() == 0) pause();
    if (ring.peek().kind() == redirected) {
      std::uint64_t named;
      ring.read(&named, sizeof named);
      check(named == number, "a message went into a receive that was not its turn");
      check(move_advert(place(number), number, AdvertState::claimed, AdvertState::closed),
            "what was pushed had not been claimed");
      ring.take(nullptr, 0);
    } else {
      check(move_advert(place(number), number, AdvertState::open, AdvertState::closed),
            "the receive that a message matches was claimed for another");
      char value;
      ring.read(&value, 1);
      Model::store_payload(shared.buffer[buffer], &value, 1);
      ring.take(nullptr, 0);
    }
    char value;
    Model::load_payload(&value, shared.buffer[buffer], 1);
    check(value == expected, "not the message that is due");
  }
  Shared& shared;
  lockfree::ReceiveRing<Model, small> ring;
};

// Two receives, two messages.
void receive_two(Shared& shared) {
  Receiver receiver(shared);
  receiver.announce();
  receiver.post(1, 0);
  receiver.post(2, 1);
  receiver.take(1, 0, 1);
  receiver.take(2, 1, 2);
}

MODEL_CASE(advert, messages_go_in_order_into_receives_whatever_way_they_take) {
  auto& shared = stage.shared<Shared>();
  stage.thread([&] {
    Sender sender(shared);
    sender.send_ordinary(1);
    sender.send(1, 2);
  });
  stage.thread([&] { receive_two(shared); });
}

MODEL_CASE(advert, two_messages_may_be_on_their_way_into_two_receives) {
  auto& shared = stage.shared<Shared>();
  stage.thread([&] {
    Sender sender(shared);
    sender.send(1, 1);
    sender.send(1, 2);
  });
  stage.thread([&] { receive_two(shared); });
}

MODEL_CASE(advert, a_cancelled_receive_is_the_programs_and_its_place_is_used_again) {
  auto& shared = stage.shared<Shared>();
  stage.thread([&] {
    Sender sender(shared);
    sender.send(1, 5);
  });
  stage.thread([&] {
    Receiver receiver(shared);
    receiver.announce();
    receiver.post(1, 0);
    if (!receiver.cancel(1)) return receiver.take(1, 0, 5);
    char mine = 9;
    Model::store_payload(shared.buffer[0], &mine, 1);
    receiver.post(3, 1);
    receiver.take(3, 1, 5);
  });
}

// The kernel refuses a part of the way: the advert is as before, the message goes another way.
MODEL_CASE(advert, what_was_claimed_in_vain_may_be_cancelled_or_matched) {
  auto& shared = stage.shared<Shared>();
  stage.thread([&] {
    Sender sender(shared);
    lockfree::AdvertView advert = sender.claim(1);
    if (advert.number) {
      sender.push(advert, 4);
      check(move_advert(sender.place(1), 1, AdvertState::claimed, AdvertState::open),
            "somebody moved what was claimed");
    }
    sender.send_ordinary(6);
  });
  stage.thread([&] {
    Receiver receiver(shared);
    receiver.announce();
    receiver.post(1, 0);
    if (!receiver.cancel(1)) return receiver.take(1, 0, 6);
    char mine = 9;
    Model::store_payload(shared.buffer[0], &mine, 1);
  });
}

}  // namespace
}  // namespace baton::model
