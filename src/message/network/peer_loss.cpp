#include "message/network/peer_loss.hpp"

#include <time.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <new>

#include "base/settings.hpp"
#include "message/core/active.hpp"
#include "message/core/arrive.hpp"
#include "message/network/lost_in_transit.hpp"
#include "message/network/transfer.hpp"
#include "transport/network/library.hpp"
#include "transport/network/network_link.hpp"
#include "transport/network/peer_watch.hpp"

namespace baton::message {

using transport::network::Card;
using transport::network::HostWatch;
using transport::network::network;
using transport::network::NetworkPeer;
using transport::network::WatchPatience;
using transport::network::WatchResult;

CommunicatorView communicator_view;
std::atomic<bool> any_peer_lost{false};

namespace {

constexpr std::int64_t look_ms = 100;   // guess: between looks at what is watched
constexpr std::int64_t find_ms = 1000;  // guess: for so long nobody is watched who is silent
constexpr std::int32_t watched_nodes_max = 128;  // guess: descriptors are few

// A process's state, as far as it matters here.
struct Known {
  std::atomic<int> error = 0;  // libfabric's, by which it is lost
  bool reached = false;        // its host was there
  bool gone = false;           // it has ended, which it may
  std::uint32_t seen_in = 0;   // of its packets, when last looked at
};

struct Watches {
  bool on = false;
  Known* known = nullptr;       // by process
  HostWatch** nodes = nullptr;  // by node; null: not watched
  std::int32_t node_count = 0;
  std::int32_t watched = 0;
  std::int64_t next_look_ms = 0, next_find_ms = 0;
  Leaving leaving = Leaving::any_time;
} watches;

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

Known& known(Process process) {
  return watches.known[number_of(process)];
}

// Also by threads that make no progress.
int error_of(Process process) {
  // relaxed: whoever sees it late looks again.
  return known(process).error.load(std::memory_order_relaxed);
}

bool is_elsewhere(Process process) {
  return process != engine.self && transport::local_rank_of(process) == not_on_this_node;
}

// Null: it has not come yet.
const Card* card_of(Process process) {
  const lockfree::ProcessEntry& entry = transport::process_entry(process);
  // ORDER process_entry.card: acquire here, release in start_network.
  const bool ready = entry.ready.load(std::memory_order_acquire);
  return ready ? reinterpret_cast<const Card*>(entry.card) : nullptr;
}

// ---- whom to watch ----

// One that has ended shows nothing.
bool can_show(Process process) {
  return is_elsewhere(process) && !error_of(process) && !known(process).gone &&
         card_of(process) != nullptr;
}

void watch_node_of(Process process) {
  const std::int32_t node = place_of(process).node;
  if (!can_show(process) || watches.nodes[node] || watches.watched == watched_nodes_max) return;
  auto* watch = new (std::nothrow) HostWatch;
  if (!watch) return;
  watch->aim(process, card_of(process)->address, network.endpoint().address());
  watches.nodes[node] = watch;
  ++watches.watched;
}

// Another process of the same node shows whether it is there; those we have met first.
void watch_by_another(std::int32_t node) {
  HostWatch& watch = *watches.nodes[node];
  watch.close();
  for (bool met : {true, false})
    for (std::uint32_t i = 0; i < process_count(); ++i) {
      const auto process = static_cast<Process>(i);
      if (place_of(process).node != node || !can_show(process)) continue;
      if (met && !network.known(process)) continue;
      return watch.aim(process, card_of(process)->address, network.endpoint().address());
    }
  watch.forget_aim();
}

template <class Do>
void each_queue(Do&& act) {
  platform::Guard guard(engine.queues.lock);
  for (MatchQueues::Leaf* leaf : engine.queues.leaves)
    for (std::uint32_t i = 0; leaf && i < MatchQueues::leaf_contexts; ++i)
      if (MatchQueue* queue = leaf->queues[i]) {
        platform::Guard matching(queue->lock);
        if (queue->posted_count) act(*queue);
      }
}

// Whether it names, as the program sees it, the one who sends.
bool names_sender(const Request& receive) {
  return receive.source >= 0 &&
         receive.context % plane_count == static_cast<std::uint32_t>(Plane::point_to_point);
}

// Nodes of whom we wait for, where nothing has come from lately.
void find_whom_to_watch() {
  for (std::uint32_t i = 0; i < process_count(); ++i) {
    const auto process = static_cast<Process>(i);
    const NetworkPeer* peer = network.known(process);
    if (!peer) continue;
    if (peer->next_in == known(process).seen_in) watch_node_of(process);
    known(process).seen_in = peer->next_in;
    HostWatch* watch = watches.nodes[place_of(process).node];
    if (watch && peer->next_in > 0) watch->heard();
  }
  if (watches.watched == watches.node_count - 1) return;
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
    if (!watches.nodes[place_of(static_cast<Process>(i)).node] &&
        communicator_view.has(all_of, static_cast<Process>(i)))
      watch_node_of(static_cast<Process>(i));
}

// ---- what is lost ----

// Whether a receive can never end for want of a lost process: of the one it names (source), else of
// any of the communicator.
bool lacks_one(const void* owner, std::int32_t source, Process& found) {
  if (owner && source >= 0) {
    found = communicator_view.process(owner, source);
    return error_of(found) != 0;
  }
  for (std::uint32_t i = 0; i < process_count(); ++i) {
    found = static_cast<Process>(i);
    if (error_of(found) && (!owner || communicator_view.has(owner, found))) return true;
  }
  return false;
}

bool lacks_one(const Request& receive, Process& found) {
  return lacks_one(receive.owner, names_sender(receive) ? receive.source : MPI_ANY_SOURCE, found);
}

// Takes posted receives that nobody will answer out of a queue.
void take_lost(MatchQueue& queue, List<Request>& list, List<Request>& lost) {
  Process process;
  for (Request* receive = list.first; receive;) {
    Request* next = receive->next;
    if (lacks_one(*receive, process) && close_advert(*receive) && take_back(queue, *receive))
      lost.push(receive);
    receive = next;
  }
}

bool fail_posted() {
  List<Request> lost;
  each_queue([&lost](MatchQueue& queue) {
    for (List<Request>& list : queue.posted) take_lost(queue, list, lost);
    take_lost(queue, queue.posted_any, lost);
  });
  for (Request* receive = lost.first; receive;) {
    Request* next = receive->next;
    Process process;
    receive->bytes = 0;
    complete(*receive, lacks_one(*receive, process) ? lost_peer(process, error_of(process))
                                                    : Error{MPI_ERR_OTHER});
    receive = next;
  }
  return lost.first != nullptr;
}

// What one rank tells others.
struct LossLine {
  std::uint32_t process;
  std::int32_t node;  // all of this node; -1: the process alone
  std::int32_t error;
  std::int32_t reached;
};

void tell_others(const LossLine& line) {
  for (std::uint32_t i = 0; i < process_count(); ++i) {
    const auto process = static_cast<Process>(i);
    if (process == engine.self || error_of(process) || !known_peer(process)) continue;
    (void)send_active(process, ActiveKind::network_loss, 0, &line, sizeof line);
  }
}

void lose(Process process, int error) {
  known(process).error.store(error, std::memory_order_relaxed);  // relaxed: see error_of
  if (NetworkPeer* peer = network.known(process)) network.lose(*peer, error);
}

// Takes note of a loss; whether it is news.
bool note_loss(const LossLine& line) {
  bool any = false;
  for (std::uint32_t i = 0; i < process_count(); ++i) {
    const auto process = static_cast<Process>(i);
    const bool meant = line.node < 0 ? i == line.process : place_of(process).node == line.node;
    if (!meant || !is_elsewhere(process) || error_of(process)) continue;
    known(process).reached = line.reached != 0;
    lose(process, line.error);
    any = true;
  }
  if (!any) return false;
  any_peer_lost.store(true, std::memory_order_relaxed);  // relaxed: see has_lost_peers
  // relaxed: whoever has to see it hears of us first, by what orders memory.
  std::atomic_ref(transport::job().lost_process)
      .store((static_cast<std::uint64_t>(line.error) << 32) | (line.process + 1),
             std::memory_order_relaxed);
  if (line.node >= 0)
    if (const Card* card = card_of(static_cast<Process>(line.process)))
      network.cut_connections(*card);
  for (std::uint32_t i = 0; i < process_count(); ++i)
    if (error_of(static_cast<Process>(i))) fail_transfers(static_cast<Process>(i));
  fail_posted();
  // A peer that has left had met everybody, so the others are leaving, too. They find out by
  // themselves, and messages to those that are gone would never be sent.
  if (watches.leaving != Leaving::has_begun) tell_others(line);
  return true;
}

void arrive_loss(const ActiveMessage& message) {
  LossLine line;
  std::memcpy(&line, message.payload, sizeof line);
  if (!watches.known || watches.leaving == Leaving::is_over || line.process >= process_count())
    return;
  (void)note_loss(line);
}

void settle(std::int32_t node, WatchResult result) {
  HostWatch& watch = *watches.nodes[node];
  const Process process = watch.process();
  LossLine line{number_of(process), -1, watch.error(), watch.was_reached()};
  if (result == WatchResult::host_silent) {
    line.node = node;
  } else if (watches.leaving == Leaving::any_time) {
    known(process).gone = true;
    return watch_by_another(node);
  }
  (void)note_loss(line);
  watch_by_another(node);
}

void look_at_transit() {
  if (watches.leaving != Leaving::together) return;  // they may be gone, which is no loss
  for (std::uint32_t i = 0; i < process_count(); ++i) {
    const auto process = static_cast<Process>(i);
    NetworkPeer* peer = network.known(process);
    if (peer && !error_of(process) && check_transit(*peer)) (void)note_loss({i, -1, ECONNRESET, 1});
  }
}

void look_at_watched(std::int64_t now) {
  const WatchPatience limits = patience();
  for (std::int32_t node = 0; node < watches.node_count; ++node)
    if (HostWatch* watch = watches.nodes[node])
      if (const WatchResult result = watch->look(now, limits); result != WatchResult::none)
        settle(node, result);
}

}  // namespace

void start_peer_watch() {
  handle_active(ActiveKind::network_loss, arrive_loss);
  begin_transit_checks();
  watches.known = static_cast<Known*>(std::calloc(process_count(), sizeof(Known)));
  watches.node_count = static_cast<std::int32_t>(transport::job().world.nodes);
  watches.nodes = static_cast<HostWatch**>(
      std::calloc(static_cast<std::size_t>(watches.node_count), sizeof(HostWatch*)));
  sockaddr_storage own;
  socklen_t bytes;
  // Other networks than TCP have their own ways to find out.
  watches.on = settings.network_patience_seconds > 0 && watches.known && watches.nodes &&
               transport::network::read_socket_address(network.endpoint().address(), &own, &bytes);
}

void stop_peer_watch() {
  for (std::int32_t node = 0; watches.nodes && node < watches.node_count; ++node)
    delete watches.nodes[node];
  std::free(watches.nodes);
  std::free(watches.known);
  watches = {};
  any_peer_lost.store(false, std::memory_order_relaxed);  // relaxed: at the end
}

void expect_leaving(Leaving leaving) {
  watches.leaving = leaving;
  if (leaving != Leaving::is_over) return;
  watches.on = false;
  for (std::int32_t node = 0; watches.nodes && node < watches.node_count; ++node)
    if (watches.nodes[node]) watches.nodes[node]->close();
}

void look_after_peers() {
  if (!watches.on) return;
  const std::int64_t now = now_ms();
  if (BATON_LIKELY(now < watches.next_look_ms)) return;
  watches.next_look_ms = now + look_ms;
  if (watches.next_find_ms == 0) watches.next_find_ms = now + find_ms;
  if (now >= watches.next_find_ms) {
    watches.next_find_ms = now + find_ms;
    find_whom_to_watch();
    look_at_transit();
  }
  if (watches.watched) look_at_watched(now);
  if (has_lost_peers()) fail_posted();
}

bool was_reached(Process process) {
  const NetworkPeer* peer = network.known(process);
  return (peer && peer->next_in > 0) || (watches.known && known(process).reached);
}

Error loss_found_here(const Context& context) {
  // relaxed: see note_loss.
  const std::uint64_t told =
      std::atomic_ref(transport::job().lost_process).load(std::memory_order_relaxed);
  if (BATON_LIKELY(told == 0)) return MPI_SUCCESS;
  const auto lost = static_cast<Process>((told & 0xffffffff) - 1);
  for (std::int32_t rank = 0; rank < context.size; ++rank)
    if (place_of(context.process(rank)).node == place_of(lost).node)
      return lost_peer(lost, static_cast<int>(told >> 32));
  return MPI_SUCCESS;
}

int loss_of_any(Process process) {
  return error_of(process);
}

Error lost_source_of_any(const Context& context, std::int32_t source) {
  Process process;
  return lacks_one(context.owner, source, process) ? lost_peer(process, error_of(process))
                                                   : MPI_SUCCESS;
}

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

}  // namespace

void lost_packet(Process process, int error) {
  // What was on its way to a peer that was found lost meanwhile: whoever waits for it is told.
  if (peers_may_leave || loss_of(process)) return;
  (void)lost_peer(process, error);
  if (end_after_lost_message) end_after_lost_message();
}

void expect_to_meet_at_the_end(bool expected) {
  // Who sends while the program computes has to know how long that takes.
  network.set_injecting(expected && !settings.progress_thread);
}

void expect_peers_to_leave(bool expected) {
  peers_may_leave = expected;
  if (expected) expect_leaving(Leaving::is_over);
}

}  // namespace baton::message
