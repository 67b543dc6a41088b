#include "message/network/peer_loss.hpp"

#include <time.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

#include "base/failure_class.hpp"
#include "base/settings.hpp"
#include "message/core/active.hpp"
#include "message/core/engine.hpp"
#include "message/core/loss.hpp"
#include "message/core/meeting.hpp"
#include "message/network/lost_in_transit.hpp"
#include "message/network/met_peers.hpp"
#include "message/network/network_messages.hpp"
#include "message/network/rendezvous.hpp"
#include "platform/memory_file.hpp"
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
    int broken = 0;             // the error of a packet that has not left
  };
  bool on = false;
  bool any_broken = false;
  Known* known = nullptr;       // by process; address space for all that there may be
  HostWatch** nodes = nullptr;  // by node; null: not watched
  std::int32_t node_count = 0;
  std::int32_t watched = 0;
  std::int64_t next_look_ms = 0, next_find_ms = 0;
};

namespace {

constexpr std::size_t known_bytes = processes_max * sizeof(PeerWatches::Known);
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
  if (!is_of_own_job(process)) return &met_peer(process).address;
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
  if (!is_of_own_job(process)) return watch_met_peer(process);
  if (!transport::spans_nodes()) return;
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
  for (std::uint32_t i = 0; transport::spans_nodes() && i < process_count(); ++i) {
    const auto process = static_cast<Process>(i);
    const NetworkPeer* peer = network().known(process);
    // An agreement may wait for a process that has never sent anything.
    if (transport::job().continues) watch_node_of(process);
    if (!peer) continue;
    if (peer->next_in == known(process).seen_in) watch_node_of(process);
    known(process).seen_in = peer->next_in;
    HostWatch* watch = watches().nodes[place_of(process).node];
    if (watch && peer->next_in > 0) watch->heard();
  }
  if (watches().watched == watches().node_count - 1 && !messages_over_network().met) return;
  // Who has never sent us anything: those that receives wait for.
  const void* all_of = nullptr;  // a communicator with a receive that any of its ranks may end
  each_queue([&all_of](MatchQueue& queue) {
    if (const Request* receive = queue.posted_any.first) all_of = receive->owner;
    for (const List<Request>& list : queue.posted)
      for (const Request* receive = list.first; receive; receive = receive->next)
        if (receive->owner)
          watch_node_of(communicator_view.process(receive->owner, receive->source));
  });
  for (std::uint32_t i = 0; all_of && i < engine.process_count; ++i) {
    const auto process = static_cast<Process>(i);
    const bool is_met = !is_of_own_job(process);
    if (is_met ? !network().known(process) : watches().nodes[place_of(process).node] != nullptr)
      continue;
    if (communicator_view.has(all_of, process)) watch_node_of(process);
  }
}

// ---- what is lost ----

// The message by which one rank tells others of a loss.
struct LossLine {
  ProcessId process;
  std::int32_t node;  // all of this node; -1: the process alone
  std::int32_t error;
  std::int32_t reached;
  std::int32_t all_are_told = 0;
};

void tell_others(const LossLine& line) {
  for (std::uint32_t i = 0; i < engine.process_count; ++i) {
    const auto process = static_cast<Process>(i);
    if (process == engine.self || loss_of_any(process) || !known_peer(process)) continue;
    (void)send_active(process, ActiveKind::network_loss, 0, &line, sizeof line);
  }
}

// Takes note of the loss of a process of another job; whether it is news.
bool note_met(Process process, const LossLine& line) {
  NetworkPeer* peer = network().known(process);
  if (!peer) return false;
  known(process).reached = line.reached != 0;
  const bool is_news = note_loss(process, line.error);
  network().lose(*peer, line.error);
  return is_news;
}

bool note_own(const LossLine& line) {
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
  return any;
}

// Takes note of a loss of `process`, or of all of its node; whether it is news.
bool note_losses(Process process, const LossLine& line) {
  const bool is_own = is_of_own_job(process);
  if (!(is_own ? note_own(line) : note_met(process, line))) return false;
  if (line.node >= 0 && is_own)
    if (const NetworkAddress* network_address = network_address_of(process))
      network().cut_connections(*network_address);
  end_what_is_lost();
  // A peer that has left had met everybody, so the others are leaving, too. They find out by
  // themselves, and messages to those that are gone would never be sent.
  if (messages_over_network().leaving != Leaving::has_begun && line.error != left_normally &&
      !line.all_are_told)
    tell_others(line);
  return true;
}

void arrive_loss(const ActiveMessage& message) {
  LossLine line;
  std::memcpy(&line, message.payload, sizeof line);
  if (!is_on_network() || !messages_over_network().watches || !watches().known ||
      messages_over_network().leaving == Leaving::is_over)
    return;
  auto process = static_cast<Process>(number_of(line.process.rank));
  const bool is_known = line.process.job == engine.job ? number_of(process) < process_count()
                                                       : find_met(line.process, &process);
  if (is_known) (void)note_losses(process, line);
}

// A process of another job is lost, or has left.
void note_met_lost(Process process, int network_error, bool reached) {
  (void)note_losses(process, {id_of(process), -1, network_error, reached});
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
  (void)note_losses(process, line);
  watch_by_another(node);
}

// Takes those for lost to whom a packet has not left.
void lose_broken() {
  platform::store_shared(watches().any_broken, false);
  for (std::uint32_t i = 0; i < process_count(); ++i) {
    const auto process = static_cast<Process>(i);
    if (const int error = platform::load_shared(known(process).broken))
      (void)note_losses(process, {id_of(process), -1, error, 1});
  }
}

void look_at_transit() {
  if (messages_over_network().leaving != Leaving::together)
    return;  // they may be gone, which is no loss
  for (std::uint32_t i = 0; i < engine.process_count; ++i) {
    const auto process = static_cast<Process>(i);
    NetworkPeer* peer = known_peer(process) ? network().known(process) : nullptr;
    if (peer && !loss_of_any(process) && check_transit(*peer))
      (void)note_losses(process, {id_of(process), -1, ECONNRESET, 1});
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

void hear_of_losses() {
  handle_active(ActiveKind::network_loss, arrive_loss);
  hear_goodbyes();
}

void start_peer_watch() {
  hear_of_losses();
  begin_transit_checks();
  auto* made = new (std::nothrow) PeerWatches;
  if (!made) return;  // then nobody is found lost
  messages_over_network().watches = made;
  made->known =
      static_cast<PeerWatches::Known*>(platform::make_private_memory(known_bytes, page_bytes));
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
  if (watched->known) platform::unmap_memory(watched->known, known_bytes);
  delete watched;
}

void end_peer_watch() {
  PeerWatches* watched = messages_over_network().watches;
  if (!watched) return;
  watched->on = false;
  for (std::int32_t node = 0; watched->nodes && node < watched->node_count; ++node)
    if (watched->nodes[node]) watched->nodes[node]->close();
  end_met_watch();
}

void look_after_peers() {
  const bool has_met = messages_over_network().met != nullptr;
  if (!messages_over_network().watches) return;
  if (BATON_UNLIKELY(platform::load_shared(watches().any_broken))) lose_broken();
  if (!(watches().on || has_met)) return;
  const std::int64_t now = now_ms();
  if (BATON_LIKELY(now < watches().next_look_ms)) return;
  watches().next_look_ms = now + look_ms;
  if (watches().next_find_ms == 0) watches().next_find_ms = now + find_ms;
  const bool finds = watches().on && now >= watches().next_find_ms;
  if (has_met) look_at_met_peers(now, finds, patience(), note_met_lost);
  if (finds) {
    watches().next_find_ms = now + find_ms;
    find_whom_to_watch();
    look_at_transit();
  }
  if (watches().watched) look_at_watched(now);
  if (has_lost_peers()) fail_lost_receives();
}

void note_death(Process process) {
  if (messages_over_network().watches && watches().known && is_elsewhere(process))
    (void)note_losses(process, {id_of(process), -1, ECONNRESET, 1, 1});
}

void tell_other_nodes(Process process) {
  const LossLine line{id_of(process), -1, ECONNRESET, 1, 1};
  for (std::uint32_t i = 0; i < process_count(); ++i) {
    const auto other = static_cast<Process>(i);
    if (is_elsewhere(other) && !loss_of_any(other))
      (void)send_active(other, ActiveKind::network_loss, 0, &line, sizeof line);
  }
}

bool was_reached(Process process) {
  const NetworkPeer* peer = network().known(process);
  return (peer && peer->next_in > 0) ||
         (messages_over_network().watches && watches().known && known(process).reached);
}

namespace {

const char* host_of(Process process) {
  if (!is_of_own_job(process)) return met_peer(process).address.host;
  const lockfree::ProcessEntry& entry = transport::process_entry(process);
  return reinterpret_cast<const transport::network::NetworkAddress*>(entry.network_address)->host;
}

Error lost_met(Process process, int network_error, const char* why) {
  if (network_error == left_normally)
    return fail(error_process_failed,
                "rank %u of job %u on host %s, which this one has met, has ended, or has left the "
                "communicators of both",
                world_rank(process), static_cast<std::uint32_t>(id_of(process).job),
                host_of(process));
  return fail(error_process_failed,
              "rank %u of job %u on host %s, which this one has met, has ended, or cannot be "
              "reached over the network (%s)",
              world_rank(process), static_cast<std::uint32_t>(id_of(process).job), host_of(process),
              why);
}

}  // namespace

Error lost_peer(Process process, int network_error) {
  const char* why = transport::network::network().library().strerror(network_error);
  if (!is_of_own_job(process)) return lost_met(process, network_error, why);
  if (was_reached(process))
    return fail(error_process_failed,
                "rank %u on host %s cannot be reached over the network any more (%s): the host, "
                "the process or the way there is gone",
                world_rank(process), host_of(process), why);
  return fail(error_process_failed,
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
  if (!is_of_own_job(process)) return note_met_error(process, error);
  if (transport::job().continues && messages_over_network().watches && watches().known) {
    // Its messages are lost with it; the next look tells, which is not within a send.
    platform::store_shared(known(process).broken, error);
    return platform::store_shared(watches().any_broken, true);
  }
  (void)lost_peer(process, error);
  if (end_after_lost_message) end_after_lost_message();
}

}  // namespace baton::message
