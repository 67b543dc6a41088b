// The messaging engine of this process: its peers, the one progress loop and the registry of what
// it drives. Used by everything on layer 6 and, for progress and waiting, by all layers above.
// Invariant: only this process's threads touch it; what peers share lies on layer 5.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/check.hpp"
#include "base/counters.hpp"
#include "base/identity.hpp"
#include "base/reason.hpp"
#include "message/core/match.hpp"
#include "message/core/peer.hpp"
#include "message/core/progress_source.hpp"
#include "message/core/request.hpp"
#include "platform/lock.hpp"

namespace baton::message {

class Protocol;
struct Meeting;

// Kinds of peers. The protocol of each is chosen at start (message/start.cpp).
enum class PeerKind : std::uint8_t { self, node, network, test };
inline constexpr int peer_kinds = 4;

// The number of processes that one process may know.
inline constexpr std::uint32_t processes_max = 1 << 18;
static_assert(processes_max <= std::uint32_t{lockfree::sources_max});  // a line names its source

// Peers that are lost (loss.hpp).
struct LostPeers {
  static constexpr std::size_t table_bytes = processes_max * sizeof(int);
  int* errors = nullptr;  // by process; null: none is
  bool any = false;
  bool any_of_own_job = false;
  std::uint32_t count = 0;        // losses so far
  std::int64_t grace_end_ns = 0;  // until then collectives go on that need a lost one (loss.cpp)
};

// The threads of this process that wait while another makes progress (wake.cpp).
struct Followers {
  std::atomic<std::uint32_t> asleep{0};  // how many sleep
  std::atomic<std::uint32_t> events{0};  // what they sleep on
};

// How long a waiter spins and yields before it sleeps (wait.cpp).
struct WaitBudget {
  std::int64_t spins = 0;
  std::int64_t yields = 0;
  std::int64_t meeting_yields = 0;  // while all ranks of a collective wait for each other
  // In a job that is timed every round that finds nothing is seen by idle_slow, which counts these;
  // `spins` is 0 then.
  std::int64_t timed_spins = 0;
  bool timed = false;
  bool many_threads = false;  // threads of the program may wait at the same time
};

// Whoever makes progress holds `progress_lock`, and with it what comes in: lanes, contacts,
// streams, doorbells. Locks are taken in the order progress, match queue, contact, send, the rest.
// Zero as constructed, tables included, so that it takes no memory before it is used.
struct Engine {
  Protocol* protocols[peer_kinds] = {};            // ours; null: there are no such peers
  PeerKind (*kind_of)(Process process) = nullptr;  // of our own job
  Meeting* meetings = nullptr;                     // with other jobs (meeting.hpp)
  platform::Lock meetings_lock;                    // of this list
  Meeting* left_meetings = nullptr;                // their protocols serve meetings to come
  // Other processes, by number; null before contact. Address space for all that there may be, so
  // that the table grows without moving.
  Peer** peers = nullptr;
  std::uint32_t process_count = 0;  // that have numbers
  Process self{};
  LocalRank local_rank{};
  Job job{};
  std::uint32_t ranks = 0;            // of our job
  std::uint32_t local_ranks = 0;      // of these, in this node's memory
  bool senders_fence = false;         // all senders of our job fence before they look at wake words
  bool fences_before_notify = false;  // and we do: for our job, or for those that we have met
  bool waits_by_progress = false;     // at once, instead of looking at memory for a while first:
                                      // oversubscribed, or the time that is waited is measured
  bool shortcuts_barred = false;      // see note_shortcuts()
  bool oversubscribed = false;        // more ranks than usable CPUs
  std::int64_t posted_bytes_max = 0;  // receives up to here are not told to their senders
  bool tells_outstanding = false;     // on the status board: this protocol does
  bool doorbells = false;             // we trust doorbells instead of looking at every lane
  WaitBudget wait_budget;
  Followers followers;
  bool about_to_sleep = false;  // a waiter has announced it: each round looks everywhere
  bool watches_memory = false;  // what is waited for is written by ranks of this node
  Peer** contacts = nullptr;    // as long; the peers whose lane to us is in use
  std::uint32_t contact_count = 0;
  std::uint32_t queued_count = 0;  // requests queued at all peers
  std::uint32_t copy_count = 0;    // long messages that wait to be copied (make_copies)
  ProgressSources sources;
  History* shared_history = nullptr;                            // by class of peers
  std::int64_t outstanding_bytes = 0;                           // see outstanding.hpp
  lockfree::ChannelClass outstanding = lockfree::channel_idle;  // what the status board says of it
  List<Request> active_to_self;  // active messages to this rank itself; under its lock
  platform::Lock to_self_lock;
  Counters counters;
  bool histories_apart = false;    // tools want to know the messages of each peer
  std::uint32_t sleep_timers = 0;  // tools that want to know how long threads have slept
  std::uint64_t slept_ns = 0;      // while there are such tools
  ReasonCounts reasons{};
  CollectiveCounts collectives{};
  OneSidedCounts one_sided{};
  // Long messages that have met their receives, for whoever lets go of the progress lock.
  List<UnexpectedMessage> copies;
  platform::Lock copies_lock;
  MatchQueues queues;
  LostPeers lost;
  platform::Lock progress_lock;
  platform::Lock contact_lock;      // of making peers and attaching their send rings
  platform::Lock channel_lock;      // of what the status board says
  platform::Lock wait_report_lock;  // held while a wait is told, by a thread that got it at once
};

extern Engine engine;

// The peer of a process, for the hot path: null when there is no contact yet.
BATON_INLINE Peer* known_peer(Process process) {
  // ORDER engine.peers: acquire here, release in make_peer.
  return std::atomic_ref(engine.peers[number_of(process)]).load(std::memory_order_acquire);
}
// A peer that was met.
inline Peer& peer_of(Process process) {
  return *engine.peers[number_of(process)];
}
// Returns whether a process is of our own job. Others are met later (meeting.hpp).
inline bool is_of_own_job(Process process) {
  return BATON_LIKELY(number_of(process) < engine.ranks);
}
ProcessId id_of_met(Process process);
Process process_of_met(ProcessId id);
transport::Slot slot_of_met(Process process);
const lockfree::RankPlace& place_of_met(Process process);
// Returns a process as all know it.
inline ProcessId id_of(Process process) {
  if (!is_of_own_job(process)) return id_of_met(process);
  return {engine.job, static_cast<WorldRank>(number_of(process))};
}
// Returns it as this process numbers it. Process numbers mean nothing elsewhere: what travels
// between processes is a ProcessId. A process of another job was met.
inline Process process_of(ProcessId id) {
  return id.job == engine.job ? static_cast<Process>(number_of(id.rank)) : process_of_met(id);
}
// Returns the slot of a process; one without arena, if it shares no memory with this one.
inline transport::Slot slot_of(Process process) {
  if (!is_of_own_job(process)) return slot_of_met(process);
  const LocalRank rank = transport::local_rank_of(process);
  return rank == not_on_this_node ? transport::Slot{} : transport::Slot{rank};
}
// Its rank in MPI_COMM_WORLD, to print.
inline std::uint32_t world_rank(Process process) {
  return number_of(id_of(process).rank);
}
// Where a process runs.
inline const lockfree::RankPlace& place_of(Process process) {
  return is_of_own_job(process) ? transport::place_of(process) : place_of_met(process);
}
// Returns what this process and another share of the machine.
PeerClass class_of(Process process);

// Returns whether messages go over the network, too: in jobs over several nodes, and in those that
// have met others which are elsewhere.
inline bool is_on_network() {
  return engine.protocols[static_cast<int>(PeerKind::network)] != nullptr;
}

// Adds to a counter.
BATON_INLINE void count(std::uint64_t& counter, std::uint64_t number = 1) {
  platform::add_shared(counter, number);
}

inline void ProgressSource::add(std::uint32_t number) {
  platform::add_shared(under_way_, number);
  platform::add_shared(engine.sources.under_way, number);
}

}  // namespace baton::message
