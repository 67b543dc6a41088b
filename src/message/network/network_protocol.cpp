#include "message/network/network_protocol.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <new>

#include "base/environment.hpp"
#include "base/network_profile.hpp"
#include "base/settings.hpp"
#include "message/core/account.hpp"
#include "message/core/arrive.hpp"
#include "message/core/deliver.hpp"
#include "message/core/engine.hpp"
#include "message/core/loss.hpp"
#include "message/core/requests.hpp"
#include "message/core/unexpected.hpp"
#include "message/network/advert.hpp"
#include "message/network/cancel.hpp"
#include "message/network/eager.hpp"
#include "message/network/met_peers.hpp"
#include "message/network/peer_loss.hpp"
#include "message/network/remote_access.hpp"
#include "message/network/rendezvous.hpp"
#include "platform/clock.hpp"
#include "platform/futex.hpp"

namespace baton::message {

using transport::network::network;

namespace {

RemotePeer& cast(Peer& peer) {
  return static_cast<RemotePeer&>(peer);
}

static_assert(sizeof(transport::network::NetworkAddress) <=
              sizeof(lockfree::ProcessEntry::network_address));

// A process's network address; waits until it is there. Its process is about to put it there, or
// mpiexec ends the job.
const transport::network::NetworkAddress* find_network_address(Process process) {
  lockfree::ProcessEntry& entry = transport::process_entry(process);
  // ORDER process_entry.network_address: acquire here, release in NetworkProtocol::set_up.
  while (!entry.ready.load(std::memory_order_acquire)) platform::yield_cpu();
  return reinterpret_cast<const transport::network::NetworkAddress*>(entry.network_address);
}

// "2.5"
struct LibraryVersion {
  char text[16];
  LibraryVersion() {
    const std::uint32_t version = transport::network::network().library().version();
    std::snprintf(text, sizeof text, "%u.%u", FI_MAJOR(version), FI_MINOR(version));
  }
};

}  // namespace

Error NetworkProtocol::set_up() {
  const auto& world = transport::job().world;
  inbox_ = new (std::nothrow) transport::network::NetworkInbox;
  if (!inbox_) return fail(MPI_ERR_NO_MEM, "no memory to receive from the network");
  // Under another launcher it is open: the others know its network address.
  const bool one_machine = world.processes == transport::rank_count();
  if (!network().is_open())
    if (Error error = network().open_endpoint(one_machine)) return error;
  network().tell_always(transport::status_row(engine.local_rank).channel);
  take_network_profile(environment_variable("BATON_PROFILE_NETWORK"),
                       network().endpoint().provider(), LibraryVersion().text, one_machine);
  if (Error error =
          network().begin(world.processes, processes_max, engine.self, {world.key[0], world.key[1]},
                          find_network_address, lost_packet))
    return error;
  if (Error error = transport::open_wake_pipe()) return error;
  begin_cancelling();
  start_peer_watch();
  engine.sources.make_known(*this);
  add(1);
  if (!transport::spans_nodes()) return MPI_SUCCESS;  // nobody of this job asks
  lockfree::ProcessEntry& own = transport::process_entry(engine.self);
  const transport::network::NetworkAddress network_address = network().own_address();
  std::memcpy(own.network_address, &network_address, sizeof network_address);
  // ORDER process_entry.network_address: release here, acquire in find_network_address.
  own.ready.store(1, std::memory_order_release);
  return MPI_SUCCESS;
}

NetworkProtocol::~NetworkProtocol() {
  stop_peer_watch();
  forget_all_met_peers();
  forget_rendezvous();
  if (inbox_) inbox_->forget();
  devices.close();
  network().close();
  transport::close_wake_pipe();
  delete inbox_;
  forget_eager_sends();
}

namespace {

// Writes in words what messages go over, and why that was chosen.
void describe(char* text, std::size_t bytes) {
  const transport::network::Endpoint& endpoint = network().endpoint();
  constexpr std::size_t packets_bytes_max = 300;
  char packets[packets_bytes_max];
  describe_packets(static_cast<std::int64_t>(network().eager_bytes_max()), packets, sizeof packets);
  char further[80] = {};
  std::size_t used = 0;
  for (int rail = 1; rail < network().rails() && used < sizeof further; ++rail)
    used +=
        static_cast<std::size_t>(std::snprintf(further + used, sizeof further - used, "%s %s",
                                               rail == 1 ? "parts of long messages also over" : ",",
                                               network().endpoint_at(rail).interface()));
  const char* devices = endpoint.reaches_devices() ? "its adapter reaches device memory; " : "";
  std::snprintf(text, bytes, "%s on interface %s, of libfabric %s: %s; %s%s%s%s",
                endpoint.provider(), endpoint.interface(), LibraryVersion().text,
                network().reason(), devices, further, further[0] ? "; " : "", packets);
}

}  // namespace

void NetworkProtocol::report(TrafficRecord& record) const {
  describe(record.network, sizeof record.network);
}

// ---- peers

Peer* NetworkProtocol::make_peer(Process process) {
  auto* peer = new (std::nothrow) RemotePeer(process);
  if (!peer) return nullptr;
  peer->account.senders = &peer->link;
  peer->account.tell = [](void* senders, bool envelopes_only) {
    static_cast<transport::network::NetworkLink*>(senders)->set_envelopes_only(envelopes_only);
  };
  return peer;
}

void NetworkProtocol::forget_peer(Peer* peer) {
  delete &cast(*peer);
}

Error NetworkProtocol::begin(Peer& peer) {
  if (!give_history(peer))
    return fail(MPI_ERR_NO_MEM, "no memory to contact rank %u", world_rank(peer.process));
  platform::Guard sending(peer.send_lock);
  return cast(peer).link.begin();
}

// ---- sending

namespace {

bool put_request(RemotePeer& peer, Request& request) {
  if (request.kind == RequestKind::receive) return put_network_cts(peer, request);
  const bool eager = !request.synchronous && !peer.link.envelopes_only() &&
                     request.bytes <= network_eager_bytes_max(request);
  return eager ? put_eager(peer, request) : put_network_rts(peer, request);
}

}  // namespace

bool NetworkProtocol::put(Peer& peer, Request& request) {
  // Who sends and sends, and never waits, would not hear that the peer is gone: now and then a
  // message waits until this rank has looked at the network.
  constexpr std::uint32_t unlooked_max = 256;  // guess
  // relaxed, as in advance: what threads lose of it does no harm.
  std::atomic_ref unlooked(puts_unlooked_);
  const std::uint32_t before = unlooked.load(std::memory_order_relaxed);
  if (BATON_UNLIKELY(before == unlooked_max)) return false;
  unlooked.store(before + 1, std::memory_order_relaxed);
  RemotePeer& remote = cast(peer);
  if (put_request(remote, request)) return true;
  const int lost = remote.link.lost();
  if (BATON_LIKELY(lost == 0)) return false;
  fail_request(request, lost_peer(peer.process, lost));  // nothing will ever find space there
  return true;
}

bool NetworkProtocol::put_active(Peer& peer, transport::Envelope envelope, const void* payload,
                                 std::size_t bytes) {
  const auto header = lockfree::make_header(static_cast<unsigned>(LineKind::active), bytes, 0);
  // A message for a lost peer is dropped.
  return cast(peer).link.put(header, envelope, payload, bytes) || cast(peer).link.lost() != 0;
}

// ---- receiving

namespace {

// Both sides count a sender's messages alike (advert.hpp).
void count_taken(Peer& peer, unsigned kind) {
  if (kind == static_cast<unsigned>(LineKind::payload) ||
      kind == static_cast<unsigned>(NetworkLine::rts))
    ++cast(peer).adverts.taken;
}

void arrive_network_rts(ArrivedLine& message) {
  const lockfree::Envelope envelope = message.envelope();
  const auto line = message.take<NetworkRtsLine>();
  BATON_INVARIANT(line.head_bytes <= sizeof line.head);
  UnexpectedMessage& unexpected = make_unexpected(message.peer(), message.account(),
                                                  message.source(), envelope, line.head_bytes);
  unexpected.bytes = line.bytes;
  unexpected.offered = true;
  unexpected.claimed = true;  // its sender cannot take it back
  unexpected.part.begin<NetworkUnexpected>() = {line.send, line.head_bytes, line.from_device != 0};
  std::copy_n(line.head, line.head_bytes, unexpected.payload());
  match_or_keep(unexpected, line.head_bytes);
}

}  // namespace

bool NetworkProtocol::arrive(ArrivedLine& line) {
  RemotePeer& peer = cast(line.peer());
  switch (static_cast<NetworkLine>(line.kind())) {
    case NetworkLine::rts:
      arrive_network_rts(line);
      return false;
    case NetworkLine::cts:
      arrive_network_cts(peer, line.take<NetworkCtsLine>());
      return false;
    case NetworkLine::advert: {
      const lockfree::Envelope wanted = line.envelope();
      arrive_network_advert(peer, wanted, line.take<NetworkAdvertLine>());
      return false;
    }
  }
  BATON_INVARIANT(!"a line of an unknown kind has come from another node");
  __builtin_unreachable();
}

void NetworkProtocol::accept(UnexpectedMessage& unexpected, Request& receive) {
  accept_over_network(unexpected, receive);
}

void NetworkProtocol::advertise(const MatchQueue& queue, Request& receive, Peer& sender) {
  if (!settings.receiver_initiated || !settings.network_receiver_initiated ||
      platform::threads_multiple)
    return;
  advertise_over_network(queue, receive, cast(sender));
}

bool NetworkProtocol::close_advert(Request& receive) {
  close_network_advert(receive);
  return true;
}

bool NetworkProtocol::may_take_back(Request& receive) {
  if (loss_of(receive.process)) return true;  // it writes no more
  if (!network_part(receive).asked) ask_to_withdraw(receive);
  return false;
}

bool NetworkProtocol::take_back_send(Request& send) {
  ask_to_cancel(send);
  return false;
}

// None is taken at once: they end when their receivers have given them back.
void NetworkProtocol::take_back_sends(bool (*is_doomed)(const Request& send), List<Request>&) {
  take_doomed_sends_back(is_doomed);
}

lockfree::ChannelClass NetworkProtocol::channel_of(Process process) {
  const auto* peer = network().known(process);
  return peer ? peer->its_channel.look(platform::now_ns) : lockfree::channel_idle;
}

void NetworkProtocol::tell_channel(Process process) {
  if (auto* peer = network().known(process)) network().tell_channel(*peer);
}

Error NetworkProtocol::explain_loss(Process process, int error) const {
  return lost_peer(process, error);
}

void NetworkProtocol::tell_of_death(Process process) {
  tell_other_nodes(process);
}

void NetworkProtocol::hear_of_death(Process process) {
  note_death(process);
}

void NetworkProtocol::end_lost(Peer& peer) {
  // Another thread may be putting a request, which ends here or waits in the queue, not both.
  platform::Guard sending(peer.send_lock);
  fail_rendezvous(peer.process);
}

void NetworkProtocol::fail_request(Request& request, Error error) {
  if (request.kind == RequestKind::receive) return fail_network_receive(request, error);
  complete(request, error);
}

void NetworkProtocol::expect_leaving(Leaving others) {
  leaving = others;
  // Who sends while the program computes has to know how long that takes, and who may end at any
  // time of each packet that it has left.
  network().set_injecting(others == Leaving::together && !settings.progress_thread);
  if (others == Leaving::is_over) end_peer_watch();
}

// ---- progress

namespace {

// Each peer that this process has a way to, under its send lock.
template <class Action>
void each_peer(Action action) {
  for (std::uint32_t i = 0; i < engine.process_count; ++i) {
    Peer* peer = known_peer(static_cast<Process>(i));
    if (!peer || peer->protocol != &messages_over_network()) continue;
    platform::Guard guard(peer->send_lock);
    if (cast(*peer).link.has_begun()) action(cast(*peer).link.peer());
  }
}

}  // namespace

bool NetworkProtocol::LookGap::skips() {
  const bool for_others = engine.watches_memory && engine.oversubscribed;
  if (engine.about_to_sleep || (in_vain_ < patience && !for_others)) return false;
  return ++skipped_ % gap != 0;
}

bool NetworkProtocol::advance() {
  std::atomic_ref(puts_unlooked_).store(0, std::memory_order_relaxed);
  if (network().has_filled()) network().send_filled();
  if (BATON_UNLIKELY(network().has_wishes()))
    each_peer([](transport::network::NetworkPeer& peer) { network().tell_wishes(peer); });
  if (look_gap_.skips()) return false;
  bool any = network().poll(arrive_network_write, engine.about_to_sleep);
  any |= poll_inbox(*inbox_, nullptr, count_taken);
  any |= advance_rendezvous();
  any |= advance_accesses();
  look_gap_.found(any);
  if (!any) look_after_peers();
  return any;
}

bool NetworkProtocol::has_left() const {
  return platform::load_shared(sends_under_way) == 0 && !network().has_filled() &&
         !network().is_sending();
}

bool NetworkProtocol::needs_progress() const {
  return network().is_sending() || has_accesses();
}

// False: something is there already.
bool NetworkProtocol::add_descriptors(SleepPlan& plan) {
  const int first = plan.count;
  bool tells = trust_.deserved();
  for (int rail = 0; tells && rail < network().rails(); ++rail) {
    transport::network::Endpoint& endpoint = network().endpoint_at(rail);
    tells = endpoint.wait_descriptor() >= 0 && plan.count < transport::sleep_descriptors_max;
    if (!tells) break;
    if (!endpoint.may_wait()) return false;
    plan.descriptors[plan.count++] = {endpoint.wait_descriptor(), POLLIN, 0};
  }
  if (tells) return true;
  constexpr std::int64_t blind_us = 200;  // guess: where it does not tell, look again soon
  plan.count = first;
  plan.bound_us = std::min(plan.bound_us, blind_us);
  return true;
}

void NetworkProtocol::plan_sleep(SleepPlan& plan) {
  if (!add_descriptors(plan)) plan.sleeps = false;
}

void NetworkProtocol::has_slept(const SleepPlan& plan, std::int64_t slept_ns) {
  std::uint64_t completions = 0;
  bool is_readable = false;
  for (int rail = 0; rail < network().rails(); ++rail) {
    const transport::network::Endpoint& endpoint = network().endpoint_at(rail);
    completions += endpoint.completions();
    for (int i = 0; i < plan.count; ++i)
      is_readable |=
          plan.descriptors[i].fd == endpoint.wait_descriptor() && plan.descriptors[i].revents;
  }
  if (is_readable) trust_.alarm(completions, slept_ns);
}

void NetworkProtocol::DescriptorTrust::alarm(std::uint64_t completions, std::int64_t waited_ns) {
  constexpr std::int64_t at_once_ns = 10000;  // guess: of ppoll that need not wait
  platform::Guard guard(lock_);
  const bool is_false = completions == seen_ && waited_ns < at_once_ns;
  platform::store_shared(false_alarms_, is_false ? false_alarms_ + 1 : 0);
  seen_ = completions;
}

}  // namespace baton::message
