#include "message/core/active.hpp"
#include "message/core/contact.hpp"
#include "message/core/engine.hpp"
#include "message/core/queues.hpp"
#include "message/core/unexpected.hpp"
#include "message/network/advert.hpp"
#include "message/network/rendezvous.hpp"
#include "message/network/take_back.hpp"

namespace baton::message {

namespace {

// A message by its sender and the number it has there.
struct Offered {
  Process sender;
  std::uint32_t number;
};

bool is_offered(const UnexpectedMessage& one, const void* mark) {
  const auto& wanted = *static_cast<const Offered*>(mark);
  return one.offered && one.process == wanted.sender && network_part(one).send == wanted.number;
}

void give_send_back(Process sender, TakeBackLine line) {
  MatchQueue* queue = queue_for(line.context);
  const Offered offered{sender, line.number};
  UnexpectedMessage* unexpected = nullptr;
  if (queue) {
    platform::Guard guard(queue->lock);
    unexpected = take_wanted(*queue, line.source, is_offered, &offered);
  }
  if (!unexpected) return;  // matched: the message goes its way
  drop_unexpected(*unexpected);
  line.what = TakeBack::send_given;
  tell(sender, line);
}

// Not if it is used already. False: what has waited for space until now must leave before.
bool give_advert_back(RemotePeer& receiver, TakeBackLine line) {
  platform::Guard guard(receiver.send_lock);
  if (receiver.queued.first) return false;
  KnownAdverts& known = receiver.adverts.known;
  if (!known.has(line.number)) return true;
  line.what = TakeBack::advert_given;
  constexpr auto kind = static_cast<std::uint32_t>(ActiveKind::network_cancel);
  if (!receiver.protocol->put_active(receiver, {kind, 0}, &line, sizeof line)) return false;
  known.drop(line.number);
  return true;
}

void take_advert_back(const TakeBackLine& line) {
  auto* receiver =
      static_cast<RemotePeer*>(contact(process_of(line.receiver)));  // we may never have sent there
  if (!receiver || !give_advert_back(*receiver, line)) tell(engine.self, line);
}

void arrive_take_back(const ActiveMessage& message) {
  TakeBackLine line;
  std::memcpy(&line, message.payload, sizeof line);
  switch (line.what) {
    case TakeBack::send:
      return give_send_back(message.sender, line);
    case TakeBack::send_given:
      return end_cancelled_send(line.number, message.sender);
    case TakeBack::advert:
      return take_advert_back(line);
    case TakeBack::advert_given:
      return arrive_given_advert(remote_peer(message.sender), line.number);
    case TakeBack::advert_refused:
      return arrive_refused_advert(remote_peer(message.sender), line.number);
  }
}

}  // namespace

void begin_cancelling() {
  handle_active(ActiveKind::network_cancel, arrive_take_back);
}

void ask_to_cancel(Request& send) {
  tell(send.process,
       {TakeBack::send, network_part(send).rendezvous, send.context, send.source, {}});
}

void ask_to_withdraw(Request& receive) {
  network_part(receive).asked = true;
  tell(receive.process,
       {TakeBack::advert, static_cast<std::uint32_t>(receive.advert), 0, 0, id_of(engine.self)});
}

}  // namespace baton::message
