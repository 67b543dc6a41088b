#include "message/node/device_receive.hpp"

#include <algorithm>
#include <new>

#include "base/settings.hpp"
#include "message/core/account.hpp"
#include "message/core/outstanding.hpp"
#include "message/core/queue.hpp"
#include "message/core/requests.hpp"
#include "message/node/rendezvous_entries.hpp"
#include "message/node/stream_in.hpp"
#include "transport/move/device_copy.hpp"

namespace baton::message {

namespace {

// Returns whether host memory buffers a message that short.
bool may_buffer(const Request& send) {
  return !send.synchronous && send.bytes <= settings.early_bytes_max;
}

}  // namespace

// A receive whose copy is under way.
struct DeviceReceive {
  DeviceReceive* next;
  Request* receive;
  Process sender;
  std::int32_t slot;
  transport::DeviceCopy copy;
};

std::uint64_t offer_device_memory(NodePeer& peer, const Request& send) {
  if (send.bytes == 0 || send.is_host || !is_of_own_job(peer.process)) return 0;
  const char* data = static_cast<const char*>(send.buffer) + send.datatype->true_lower_bound;
  Reason why = Reason::none;
  std::uint64_t offered =
      transport::device_copies.offer(data, send.bytes, send.datatype->contiguous, &why);
  const bool taken_back = node_part(send).by_device;
  if (offered && may_buffer(send) && (taken_back || buffers_device(peer))) {
    offered = 0;
    why = Reason::device_late;
  }
  // A send that has waited for space was counted before.
  if (why != Reason::none && send.stage == Stage::fresh) count_reason(peer, why, send.bytes);
  return offered;
}

bool buffer_late_send(Request& send) {
  constexpr int term_min = 16, term_max = 1024;  // guess: a copy through the host takes little more
  NodePeer& peer = node_peer(send.process);
  {
    platform::Guard guard(peer.send_lock);
    if (send.stage == Stage::queued) return false;
    if (!node_part(send).by_device || !may_buffer(send) || !withdraw(send)) return true;
    peer.buffered_term =
        static_cast<std::uint16_t>(std::clamp(2 * peer.buffered_term, term_min, term_max));
    peer.buffered_left = peer.buffered_term;
  }
  send.stage = Stage::fresh;
  submit(peer, send);
  return true;
}

bool receive_from_device(const UnexpectedMessage& unexpected, Request& receive) {
  NodePeer& peer = node_peer(unexpected.process);
  const NodeUnexpected& rts = node_part(unexpected);
  Reason why = Reason::device_not_opened;
  transport::DeviceCopy copy;
  auto* data = static_cast<char*>(receive.buffer) + receive.datatype->true_lower_bound;
  const transport::Memory theirs{peer.slot, reinterpret_cast<const void*>(rts.address)};
  auto* made = new (std::nothrow) DeviceReceive;
  if (!made || !transport::device_copies.begin(theirs, rts.device_export(), data, receive.bytes,
                                               receive.datatype->contiguous,
                                               transport::Direction::in, copy, &why)) {
    delete made;
    count_reason(peer, why, receive.bytes);
    return false;
  }
  count_message(peer, Way::device, receive.bytes);
  set_outstanding(receive, receive.bytes);
  *made = {nullptr, &receive, unexpected.process, rts.slot, copy};
  NodeMessages& node = node_of(peer);
  platform::Guard guard(node.device_receives_lock);
  node.device_receives.push(made);
  node.count_device_copies(1u);
  return true;
}

namespace {

void end(DeviceReceive& one, platform::CopyState state) {
  Request& receive = *one.receive;
  NodePeer& peer = node_peer(one.sender);
  set_outstanding(receive, 0);
  // A fault on the device: what can still be read goes through host memory, and who cannot read
  // says so.
  if (state == platform::CopyState::failed) return ask_for_stream(one.sender, one.slot, receive);
  end_entry(peer, one.slot);
  complete(receive, receive.error);
}

// Takes out the oldest receive whose copy is over; null: none is. Copies of a context end in their
// order, so that of each only the first is looked at.
DeviceReceive* take_over(NodeMessages& node, platform::CopyState* state) {
  platform::Guard guard(node.device_receives_lock);
  const void* waits_in = nullptr;
  DeviceReceive* before = nullptr;
  for (DeviceReceive* one = node.device_receives.first; one; before = one, one = one->next) {
    if (one->copy.context == waits_in) continue;
    *state = transport::device_copies.look(one->copy);
    if (*state != platform::CopyState::under_way) {
      node.count_device_copies(~0u);
      return node.device_receives.take_after(before);
    }
    waits_in = one->copy.context;
  }
  return nullptr;
}

}  // namespace

bool advance_device_receives(NodeMessages& node) {
  bool any = false;
  platform::CopyState state;
  while (DeviceReceive* one = take_over(node, &state)) {
    end(*one, state);
    delete one;
    any = true;
  }
  return any;
}

}  // namespace baton::message
