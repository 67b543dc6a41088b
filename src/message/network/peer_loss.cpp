#include "message/network/peer_loss.hpp"

#include <time.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

#include "base/settings.hpp"
#include "message/core/active.hpp"
#include "message/core/engine.hpp"
#include "message/core/loss.hpp"
#include "message/network/lost_in_transit.hpp"
#include "message/network/network_messages.hpp"
#include "message/network/rendezvous.hpp"
#include "transport/network/library.hpp"
#include "transport/network/network_link.hpp"
#include "transport/network/peer_watch.hpp"

namespace baton::message {

using transport::network::HostWatch;
using transport::network::network;
using transport::network::NetworkAddress;
using transport::network::NetworkPeer;
using transport::network::WatchPatience;
using transport::network::WatchResult;

// A process's state, as far as it matters here.
struct PeerWatches {
  struct Known {
    bool reached = false;       // its host was there
    bool gone = false;          // it has ended, which it may
    std::uint32_t seen_in = 0;  // of its packets, when last looked at
  };
  bool on = false;
  Known* known = nullptr;       // by process
  HostWatch** nodes = nullptr;  // by node; null: not watched
  std::int32_t node_count = 0;
  std::int32_t watched = 0;
  std::int64_t next_look_ms = 0, next_find_ms = 0;
};

namespace {

constexpr std::int64_t look_ms = 100;   // guess: between looks at what is watched
constexpr std::int64_t find_ms = 1000;  // guess: for so long nobody is watched who is silent
constexpr std::int32_t watched_nodes_max = 128;  // guess: descriptors are few

PeerWatches& watches() {
  return *messages_over_network().watches;
}

std::int64_t now_ms() {
  timespec now;
  ::clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
  return now.tv_sec * std::int64_t{1000} + now.tv_nsec / 1000000;
}

WatchPatience patience() {
  constexpr std::int64_t first_ms = 5000;    // guess: what is barred is told within ten seconds
  constexpr std::int64_t refused_ms = 2000;  // guess: a launcher that ends the job comes first
  const std::int64_t silent = settings.network_patience_seconds * 1000;
  return {silent, std::min(silent, first_ms), std::min(silent / 2, refused_ms)};
}

std::uint32_t process_count() {
  return transport::process_count();
}

PeerWatches::Known& known(Process process) {
  return watches().known[number_of(process)];
}

bool is_elsewhere(Process process) {
  return process != engine.self && transport::local_rank_of(process) == not_on_this_node;
}

// Null: it has not come yet.
const NetworkAddress* network_address_of(Process process) {
  const lockfree::ProcessEntry& entry = transport::process_entry(process);
  // ORDER process_entry.network_address: acquire here, release in NetworkProtocol::set_up.
  const bool ready = entry.ready.load(std::memory_order_acquire);
  return ready ? reinterpret_cast<const NetworkAddress*>(entry.network_address) : nullptr;
}

// ---- whom to watch ----

// One that has ended shows nothing.
bool can_show(Process process) {
  return is_elsewhere(process) && !loss_of_any(process) && !known(process).gone &&
         network_address_of(process) != nullptr;
}

void watch_node_of(Process process) {
  const std::int32_t node = place_of(process).node;
  if (!can_show(process) || watches().nodes[node] || watches().watched == watched_nodes_max) return;
  auto* watch = new (std::nothrow) HostWatch;
  if (!watch) return;
  watch->aim(process, network_address_of(process)->address, network().endpoint().address());
  watches().nodes[node] = watch;
  ++watches().watched;
}

// Another process of the same node shows whether it is there; those we have met first.
void watch_by_another(std::int32_t node) {
  HostWatch& watch = *watches().nodes[node];
  watch.close();
  for (bool met : {true, false})
    for (std::uint32_t i = 0; i < process_count(); ++i) {
      const auto process = static_cast<Process>(i);
      if (place_of(process).node != node || !can_show(process)) continue;
      if (met && !network().known(process)) continue;
      return watch.aim(process, network_address_of(process)->address,
                       network().endpoint().address());
    }
  watch.forget_aim();
}

// Nodes of whom we wait for, where nothing has come from lately.
void find_whom_to_watch() {
  for (std::uint32_t i = 0; i < process_count(); ++i) {
    const auto process = static_cast<Process>(i);
    const NetworkPeer* peer = network().known(process);
    if (!peer) continue;
    if (peer->next_in == known(process).seen_in) watch_node_of(process);
    known(process).seen_in = peer->next_in;
    HostWatch* watch = watches().nodes[place_of(process).node];
    if (watch && peer->next_in > 0) watch->heard();
  }
  if (watches().watched == watches().node_count - 1) return;
  // Who has never sent us anything: those that receives wait for.
  const void* all_of = nullptr;  // a communicator with a receive that any of its ranks may end
  each_queue([&all_of](MatchQueue& queue) {
    if (const Request* receive = queue.posted_any.first) all_of = receive->owner;
    for (const List<Request>& list : queue.posted)
      for (const Request* receive = list.first; receive; receive = receive->next)
        if (receive->owner)
          watch_node_of(communicator_view.process(receive->owner, receive->source));
  });
  for (std::uint32_t i = 0; all_of && i < process_count(); ++i)
    if (!watches().nodes[place_of(static_cast<Process>(i)).node] &&
        communicator_view.has(all_of, static_cast<Process>(i)))
      watch_node_of(static_cast<Process>(i));
}

// ---- what is lost ----

// The message by which one rank tells others of a loss.
struct LossLine {
  ProcessId process;
  std::int32_t node;  // all of this node; -1: the process alone
  std::int32_t error;
  std::int32_t reached;
};

void tell_others(const LossLine& line) {
  for (std::uint32_t i = 0; i < process_count(); ++i) {
    const auto process = static_cast<Process>(i);
    if (process == engine.self || loss_of_any(process) || !known_peer(process)) continue;
    (void)send_active(process, ActiveKind::network_loss, 0, &line, sizeof line);
  }
}

// Takes note of a loss; whether it is news.
bool note_losses(const LossLine& line) {
  bool any = false;
  for (std::uint32_t i = 0; i < process_count(); ++i) {
    const auto process = static_cast<Process>(i);
    const bool meant =
        line.node < 0 ? process == process_of(line.process) : place_of(process).node == line.node;
    if (!meant || !is_elsewhere(process) || loss_of_any(process)) continue;
    known(process).reached = line.reached != 0;
    any |= note_loss(process, line.error);
    if (NetworkPeer* peer = network().known(process)) network().lose(*peer, line.error);
  }
  if (!any) return false;
  if (line.node >= 0)
    if (const NetworkAddress* network_address = network_address_of(process_of(line.process)))
      network().cut_connections(*network_address);
  end_what_is_lost();
  // A peer that has left had met everybody, so the others are leaving, too. They find out by
  // themselves, and messages to those that are gone would never be sent.
  if (messages_over_network().leaving != Leaving::has_begun) tell_others(line);
  return true;
}

void arrive_loss(const ActiveMessage& message) {
  LossLine line;
  std::memcpy(&line, message.payload, sizeof line);
  if (!messages_over_network().watches || !watches().known ||
      messages_over_network().leaving == Leaving::is_over ||
      number_of(line.process.rank) >= process_count())
    return;
  (void)note_losses(line);
}

void settle(std::int32_t node, WatchResult result) {
  HostWatch& watch = *watches().nodes[node];
  const Process process = watch.process();
  LossLine line{id_of(process), -1, watch.error(), watch.was_reached()};
  if (result == WatchResult::host_silent) {
    line.node = node;
  } else if (messages_over_network().leaving == Leaving::any_time) {
    known(process).gone = true;
    return watch_by_another(node);
  }
  (void)note_losses(line);
  watch_by_another(node);
}

void look_at_transit() {
  if (messages_over_network().leaving != Leaving::together)
    return;  // they may be gone, which is no loss
  for (std::uint32_t i = 0; i < process_count(); ++i) {
    const auto process = static_cast<Process>(i);
    NetworkPeer* peer = network().known(process);
    if (peer && !loss_of_any(process) && check_transit(*peer))
      (void)note_losses({id_of(process), -1, ECONNRESET, 1});
  }
}

void look_at_watched(std::int64_t now) {
  const WatchPatience limits = patience();
  for (std::int32_t node = 0; node < watches().node_count; ++node)
    if (HostWatch* watch = watches().nodes[node])
      if (const WatchResult result = watch->look(now, limits); result != WatchResult::none)
        settle(node, result);
}

}  // namespace

void start_peer_watch() {
  handle_active(ActiveKind::network_loss, arrive_loss);
  begin_transit_checks();
  auto* made = new (std::nothrow) PeerWatches;
  if (!made) return;  // then nobody is found lost
  messages_over_network().watches = made;
  made->known =
      static_cast<PeerWatches::Known*>(std::calloc(process_count(), sizeof(PeerWatches::Known)));
  made->node_count = static_cast<std::int32_t>(transport::job().world.nodes);
  made->nodes = static_cast<HostWatch**>(
      std::calloc(static_cast<std::size_t>(made->node_count), sizeof(HostWatch*)));
  sockaddr_storage own;
  socklen_t bytes;
  // Other networks than TCP have their own ways to find out.
  made->on = settings.network_patience_seconds > 0 && made->known && made->nodes &&
             transport::network::read_socket_address(network().endpoint().address(), &own, &bytes);
}

void stop_peer_watch() {
  PeerWatches* watched = std::exchange(messages_over_network().watches, nullptr);
  if (!watched) return;
  for (std::int32_t node = 0; watched->nodes && node < watched->node_count; ++node)
    delete watched->nodes[node];
  std::free(watched->nodes);
  std::free(watched->known);
  delete watched;
}

void end_peer_watch() {
  PeerWatches* watched = messages_over_network().watches;
  if (!watched) return;
  watched->on = false;
  for (std::int32_t node = 0; watched->nodes && node < watched->node_count; ++node)
    if (watched->nodes[node]) watched->nodes[node]->close();
}

void look_after_peers() {
  if (!messages_over_network().watches || !watches().on) return;
  const std::int64_t now = now_ms();
  if (BATON_LIKELY(now < watches().next_look_ms)) return;
  watches().next_look_ms = now + look_ms;
  if (watches().next_find_ms == 0) watches().next_find_ms = now + find_ms;
  if (now >= watches().next_find_ms) {
    watches().next_find_ms = now + find_ms;
    find_whom_to_watch();
    look_at_transit();
  }
  if (watches().watched) look_at_watched(now);
  if (has_lost_peers()) fail_lost_receives();
}

bool was_reached(Process process) {
  const NetworkPeer* peer = network().known(process);
  return (peer && peer->next_in > 0) ||
         (messages_over_network().watches && watches().known && known(process).reached);
}

namespace {

const char* host_of(Process process) {
  const lockfree::ProcessEntry& entry = transport::process_entry(process);
  return reinterpret_cast<const transport::network::NetworkAddress*>(entry.network_address)->host;
}

}  // namespace

Error lost_peer(Process process, int network_error) {
  const char* why = transport::network::network().library().strerror(network_error);
  if (was_reached(process))
    return fail(MPI_ERR_OTHER,
                "rank %u on host %s cannot be reached over the network any more (%s): the host, "
                "the process or the way there is gone",
                world_rank(process), host_of(process), why);
  return fail(MPI_ERR_OTHER,
              "rank %u on host %s cannot be reached over the network (%s on interface %s): %s; is "
              "there a route to the host, does a firewall let TCP through between the two, and is "
              "it the right interface? BATON_NETWORK_INTERFACE chooses another one",
              world_rank(process), host_of(process), network().endpoint().provider(),
              network().endpoint().interface(), why);
}

void lost_packet(Process process, int error) {
  // The peer may have been found lost meanwhile: then whoever waits is told by that.
  const Leaving leaving = messages_over_network().leaving;
  if (leaving == Leaving::is_over || loss_of(process)) return;
  (void)lost_peer(process, error);
  if (end_after_lost_message) end_after_lost_message();
}

}  // namespace baton::message
