#include "collective/check/deadlock.hpp"

#include <time.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "base/event.hpp"
#include "base/settings.hpp"
#include "collective/check/describe_wait.hpp"
#include "collective/check/words.hpp"
#include "collective/form.hpp"
#include "message/core/engine.hpp"
#include "platform/thread.hpp"

namespace baton::collective {

using lockfree::CycleLines;
using message::engine;

namespace {

constexpr std::int64_t patience_ns = 1'000'000'000;
constexpr std::int64_t interval_ns = 100'000'000;
// A cycle counts when every rank in it has looked this often since it was seen first: messages that
// were on their way then have come.
constexpr std::uint32_t looks_min = 2;

enum class What : std::uint32_t { call, persistent_call, message, taker };

constexpr std::uint64_t by_nobody = 1;
constexpr std::uint64_t waited_by(std::uint32_t rank, std::uint32_t episode) {
  return std::uint64_t{episode} << 32 | (rank + 2);
}

CycleLines& lines_of(LocalRank rank) {
  return transport::status_row(rank).cycle;
}
bool waits(std::uint32_t episode) {
  return episode % 2 == 1;
}

// Returns this rank's communicator with this id and these members; null: it has none.
const Communicator* find_communicator(std::uint32_t id, std::uint64_t members) {
  const Communicator* found = nullptr;
  auto look = [&](const Communicator* comm) {
    if (comm && !comm->pending && comm->id == id && members_hash(*comm) == members) found = comm;
  };
  look(world::communicators.find(MPI_COMM_WORLD));
  world::communicators.for_each([&](MPI_Comm, Communicator* comm) { look(comm); });
  return found;
}

// Returns whether another rank waits for something that only this rank can do and has not done:
// this rank is not in the call that the other is in, or has not sent or received. This rank waits,
// too, so that this stays so.
bool waits_for_us(const CycleLines& lines) {
  // relaxed: the caller has read the episode before, and reads it again.
  const auto what = static_cast<What>(lines.what.load(std::memory_order_relaxed));
  if (what == What::message || what == What::taker)
    return lines.peer.load(std::memory_order_relaxed) ==
           static_cast<std::int32_t>(number_of(engine.self));
  const Communicator* comm = find_communicator(lines.communicator.load(std::memory_order_relaxed),
                                               lines.members.load(std::memory_order_relaxed));
  if (!comm) return false;
  const std::uint32_t begun = what == What::call ? comm->collectives : comm->persistent_collectives;
  // Numbers have 28 bits.
  const std::uint32_t behind = lines.number.load(std::memory_order_relaxed) - begun;
  return (behind & 0x0fffffff) < 1u << 27;
}

// Publishes a rank that waits for this one. It chooses a rank for which another rank waits in turn,
// or may wait, so that only cycles remain in the end.
void publish_waited_by(CycleLines& own) {
  std::uint64_t chosen = by_nobody;
  for (std::uint32_t rank = 0; rank < engine.local_ranks && chosen == by_nobody; ++rank) {
    const CycleLines& lines = lines_of(static_cast<LocalRank>(rank));
    // ORDER rank.waits: acquire here, release in Watch::look; where the rank waits.
    const std::uint32_t episode = lines.episode.load(std::memory_order_acquire);
    if (!waits(episode) || !waits_for_us(lines)) continue;
    // relaxed: the fence keeps the reads above before this one, which checks that they belong
    // together; the rank that it waits for is looked at again.
    std::atomic_thread_fence(std::memory_order_acquire);
    if (lines.episode.load(std::memory_order_relaxed) == episode &&
        lines.waited_by.load(std::memory_order_relaxed) != by_nobody)
      chosen = waited_by(rank, episode);
  }
  // relaxed: readers only look; the value is true for as long as both episodes last.
  own.waited_by.store(chosen, std::memory_order_relaxed);
}

// Finds the cycle that we are in: each rank is waited for by the next. Returns its length; 0: none.
std::uint32_t find_cycle(LocalRank* cycle) {
  std::uint32_t count = 0;
  LocalRank at = engine.local_rank;
  do {
    if (count == engine.local_ranks) return 0;  // a cycle of others, without us
    cycle[count++] = at;
    // relaxed: as above; a cycle is looked at several times.
    const std::uint64_t by = lines_of(at).waited_by.load(std::memory_order_relaxed);
    if (by <= by_nobody) return 0;
    at = static_cast<LocalRank>(static_cast<std::uint32_t>(by) - 2);
    // ORDER rank.waits: acquire here, release in Watch::look and Watch::end.
    if (lines_of(at).episode.load(std::memory_order_acquire) != by >> 32) return 0;
  } while (at != engine.local_rank);
  return count;
}

std::uint32_t rank_of(LocalRank rank) {
  return message::world_rank(transport::process_at(rank));
}

void add_place(Words& words, LocalRank rank) {
  char text[sizeof(CycleLines::words) + 1] = {};
  for (std::size_t i = 0; i < std::size(lines_of(rank).words); ++i) {
    // relaxed: the episode has been read.
    std::uint64_t word = lines_of(rank).words[i].load(std::memory_order_relaxed);
    std::memcpy(text + i * sizeof word, &word, sizeof word);
  }
  words.add("rank %u is in %s", rank_of(rank), text);
  const auto channel = lockfree::look_at_channel(transport::status_row(rank).channel);
  if (channel > lockfree::channel_idle && channel < lockfree::channel_class_max)
    words.add(" with up to %lld KiB of long messages outstanding",
              static_cast<long long>(lockfree::channel_class_limit(channel) >> 10));
}

[[noreturn]] void end_job(const char* text) {
  print_message(text);
  error_handling.abort_job(MPI_ERR_OTHER);
  std::abort();
}

// Reports a cycle, in which each rank waits for the one before it.
[[noreturn]] void report_cycle(const LocalRank* cycle, std::uint32_t count) {
  constexpr std::uint32_t ranks_told_max = 6;
  const auto first = static_cast<std::uint32_t>(std::min_element(cycle, cycle + count) - cycle);
  char text[960];
  Words words(text);
  words.add("deadlock: ");
  for (std::uint32_t i = 0; i < count; ++i) {
    if (i == ranks_told_max) {
      words.add("and so on, %u ranks in a cycle", count);
      break;
    }
    const std::uint32_t at = (first + count - i) % count;
    add_place(words, cycle[at]);
    words.add(" and waits for rank %u%s", rank_of(cycle[(at + count - 1) % count]),
              i + 1 < count ? "; " : "");
  }
  words.add(" (ranks of MPI_COMM_WORLD)");
  end_job(text);
}

[[noreturn]] void report_finalized(Process process) {
  char text[400];
  Words words(text);
  words.add("deadlock: ");
  add_place(words, engine.local_rank);
  words.add(" and waits for rank %u, which has called MPI_Finalize (ranks of MPI_COMM_WORLD)",
            message::world_rank(process));
  end_job(text);
}

// Returns whether a process has finalized. This is not known here of ranks on other nodes; cycles
// are found among the ranks of one node.
bool has_finalized(Process process) {
  if (transport::local_rank_of(process) == not_on_this_node) return false;
  // ORDER rank.phase: acquire here, release in world/process.cpp; all it has sent is there.
  return transport::status_row(transport::local_rank_of(process))
             .state.phase.load(std::memory_order_acquire) == lockfree::Phase::finalized;
}

}  // namespace

// This is a rank of a cycle, as it was when the cycle was seen first.
struct Watch::Seen {
  LocalRank rank;
  std::uint32_t episode, looks;
};

// This is the thing that a rank waits for.
struct Watch::Subject {
  What what;
  const Communicator& comm;
  std::uint32_t number;
  Process peer;  // of a message
  const Checking* checking;
  char words[sizeof(CycleLines::words)];
};

bool Watch::is_due() {
  if (!engine.tells_outstanding) return false;
  // While the rank mostly sleeps, each look counts; else reading the clock each time would cost too
  // much.
  if (++polls_ % 64 != 0 && !platform::load_shared(engine.about_to_sleep)) return false;
  timespec time;
  ::clock_gettime(CLOCK_MONOTONIC, &time);
  const std::int64_t now = time.tv_sec * std::int64_t{1'000'000'000} + time.tv_nsec;
  if (started_ == 0) {
    started_ = now;
    next_ = now + patience_ns;
  }
  if (now < next_) return false;
  next_ = now + interval_ns;
  // Another thread may still come.
  return !platform::threads_multiple || platform::thread_count() == 1;
}

void Watch::look_at(const Checking& checking) {
  if (is_due()) look_at_call(checking, false);
}

void Watch::look_at_call(const Checking& checking, bool apart) {
  Subject subject{checking.number.persistent ? What::persistent_call : What::call,
                  checking.comm,
                  checking.number.number,
                  {},
                  &checking,
                  {}};
  Words words(subject.words);
  const char* caller = caller_on(checking.comm);
  words.add("%s%s (", apart ? "a wait for " : "",
            caller ? caller : ProcedureName(checking.procedure).text);
  words.add_call(checking.comm, checking.number);
  words.add(")");
  look(subject);
}

// While another thread may change the request and its run, no look is due.
void Watch::look_at(const message::Request& request) {
  if (!is_due()) return;
  if (const Run* run = run_of(request)) {
    if (!run->checking) return end();
    return look_at_call(*run->checking, true);
  }
  const auto* comm = static_cast<const Communicator*>(request.owner);
  const bool receives = request.kind == message::RequestKind::receive &&
                        request.stage == message::Stage::posted && request.source >= 0;
  const bool sends =
      request.kind == message::RequestKind::send && request.stage == message::Stage::offered;
  if (!comm || comm->point_to_point.receive_id != request.context || (!receives && !sends))
    return end();
  Subject subject{receives ? What::message : What::taker,
                  *comm,
                  0,
                  receives ? comm->point_to_point.process(request.source) : request.process,
                  nullptr,
                  {}};
  Words words(subject.words);
  words.add(receives ? "a receive" : "a send");
  if (request.tag >= 0) words.add(" (tag %d)", request.tag);
  words.add(" on %s", comm->name[0] ? comm->name : "a communicator without a name");
  look(subject);
}

void Watch::look_at(const message::ProbeWait& probe) {
  if (!settings.check || probe.source < 0 || !is_due()) return;
  const auto& comm = *static_cast<const Communicator*>(probe.owner);
  Subject subject{What::message, comm, 0, comm.point_to_point.process(probe.source), nullptr, {}};
  Words words(subject.words);
  words.add("a probe");
  if (probe.tag >= 0) words.add(" (tag %d)", probe.tag);
  words.add(" on %s", comm.name[0] ? comm.name : "a communicator without a name");
  look(subject);
}

void Watch::look(const Subject& subject) {
  CycleLines& own = lines_of(engine.local_rank);
  if (!published_) {
    if (!seen_) seen_ = static_cast<Seen*>(std::calloc(2 * engine.local_ranks, sizeof(Seen)));
    // A message that has not left this rank may be what another waits for. Without memory nothing
    // is published, nor while another wait of this rank is (relaxed: our own store).
    if (!seen_ || waits(own.episode.load(std::memory_order_relaxed)) || engine.queued_count > 0)
      return;
    // relaxed, all: the episode publishes them.
    own.waited_by.store(0, std::memory_order_relaxed);
    own.what.store(static_cast<std::uint32_t>(subject.what), std::memory_order_relaxed);
    own.communicator.store(subject.comm.id, std::memory_order_relaxed);
    own.number.store(subject.number, std::memory_order_relaxed);
    own.peer.store(static_cast<std::int32_t>(number_of(subject.peer)), std::memory_order_relaxed);
    own.members.store(members_hash(subject.comm), std::memory_order_relaxed);
    for (std::size_t i = 0; i < std::size(own.words); ++i) {
      std::uint64_t word;
      std::memcpy(&word, subject.words + i * sizeof word, sizeof word);
      own.words[i].store(word, std::memory_order_relaxed);
    }
    // ORDER rank.waits: release here, acquire in publish_waited_by and find_cycle.
    own.episode.store(own.episode.load(std::memory_order_relaxed) + 1, std::memory_order_release);
    published_ = true;
    cycle_ = finalized_ = 0;
    return;
  }
  // ORDER rank.looks: release here, acquire in is_confirmed; what others had sent before has come.
  own.looks.store(own.looks.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  Process awaited{};
  finalized_ = awaits_finalized(subject, &awaited) ? finalized_ + 1 : 0;
  if (finalized_ > looks_min) report_finalized(awaited);
  publish_waited_by(own);
  auto* cycle = reinterpret_cast<LocalRank*>(seen_ + engine.local_ranks);
  const std::uint32_t count = find_cycle(cycle);
  if (is_confirmed(cycle, count)) report_cycle(cycle, count);
}

// Returns whether the wait is for a rank that has finalized. The member that judges waits for those
// it has not heard of, the others wait for it.
bool Watch::awaits_finalized(const Subject& subject, Process* awaited) const {
  *awaited = subject.peer;
  if (!subject.checking) return has_finalized(*awaited);
  const world::Members members = subject.comm.members(0);
  const bool judges = subject.checking->heard != nullptr;
  for (int i = judges ? 1 : 0; i < (judges ? members.count : 1); ++i) {
    if (judges && subject.checking->has_heard(i)) continue;
    *awaited = members.process_at(i);
    if (has_finalized(*awaited)) return true;
  }
  return false;
}

// Returns whether it is the cycle that was seen before, and every rank in it has looked since.
bool Watch::is_confirmed(const LocalRank* cycle, std::uint32_t count) {
  bool same = count > 0 && count == cycle_, looked = true;
  for (std::uint32_t i = 0; i < count; ++i) {
    const CycleLines& lines = lines_of(cycle[i]);
    // ORDER rank.looks: acquire here, release in Watch::look.
    const std::uint32_t looks = lines.looks.load(std::memory_order_acquire);
    // relaxed: find_cycle has read it; a change is seen next time.
    const std::uint32_t episode = lines.episode.load(std::memory_order_relaxed);
    same = same && seen_[i].rank == cycle[i] && seen_[i].episode == episode;
    if (!same) seen_[i] = {cycle[i], episode, looks};
    looked &= looks - seen_[i].looks >= looks_min;
  }
  cycle_ = count;
  return same && looked;
}

void Watch::end() {
  started_ = 0;
  if (!published_) return;
  CycleLines& own = lines_of(engine.local_rank);
  // ORDER rank.waits: release here, acquire in find_cycle; the next episode comes later.
  own.episode.store(own.episode.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  published_ = false;
}

namespace {

void wait_and_watch(const message::Request& request) {
  Watch watch;
  message::wait_until(
      [&] {
        if (message::is_complete(request)) return true;
        watch.look_at(request);
        return false;
      },
      [&] {
        return message::WaitSubject{message::WaitSubject::Kind::request, &request};
      });
  watch.end();
}

}  // namespace

void watch_waits() {
  if (!settings.check) return;
  message::wait_watched = wait_and_watch;
  // relaxed: it is set before the first call.
  told_events.fetch_or(checked_calls_bit, std::memory_order_relaxed);
}

}  // namespace baton::collective
