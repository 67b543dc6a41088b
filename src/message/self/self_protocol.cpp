#include "message/self/self_protocol.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>

#include "base/settings.hpp"
#include "datatype/pack.hpp"
#include "message/core/active.hpp"
#include "message/core/deliver.hpp"
#include "message/core/engine.hpp"
#include "message/core/queues.hpp"
#include "message/core/requests.hpp"
#include "message/core/unexpected.hpp"

namespace baton::message {

// An active message; its payload stands behind it.
struct SelfProtocol::Active {
  Active* next;
  transport::Envelope envelope;
  std::size_t bytes;
  char* payload() { return reinterpret_cast<char*>(this + 1); }
};

namespace {

// The receive that a message meets; null: there is none, and it is kept, `buffered`: with its data.
Request* match_or_keep(MatchQueue& queue, UnexpectedMessage& unexpected, Request& send,
                       bool buffered) {
  platform::Guard guard(queue.lock);
  if (Request* receive = take_posted(queue, send.source, send.tag)) return receive;
  if (buffered) {
    unexpected.offered = false;
    datatype::pack(*send.datatype, send.buffer, 0, unexpected.payload(), send.bytes, send.is_host);
  } else {
    send.stage = Stage::offered;
  }
  keep(queue, unexpected);
  return nullptr;
}

Error send_to_self(Request& send) {
  MatchQueue* queue = queue_for(send.context);
  if (!queue) return fail(MPI_ERR_NO_MEM, "no memory to match a message to oneself");
  // Short ones are copied at once, so that the send need not wait for its receive.
  const bool buffered = !send.synchronous && send.bytes <= settings.eager_bytes_max;
  UnexpectedMessage* unexpected = new_unexpected(buffered ? send.bytes : 0);
  if (!unexpected) return fail(MPI_ERR_NO_MEM, "no memory for a message to oneself");
  unexpected->context = send.context;
  unexpected->source = send.source;
  unexpected->tag = send.tag;
  unexpected->process = engine.self;
  unexpected->bytes = send.bytes;
  unexpected->offered = true;
  unexpected->part.begin<Request*>() = &send;
  if (Request* receive = match_or_keep(*queue, *unexpected, send, buffered)) {
    deliver(*unexpected, *receive);  // without the lock: it may be long
  } else if (buffered) {
    complete(send, MPI_SUCCESS);
  }
  return MPI_SUCCESS;
}

}  // namespace

Error SelfProtocol::set_up() {
  engine.sources.make_known(*this);
  return MPI_SUCCESS;
}

SelfProtocol::~SelfProtocol() {
  while (Active* message = first_) {
    first_ = message->next;
    std::free(message);
  }
}

Peer* SelfProtocol::make_peer(Process) {
  return new (std::nothrow) Peer;
}

void SelfProtocol::start(Peer&, Request& send) {
  Tally& tally = sent_[size_class(send.bytes)];
  count(tally.messages);
  count(tally.bytes, static_cast<std::uint64_t>(send.bytes));
  if (Error error = send_to_self(send)) complete(send, error);
}

bool SelfProtocol::put(Peer& peer, Request& request) {
  start(peer, request);
  return true;
}

bool SelfProtocol::put_active(Peer&, transport::Envelope envelope, const void* payload,
                              std::size_t bytes) {
  void* memory = std::malloc(sizeof(Active) + bytes);
  if (!memory) return false;
  auto* message = new (memory) Active{nullptr, envelope, bytes};
  if (bytes) std::memcpy(message->payload(), payload, bytes);
  platform::Guard guard(lock_);
  (first_ ? last_->next : first_) = message;
  last_ = message;
  add(1);
  return true;
}

bool SelfProtocol::arrive(ArrivedLine&) {
  BATON_INVARIANT(!"a line of this process to itself");
  __builtin_unreachable();
}

void SelfProtocol::accept(UnexpectedMessage& unexpected, Request& receive) {
  Request& send = *unexpected.part.as<Request*>();
  datatype::copy(*send.datatype, send.buffer, *receive.datatype, receive.buffer, receive.bytes,
                 send.is_host && receive.is_host);
  complete(receive, receive.error);
  complete(send, MPI_SUCCESS);
}

bool SelfProtocol::take_back_send(Request& send) {
  MatchQueue* queue = queue_for(send.context);
  platform::Guard guard(queue->lock);
  UnexpectedMessage* unexpected = take_wanted(
      *queue, send.source,
      [](const UnexpectedMessage& one, const void* mark) {
        return one.offered && one.process == engine.self && one.part.as<Request*>() == mark;
      },
      &send);
  if (unexpected) free_unexpected(unexpected);
  return unexpected != nullptr;
}

namespace {

using IsDoomed = bool (*)(const Request& send);

void take_back_from(MatchQueue& queue, IsDoomed is_doomed, List<Request>& taken) {
  const auto wanted = [](const UnexpectedMessage& one, const void* mark) {
    return one.offered && one.process == engine.self &&
           (*static_cast<const IsDoomed*>(mark))(*one.part.as<Request*>());
  };
  platform::Guard guard(queue.lock);
  for (std::uint32_t bin = 0; queue.unexpected_count && bin < MatchQueue::bin_count; ++bin)
    while (UnexpectedMessage* unexpected =
               take_wanted(queue, static_cast<std::int32_t>(bin), wanted, &is_doomed)) {
      taken.push(unexpected->part.as<Request*>());
      free_unexpected(unexpected);
    }
}

}  // namespace

void SelfProtocol::take_back_sends(bool (*is_doomed)(const Request& send), List<Request>& taken) {
  platform::Guard guard(engine.queues.lock);
  for (MatchQueues::Leaf* leaf : engine.queues.leaves)
    for (std::uint32_t i = 0; leaf && i < MatchQueues::leaf_contexts; ++i)
      if (MatchQueue* queue = leaf->queues[i]) take_back_from(*queue, is_doomed, taken);
}

void SelfProtocol::report(TrafficRecord& record) const {
  constexpr auto self_class = static_cast<int>(PeerClass::self);
  constexpr auto self_way = static_cast<int>(Way::self);
  std::copy(std::begin(sent_), std::end(sent_), record.tally[self_class][self_way]);
}

bool SelfProtocol::advance() {
  Active* first;
  {
    platform::Guard guard(lock_);
    first = first_;
    first_ = last_ = nullptr;
  }
  for (Active* message = first; message;) {
    Active* next = message->next;
    add(~0u);
    arrive_active(engine.self, message->envelope, message->payload(), message->bytes);
    std::free(message);
    message = next;
  }
  return first != nullptr;
}

}  // namespace baton::message
