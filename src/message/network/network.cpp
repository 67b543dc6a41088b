#include "message/network/network.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>

#include "base/network_profile.hpp"
#include "base/settings.hpp"
#include "datatype/pack.hpp"
#include "message/network/peer_loss.hpp"
#include "message/network/remote_access.hpp"
#include "message/network/transfer.hpp"
#include "platform/clock.hpp"
#include "platform/futex.hpp"
#include "transport/network/network_link.hpp"
#include "transport/sleep.hpp"

namespace baton::message {

using transport::network::network;
using transport::network::NetworkLink;

namespace {

transport::network::NetworkInbox* inbox = nullptr;

NetworkLink& link_of(const Peer& peer) {
  return *static_cast<NetworkLink*>(peer.link);
}

static_assert(sizeof(transport::network::Card) <= sizeof(lockfree::ProcessEntry::card));

// A process's card; waits until it is there. Its process is about to put it there, or mpiexec ends
// the job.
const transport::network::Card* find_card(Process process) {
  lockfree::ProcessEntry& entry = transport::process_entry(process);
  // ORDER process_entry.card: acquire here, release in start_network.
  while (!entry.ready.load(std::memory_order_acquire)) platform::yield_cpu();
  return reinterpret_cast<const transport::network::Card*>(entry.card);
}

}  // namespace

void (*end_after_lost_message)() = nullptr;

namespace {

const char* host_of(Process process) {
  const lockfree::ProcessEntry& entry = transport::process_entry(process);
  return reinterpret_cast<const transport::network::Card*>(entry.card)->host;
}

}  // namespace

Error lost_peer(Process process, int network_error) {
  const char* why = transport::network::open_library()->strerror(network_error);
  if (was_reached(process))
    return fail(MPI_ERR_OTHER,
                "rank %u on host %s cannot be reached over the network any more (%s): the host, "
                "the process or the way there is gone",
                world_rank(process), host_of(process), why);
  return fail(MPI_ERR_OTHER,
              "rank %u on host %s cannot be reached over the network (%s on interface %s): %s; is "
              "there a route to the host, does a firewall let TCP through between the two, and is "
              "it the right interface? BATON_NETWORK_INTERFACE chooses another one",
              world_rank(process), host_of(process), network.endpoint().provider(),
              network.endpoint().interface(), why);
}

namespace {

bool peers_may_leave = false;

void lost_packet(Process process, int error) {
  // What was on its way to a peer that was found lost meanwhile: whoever waits for it is told.
  if (peers_may_leave || loss_of(process)) return;
  (void)lost_peer(process, error);
  if (end_after_lost_message) end_after_lost_message();
}

}  // namespace

void expect_to_meet_at_the_end(bool expected) {
  // Who sends while the program computes has to know how long that takes.
  network.set_injecting(expected && !settings.progress_thread);
}

void expect_peers_to_leave(bool expected) {
  peers_may_leave = expected;
  if (expected) expect_leaving(Leaving::is_over);
}

namespace {

// "2.5"
struct LibraryVersion {
  char text[16];
  LibraryVersion() {
    const std::uint32_t version = transport::network::open_library()->version();
    std::snprintf(text, sizeof text, "%u.%u", FI_MAJOR(version), FI_MINOR(version));
  }
};

}  // namespace

Error start_network() {
  const auto& world = transport::job().world;
  inbox = new (std::nothrow) transport::network::NetworkInbox;
  if (!inbox) return fail(MPI_ERR_NO_MEM, "no memory to receive from the network");
  // Under another launcher it is open: the others know its card.
  const bool one_machine = world.processes == transport::rank_count();
  if (!network.is_open())
    if (Error error = network.open_endpoint(one_machine)) return error;
  network.tell_always(transport::status_row(engine.local_rank).channel);
  take_network_profile(environment_variable("BATON_PROFILE_NETWORK"), network.endpoint().provider(),
                       LibraryVersion().text, one_machine);
  if (Error error = network.begin(world.processes, engine.self, {world.key[0], world.key[1]},
                                  find_card, lost_packet))
    return error;
  if (Error error = transport::open_wake_pipe()) return error;
  begin_cancelling();
  start_peer_watch();
  engine.networked = true;
  lockfree::ProcessEntry& own = transport::process_entry(engine.self);
  const transport::network::Card card = network.own_card();
  std::memcpy(own.card, &card, sizeof card);
  // ORDER process_entry.card: release here, acquire in find_card.
  own.ready.store(1, std::memory_order_release);
  return MPI_SUCCESS;
}

void stop_network() {
  if (!engine.networked) return;
  stop_peer_watch();
  forget_transfers();
  inbox->forget();
  network.close();
  transport::close_wake_pipe();
  delete inbox;
  inbox = nullptr;
}

void describe_network(char* text, std::size_t bytes) {
  const transport::network::Endpoint& endpoint = network.endpoint();
  constexpr std::size_t packets_bytes_max = 300;
  char packets[packets_bytes_max];
  describe_packets(static_cast<std::int64_t>(network.eager_bytes_max()), packets, sizeof packets);
  char further[80] = {};
  std::size_t used = 0;
  for (int rail = 1; rail < network.rails() && used < sizeof further; ++rail)
    used +=
        static_cast<std::size_t>(std::snprintf(further + used, sizeof further - used, "%s %s",
                                               rail == 1 ? "parts of long messages also over" : ",",
                                               network.endpoint_at(rail).interface()));
  std::snprintf(text, bytes, "%s on interface %s, of libfabric %s: %s; %s%s%s", endpoint.provider(),
                endpoint.interface(), LibraryVersion().text, network.reason(), further,
                further[0] ? "; " : "", packets);
}

transport::Link* make_network_link(Process process) {
  return new (std::nothrow) NetworkLink(process);
}

namespace {

// An eager message that leaves from the program's memory.
struct EagerSend : transport::network::Operation {
  Request* request = nullptr;
  EagerSend* next = nullptr;
  transport::network::PacketEnds ends;
};

EagerSend* spare_sends = nullptr;
platform::Lock spare_sends_lock;

void keep_spare(EagerSend& send) {
  platform::Guard guard(spare_sends_lock);
  send.next = spare_sends;
  spare_sends = &send;
}

EagerSend* take_spare() {
  platform::Guard guard(spare_sends_lock);
  EagerSend* send = spare_sends;
  if (send) spare_sends = send->next;
  return send ? send : new (std::nothrow) EagerSend;
}

void eager_sent(transport::network::Operation& operation, int error) {
  auto& send = static_cast<EagerSend&>(operation);
  Request& request = *send.request;
  keep_spare(send);
  platform::add_shared(engine.network_sends, ~0u);
  complete(request, error ? lost_peer(request.process, error) : MPI_SUCCESS);
}

lockfree::Header header_of(const Request& send) {
  return lockfree::make_header(static_cast<unsigned>(LineKind::payload), 0, send.source);
}

bool put_from_buffer(Peer& peer, Request& send) {
  EagerSend* eager = take_spare();
  if (!eager) return false;
  eager->request = &send;
  eager->done = eager_sent;
  send.stage = Stage::streaming;
  platform::add_shared(engine.network_sends, 1u);
  if (link_of(peer).put_in_place(header_of(send), {send.context, send.tag}, send.buffer,
                                 static_cast<std::size_t>(send.bytes), eager->ends, *eager))
    return true;
  platform::add_shared(engine.network_sends, ~0u);
  keep_spare(*eager);
  return false;
}

// False when there is no room on the way.
bool put_eager(Peer& peer, Request& send) {
  // Once put, it may be gone.
  const std::int64_t bytes = send.bytes;
  const lockfree::Envelope envelope{send.context, send.tag};
  const bool copied = bytes <= std::int64_t{transport::network::copied_bytes_max};
  if (!copied) {
    if (!put_from_buffer(peer, send)) return false;
  } else {
    char packed[transport::network::copied_bytes_max];
    const void* data = send.buffer;
    if (!send.datatype->contiguous) {
      datatype::pack(*send.datatype, send.buffer, 0, packed, bytes);
      data = packed;
    }
    // A blocking send's request is its caller's own: what it has sent is to leave now.
    const auto together =
        send.heap ? transport::network::Together::may : transport::network::Together::never;
    if (!link_of(peer).put(header_of(send), {send.context, send.tag}, data,
                           static_cast<std::size_t>(bytes), together))
      return false;
    complete(send, MPI_SUCCESS);
  }
  KnownAdverts& known = peer.adverts->known;
  known.sent(envelope, KnownAdverts::no_transfer, known.find(envelope));
  count_message(peer, Way::network_eager, bytes);
  return true;
}

std::int64_t eager_bytes_max(const Request& send) {
  const std::size_t most =
      send.datatype->contiguous ? network.eager_bytes_max() : transport::network::copied_bytes_max;
  return std::min(static_cast<std::int64_t>(most), settings.network_eager_bytes_max);
}

bool put(Peer& peer, Request& request) {
  if (request.kind == RequestKind::active) return put_active(peer, request);
  if (request.kind == RequestKind::receive) return put_network_cts(peer, request);
  const bool eager = !request.synchronous && !peer.link->envelopes_only() &&
                     request.bytes <= eager_bytes_max(request);
  return eager ? put_eager(peer, request) : put_network_rts(peer, request);
}

}  // namespace

bool put_over_network(Peer& peer, Request& request) {
  int lost = loss_of(peer.process);
  if (!lost) {
    if (put(peer, request)) return true;
    lost = link_of(peer).lost();
    if (BATON_LIKELY(lost == 0)) return false;
  }
  // Nothing will ever find room there.
  if (request.kind == RequestKind::active)
    drop_active(request);
  else if (request.kind == RequestKind::receive)
    fail_network_receive(request, lost_peer(peer.process, lost));
  else
    complete(request, lost_peer(peer.process, lost));
  return true;
}

namespace {

// Each peer that this process has a way to, under its send lock.
template <class Action>
void each_network_peer(Action action) {
  for (std::uint32_t i = 0; i < engine.process_count; ++i) {
    Peer* peer = known_peer(static_cast<Process>(i));
    if (!peer || !peer->is_remote()) continue;
    platform::Guard guard(peer->send_lock);
    if (peer->link->has_begun()) action(link_of(*peer).peer());
  }
}

// A look costs a system call or two. Where nothing has come for a while, neighbours in memory are
// looked at more often than the network.
class LookGap {
 public:
  bool skips() {
    const bool for_others = engine.watches_memory && engine.oversubscribed;
    if (engine.about_to_sleep || (in_vain_ < patience && !for_others)) return false;
    return ++skipped_ % gap != 0;
  }
  void found(bool any) { in_vain_ = any ? 0 : in_vain_ + 1; }

 private:
  static constexpr std::uint32_t patience = 64, gap = 16;  // guess
  std::uint32_t in_vain_ = 0;
  std::uint32_t skipped_ = 0;
} look_gap;

}  // namespace

bool poll_network() {
  if (network.has_filled()) network.send_filled();
  if (BATON_UNLIKELY(network.has_wishes()))
    each_network_peer([](transport::network::NetworkPeer& peer) { network.tell_wishes(peer); });
  if (look_gap.skips()) return false;
  bool any = network.poll(arrive_network_write, engine.about_to_sleep);
  any |= poll_inbox(*inbox);
  any |= advance_transfers();
  any |= advance_accesses();
  look_gap.found(any);
  if (!any) look_after_peers();
  return any;
}

lockfree::ChannelClass channel_over_network(Process process) {
  const auto* peer = network.known(process);
  return peer ? peer->its_channel.look(platform::now_ns) : lockfree::channel_idle;
}

void tell_channel_over_network(Process process) {
  if (auto* peer = network.known(process)) network.tell_channel(*peer);
}

bool network_is_idle() {
  return platform::load_shared(engine.network_sends) == 0 && !network.has_filled() &&
         !network.is_sending();
}

bool network_is_sending() {
  return engine.networked && (network.is_sending() || has_accesses());
}

}  // namespace baton::message
