#include "message/node/node_protocol.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>

#include "base/failure_class.hpp"
#include "base/settings.hpp"
#include "message/core/account.hpp"
#include "message/core/arrive.hpp"
#include "message/core/deliver.hpp"
#include "message/core/engine.hpp"
#include "message/core/lanes.hpp"
#include "message/core/loss.hpp"
#include "message/core/notify.hpp"
#include "message/core/queue.hpp"
#include "message/core/requests.hpp"
#include "message/core/sleep.hpp"
#include "message/core/unexpected.hpp"
#include "message/node/accept.hpp"
#include "message/node/device_receive.hpp"
#include "message/node/device_send.hpp"
#include "message/node/lease.hpp"
#include "message/node/ownership_transfer.hpp"
#include "message/node/receiver_initiated.hpp"
#include "message/node/rendezvous.hpp"
#include "message/node/rendezvous_entries.hpp"
#include "message/node/stream_in.hpp"
#include "message/node/stream_out.hpp"
#include "platform/futex.hpp"
#include "transport/node_link.hpp"

namespace baton::message {

namespace {

NodePeer& cast(Peer& peer) {
  return static_cast<NodePeer&>(peer);
}

// Where ranks take turns on the CPUs, only the sum of their work counts, and one copy is less of it
// than two, also where it is the slower one for each (8 ranks on 2 cores of a Zen 4 virtual
// machine, 2026-11-22: alltoall of 64 KiB 294 instead of 615 us, of 16 KiB 116 instead of 88).
std::int64_t single_copy_bytes_min() {
  constexpr std::int64_t oversubscribed_bytes_min = 65536;
  const bool chosen = source_of(*find_setting("cma_bytes_min")) != SettingSource::fallback;
  return engine.oversubscribed && !chosen
             ? std::min(settings.cma_bytes_min, oversubscribed_bytes_min)
             : settings.cma_bytes_min;
}

}  // namespace

Error NodeProtocol::set_up() {
  cma_bytes_min = single_copy_bytes_min();
  make_link = transport::make_node_link;
  if (!is_of_meeting()) {
    engine.posted_bytes_max = settings.eager_bytes_max;
    engine.tells_outstanding = true;
  }
  transport::Inbox* lines = nullptr;
  const bool shared = transport::rings_are_shared(own_slot);
  if (shared) lines = transport::make_inbox(own_slot);
  if (shared && !lines) return fail(MPI_ERR_NO_MEM, "no memory to receive messages");
  engine.sources.make_known(*this);  // last: whoever fails is deleted
  if (lines) use_inbox(lines);
  if (is_of_meeting() || transport::job().continues) add(1);
  return MPI_SUCCESS;
}

void NodeProtocol::use_inbox(transport::Inbox* lines) {
  inbox = lines;
  inbox_account.senders = lines;
  inbox_account.tell = [](void* senders, bool envelopes_only) {
    static_cast<transport::Inbox*>(senders)->set_envelopes_only(envelopes_only);
  };
  add(1);
}

void NodeProtocol::close() {
  set_active(*this, false);
  departures.forget();
  forget_messages();
}

void NodeProtocol::move_to(transport::Slot own) {
  own_slot = own;
}

bool NodeProtocol::complete_peer(NodePeer* peer, Process process) {
  peer->slot = slot_of(process);
  peer->link = make_link(peer->slot, peer->out, peer->in);
  if (!peer->link) {
    delete peer;
    return false;
  }
  peer->doorbell = &transport::doorbell(peer->slot);
  set_at_once_bytes_max(*peer);
  peer->account.senders = peer->link;
  peer->account.tell = [](void* senders, bool envelopes_only) {
    static_cast<transport::Link*>(senders)->set_envelopes_only(envelopes_only);
  };
  return true;
}

void NodeProtocol::settings_changed() {
  if (!is_of_meeting()) platform::store_shared(engine.posted_bytes_max, settings.eager_bytes_max);
  platform::Guard guard(engine.contact_lock);  // no peer is made meanwhile
  for (std::uint32_t i = 0; i < engine.process_count; ++i) {
    Peer* peer = known_peer(static_cast<Process>(i));
    if (!peer || peer->protocol != this) continue;
    platform::Guard sending(peer->send_lock);
    set_at_once_bytes_max(cast(*peer));
  }
}

Peer* NodeProtocol::make_peer(Process process) {
  auto* peer = new (std::nothrow) NodePeer;
  return peer && complete_peer(peer, process) ? peer : nullptr;
}

void NodeProtocol::forget_peer(Peer* peer) {
  NodePeer& one = cast(*peer);
  std::free(one.advertised);
  delete one.link;
  delete &one;
}

Error NodeProtocol::begin(Peer& peer) {
  NodePeer& one = cast(peer);
  // Only a pair that shares its way to others does without a history of its own.
  if (!inbox && !give_history(one))
    return fail(MPI_ERR_NO_MEM, "no memory to contact rank %u", world_rank(peer.process));
  platform::Guard sending(peer.send_lock);
  if (Error error = one.link->begin()) return error;
  if (peer.out.attached()) notify_slow(peer.slot);  // the bit makes the lane known there
  return MPI_SUCCESS;
}

bool NodeProtocol::look(Peer& peer) {
  // A line in the inbox will say that there is a lane, before we may look into it.
  if (inbox) return false;
  open_lane(cast(peer));
  return poll_peer(peer);
}

void NodeProtocol::start(Peer& peer, Request& send) {
  send.part.begin<NodeRequest>();
  submit(peer, send);
}

bool NodeProtocol::put(Peer& peer, Request& request) {
  return put_request(cast(peer), request);
}

bool NodeProtocol::put_active(Peer& peer, transport::Envelope envelope, const void* payload,
                              std::size_t bytes) {
  if (!put_line(cast(peer), LineKind::active, 0, envelope, payload, bytes)) return false;
  notify(peer);
  return true;
}

bool NodeProtocol::arrive(ArrivedLine& line) {
  NodePeer& peer = cast(line.peer());
  switch (static_cast<NodeLine>(line.kind())) {
    case NodeLine::transferred:
      return arrive_transferred(line);
    case NodeLine::rts:
      arrive_rts(line);
      // Copying it took long: what we wait for may be there, and the next one's receive may be
      // posted before it is taken for unexpected and copied twice.
      return true;
    case NodeLine::cts:
      arrive_cts(peer, line.take<CtsLine>());
      return false;
    case NodeLine::staging_buffer:
      arrive_staging_buffer(peer, line.take<StagingBufferLine>());
      return false;
    case NodeLine::device_sent:
      arrive_device_sent(peer, line.take<DeviceSentLine>());
      return false;
    case NodeLine::pushed:
      arrive_pushed(line);
      return false;
    case NodeLine::lane:
      line.drop();
      open_lane(peer);
      return false;
  }
  BATON_INVARIANT(!"a line of an unknown kind has come from this node");
  __builtin_unreachable();
}

bool NodeProtocol::claim(UnexpectedMessage& unexpected) {
  return claim_entry(unexpected);
}

bool NodeProtocol::is_withdrawn(const UnexpectedMessage& unexpected) const {
  return is_entry_withdrawn(unexpected);
}

void NodeProtocol::accept(UnexpectedMessage& unexpected, Request& receive) {
  accept_rts(unexpected, receive);
}

void NodeProtocol::advertise(const MatchQueue& queue, Request& receive, Peer& sender) {
  advertise_receive(queue, receive, cast(sender));
}

bool NodeProtocol::close_advert(Request& receive) {
  return close_receive_advert(receive);
}

bool NodeProtocol::buffer_late_send(Request& send) {
  return message::buffer_late_send(send);
}

bool NodeProtocol::take_back_send(Request& send) {
  return withdraw(send);
}

void NodeProtocol::take_back_sends(bool (*is_doomed)(const Request& send), List<Request>& taken) {
  withdraw_all(*this, is_doomed, taken);
}

bool NodeProtocol::is_moving(const Request& request) const {
  return is_entry_taken(request);
}

lockfree::ChannelClass NodeProtocol::channel_of(Process process) {
  return lockfree::look_at_channel(transport::status_row(slot_of(process)).channel);
}

Error NodeProtocol::explain_loss(Process process, int error) const {
  if (is_of_meeting())
    return fail(
        error_process_failed, "rank %u of job %u, which this one has met, has ended%s",
        world_rank(process), static_cast<std::uint32_t>(id_of(process).job),
        error == left_normally ? ", or has left the communicators of both" : " or was killed");
  return fail(
      error_process_failed,
      "rank %u, of this node, has ended or was killed (%s): messages to it and from it fail",
      world_rank(process), std::strerror(error));
}

void NodeProtocol::end_lost(Peer& peer) {
  const Error error = explain_loss(peer.process, loss_of(peer.process));
  // Another thread may be putting a request, which ends here or waits in the queue, not both.
  platform::Guard sending(peer.send_lock);
  fail_streams_in(peer, error);
  fail_entries(cast(peer), error);
  set_at_once_bytes_max(cast(peer));
  take_back_staging(cast(peer));
}

void NodeProtocol::fail_request(Request& request, Error error) {
  if (request.kind == RequestKind::receive) return end_stream_in(request, error);
  complete(request, error);
}

bool NodeProtocol::has_left() const {
  using platform::load_shared;
  // Nobody need ever look at what was cancelled.
  return load_shared(stream_count) == 0 &&
         load_shared(open_entries) == load_shared(withdrawn_entries);
}

void NodeProtocol::report(TrafficRecord& record) const {
  record.cma_bytes_min = cma_bytes_min;
}

bool NodeProtocol::advance() {
  bool any = is_of_meeting() && poll_doorbells(own_slot);
  any |= inbox && poll_inbox(*inbox, &inbox_account, nullptr);
  if (BATON_UNLIKELY(transport::job().continues) && !is_of_meeting()) any |= deaths.look(*this);
  if (platform::load_shared(open_entries)) any |= poll_entries(*this);
  if (stream_count) any |= advance_streams_in(*this) | advance_streams_out(*this);
  if (platform::load_shared(device_copy_count))
    any |= advance_device_receives(*this) | advance_device_sends(*this);
  // Whoever is found to have ended has nothing left that could come.
  if (BATON_UNLIKELY(is_of_meeting()) && !any) any = departures.look(*this);
  return any;
}

bool NodeProtocol::needs_progress() const {
  return !has_left() || platform::load_shared(device_copy_count) != 0;
}

bool NodeProtocol::waits_for_space() const {
  return platform::load_shared(stream_count) != 0 || platform::load_shared(device_copy_count) != 0;
}

}  // namespace baton::message
