#include "message/node/device_send.hpp"

#include <new>

#include "base/settings.hpp"
#include "message/core/account.hpp"
#include "message/core/notify.hpp"
#include "message/core/outstanding.hpp"
#include "message/core/requests.hpp"
#include "message/node/lease.hpp"
#include "message/node/rendezvous_slots.hpp"
#include "message/node/stream_in.hpp"
#include "message/node/stream_out.hpp"
#include "platform/futex.hpp"
#include "transport/move/device_copy.hpp"

namespace baton::message {

// A send to its receiver's device memory.
struct DeviceSend {
  enum class Step : std::uint8_t {
    waits,   // another thread still writes the early bytes
    copies,  // a copy is under way
    copied,  // all is there, and the receiver is to hear of it
  };
  DeviceSend* next;
  Request* send;
  CtsLine line;
  Step step;
  transport::DeviceCopy copy;
};

std::uint64_t publish_device_memory(NodePeer& sender, const Request& receive,
                                    std::int64_t position) {
  if (receive.is_host || !is_of_own_job(sender.process)) return 0;
  if (receive.bytes - position < settings.device_bytes_min || receive.bytes == position) return 0;
  Reason why = Reason::none;
  const char* data = static_cast<const char*>(receive.buffer) + receive.datatype->true_lower_bound;
  const std::uint64_t published =
      transport::device_copies.offer(data, receive.bytes, receive.datatype->contiguous, &why);
  if (why != Reason::none) count_reason(sender, why, receive.bytes);
  return published;
}

void arrive_device_sent(NodePeer& sender, const DeviceSentLine& line) {
  Request& receive = receive_of(node_of(sender), line.stream);
  count_message(sender, Way::device, receive.bytes);
  end_stream_in(receive, receive.error);
}

void start_device_send(NodePeer& receiver, Request& send, const CtsLine& line) {
  constexpr std::uint8_t likely = 8;  // guess
  platform::store_shared(receiver.for_device, likely);
  auto* made = new (std::nothrow) DeviceSend{nullptr, &send, line, DeviceSend::Step::waits, {}};
  if (!made) return start_stream_out(send);
  send.stage = Stage::streaming;
  NodeMessages& node = node_of(receiver);
  node.device_sends.push(made);
  node.count_device_copies(1u);
}

namespace {

using Step = DeviceSend::Step;

// False: the data goes through host memory.
bool begin(NodePeer& receiver, DeviceSend& one) {
  Request& send = *one.send;
  // The receiver takes the early bytes out of staging by itself.
  let_lease_go(send);
  node_part(send).span = {};
  node_part(send).new_buffer = false;
  char* data = static_cast<char*>(send.buffer) + send.datatype->true_lower_bound;
  Reason why = Reason::none;
  one.step = Step::copies;
  const bool begun = transport::device_copies.begin(
      {receiver.slot, reinterpret_cast<const void*>(one.line.address)}, one.line.device_export,
      data + one.line.position, one.line.limit - one.line.position, send.datatype->contiguous,
      transport::Direction::out, one.copy, &why);
  if (!begun) count_reason(receiver, why, send.bytes);
  return begun;
}

bool tell_receiver(NodePeer& receiver, const DeviceSend& one) {
  platform::Guard guard(receiver.send_lock);
  if (receiver.queued.first || !receiver.link->has_space(1)) return false;
  const DeviceSentLine line{one.line.stream};
  if (!put_line(receiver, NodeLine::device_sent, 0, {0, 0}, &line, sizeof line)) return false;
  notify(receiver);
  return true;
}

void end(Request& send) {
  end_streamed_entry(send);
  set_outstanding(send, 0);
  complete(send, send.error);
}

enum class Outcome : std::uint8_t { goes_on, is_told, streams };

Outcome advance(NodePeer& receiver, DeviceSend& one) {
  if (one.step == Step::waits) {
    if (is_filling(*one.send)) return Outcome::goes_on;
    if (!begin(receiver, one)) return Outcome::streams;
  }
  if (one.step == Step::copies) {
    const platform::CopyState state = transport::device_copies.look(one.copy);
    if (state == platform::CopyState::under_way) return Outcome::goes_on;
    if (state == platform::CopyState::failed) return Outcome::streams;
    one.step = Step::copied;
  }
  return tell_receiver(receiver, one) ? Outcome::is_told : Outcome::goes_on;
}

// Takes out the entry behind another one, or the first.
void drop(NodeMessages& node, DeviceSend* before) {
  delete node.device_sends.take_after(before);
  node.count_device_copies(~0u);
}

}  // namespace

bool advance_device_sends(NodeMessages& node) {
  bool any = false;
  DeviceSend* before = nullptr;
  for (DeviceSend* one = node.device_sends.first; one;) {
    DeviceSend* next = one->next;
    Request& send = *one->send;
    const Outcome outcome = advance(node_peer(send.process), *one);
    if (outcome == Outcome::goes_on) {
      before = one;
    } else {
      any = true;
      drop(node, before);
      if (outcome == Outcome::is_told) end(send);
      if (outcome == Outcome::streams) start_stream_out(send);
    }
    one = next;
  }
  return any;
}

void drop_device_sends(NodePeer& receiver) {
  NodeMessages& node = node_of(receiver);
  DeviceSend* before = nullptr;
  for (DeviceSend* one = node.device_sends.first; one;) {
    DeviceSend* next = one->next;
    if (one->send->process == receiver.process) {
      // The program may give its data up once the send has failed.
      while (one->step == Step::copies &&
             transport::device_copies.look(one->copy) == platform::CopyState::under_way)
        platform::pause_cpu();
      drop(node, before);
    } else {
      before = one;
    }
    one = next;
  }
}

}  // namespace baton::message
