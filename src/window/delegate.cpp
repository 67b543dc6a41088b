#include "window/delegate.hpp"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>

#include "base/failure_class.hpp"
#include "base/settings.hpp"
#include "message/core/attend.hpp"
#include "message/core/engine.hpp"
#include "message/core/notify.hpp"
#include "platform/clock.hpp"
#include "platform/cross_memory.hpp"
#include "transport/heap.hpp"
#include "transport/node.hpp"
#include "window/change.hpp"

namespace baton::window {

namespace {

// --- the target's side

// A detached region is refused: the origin reaches it better by the kernel, which notices when the
// memory is gone.
bool is_attached(Window& window, const WorkRange& range) {
  lockfree::WindowRegion region;
  return !window.is_dynamic() ||
         find_region(window, window.own(), range.address, static_cast<std::int64_t>(range.bytes),
                     &region) == Lies::attached;
}

void do_range(Window& window, Work& work, const WorkRange& range, char* data) {
  char* memory = reinterpret_cast<char*>(range.address);
  const auto bytes = static_cast<std::int64_t>(range.bytes);
  if (work.kind == WorkKind::put) return void(std::memcpy(memory, data, range.bytes));
  if (work.kind == WorkKind::get) return void(std::memcpy(data, memory, range.bytes));
  char old[Work::data_bytes_max];
  if (work.kind != WorkKind::compare_and_swap)
    work.error = change_own(window, memory, work.type, bytes, work.operation, data,
                            work.kind == WorkKind::get_accumulate ? old : nullptr);
  else if (auto* type = datatype::datatypes.find(datatype::datatypes.from_int(work.type)))
    work.error = swap_element(window, {&window.own(), memory, range.address}, *type, data,
                              data + bytes, old);
  else
    work.error = MPI_ERR_OP;
  if (work.kind != WorkKind::accumulate) std::memcpy(data, old, range.bytes);
}

void do_work(Work& work, LocalRank asker, Listeners& listeners) {
  Window* window = listeners.find(work.window);
  if (!window) {
    work.error = MPI_ERR_WIN;
    return;
  }
  for (std::uint32_t i = 0; i < work.ranges; ++i)
    if (!is_attached(*window, work.range(i))) {
      work.error = Work::not_done;
      return;
    }
  if (work.kind >= WorkKind::put_stream) return stream_for(work, asker, *window);
  char* data = work.data;
  for (std::uint32_t i = 0; i < work.ranges && !work.error; ++i) {
    do_range(*window, work, work.range(i), data);
    data += work.range(i).bytes;
  }
}

// --- the origin's side

// How long a target is waited for: as long as this rank takes to do the work itself, so that a wait
// in vain costs no more than that again. There is no wait where ranks outnumber CPUs, since the
// target then most likely has no CPU.
class Patience {
 public:
  explicit Patience(std::int64_t ticks)
      : polls_(settings.delegation_polls),
        end_ticks_(polls_ < 0 ? platform::now_ticks() + ticks : 0) {}
  bool is_none() const { return polls_ < 0 ? message::engine.oversubscribed : polls_ == 0; }
  bool is_over() { return polls_ < 0 ? platform::now_ticks() >= end_ticks_ : polls_-- == 0; }

 private:
  std::int64_t polls_;
  std::int64_t end_ticks_;
};

// Ends work that a target has begun which has died since: nobody knows how far it has come. Returns
// whether it is so.
bool end_if_died(Work& work, LocalRank whom) {
  if (!transport::has_died(whom) || lockfree::is_done(work.state)) return false;
  work.error = error_process_failed;
  lockfree::finish(work.state);
  return true;
}

// Returns whether the target has done the work; if not, it never will.
bool await(Work& work, LocalRank whom, Patience& patience) {
  constexpr int pauses_max = 1000;  // guess
  int pauses = 0;
  for (bool over = false;;) {
    if (lockfree::is_done(work.state)) return true;
    if (!over && patience.is_over()) {
      if (lockfree::withdraw(work.state, number_of(whom))) return false;
      over = true;
    }
    // The rank that we ask may be asking us.
    if (message::is_asked()) (void)message::attendance.attend();
    // The target may lose its CPU between taking the work and doing it.
    if (!over || pauses++ < pauses_max)
      platform::pause_cpu();
    else if (!end_if_died(work, whom))
      platform::yield_cpu();
  }
}

}  // namespace

DelegationSpace* Delegation::space_of(LocalRank rank) {
  DelegationPartner& partner = partners[number_of(rank)];
  if (BATON_LIKELY(partner.space || !partner.address)) return partner.space;
  char* here = transport::exported_heap.reach(rank, reinterpret_cast<const void*>(partner.address));
  partner.space = reinterpret_cast<DelegationSpace*>(here);
  if (!here) partner.address = 0;
  return partner.space;
}

bool Delegation::attend(Listeners& listeners) {
  platform::Guard guard(partners_lock);
  bool any = false;
  if (!own_work()) return any;  // a thread has freed the last window meanwhile
  const std::uint32_t own = number_of(transport::own_rank());
  std::uint64_t bits = lockfree::take_askers(own_space->bell);
  for (; bits != 0; bits &= bits - 1)
    for (auto rank = static_cast<std::uint32_t>(__builtin_ctzll(bits));
         rank < transport::rank_count(); rank += 64) {
      DelegationSpace* space = space_of(static_cast<LocalRank>(rank));
      if (!space || !lockfree::take(space->work.state, own)) continue;
      do_work(space->work, static_cast<LocalRank>(rank), listeners);
      lockfree::finish(space->work.state);
      any = true;
    }
  return any;
}

std::uint64_t Delegation::open(bool (*when_asked)()) {
  {
    const OwnWay first(*this);  // a guess of own_ticks, until there is a measured value
    std::uint64_t from = 0, to;
    (void)platform::read_process_memory(::getpid(), &from, &to, sizeof to);
  }
  platform::Guard guard(partners_lock);
  if (users++ == 0) {
    partners = static_cast<DelegationPartner*>(
        std::calloc(transport::rank_count(), sizeof(DelegationPartner)));
    void* memory = own_space;
    if (!memory && partners &&
        transport::exported_heap.allocate(sizeof(DelegationSpace), alignof(DelegationSpace),
                                          nullptr, false, &memory))
      memory = nullptr;
    own_space = static_cast<DelegationSpace*>(memory);
    if (own_work()) {
      message::attendance.attend = when_asked;
      platform::store_shared(message::attendance.askers, &own_space->bell.askers);
    }
  }
  return own_work() ? reinterpret_cast<std::uint64_t>(own_space) : 0;
}

void Delegation::close() {
  platform::Guard guard(partners_lock);
  if (--users != 0) return;
  platform::store_shared(message::attendance.askers, &message::nobody);
  streams.free();
  std::free(partners);
  partners = nullptr;
}

void Delegation::note_space(LocalRank rank, std::uint64_t address) {
  platform::Guard guard(partners_lock);
  if (!partners || rank == not_on_this_node) return;
  DelegationPartner& partner = partners[number_of(rank)];
  if (partner.address != address) partner = {address, nullptr, 0, 0, 0};
}

OwnWay::OwnWay(Delegation& its) : its_(its), start_ticks_(platform::now_ticks()) {}

OwnWay::~OwnWay() {
  const std::int64_t ticks = platform::now_ticks() - start_ticks_, before = its_.own_way_ticks();
  // If this rank lost its CPU meanwhile, that is no reason to wait so long, so the value grows
  // slowly. (relaxed: as above.)
  its_.own_ticks.store(before == 0 ? ticks : std::min(ticks, before + before / 16 + 1),
                       std::memory_order_relaxed);
}

void describe_work(Work& work, const Window& window, WorkKind kind, const Datatype* type,
                   const Operation* operation) {
  work.window = window.comm->id;
  work.kind = kind;
  work.type = datatype::datatypes.to_int(type ? type->handle : MPI_BYTE);
  work.operation = operation ? datatype::operations.to_int(operation->handle) : 0;
  work.error = MPI_SUCCESS;
  work.ranges = work.data_bytes = 0;
}

// Targets that do not answer are asked ever more rarely. A target that sleeps in MPI is woken, and
// asked again when it may be awake. The numbers are guesses.
void Delegation::note_miss(LocalRank rank) {
  constexpr std::uint32_t misses_max = 4;
  constexpr std::int64_t own_ways_until_awake = 8;
  const bool sleeps = message::wake_rank(rank);
  platform::Guard guard(partners_lock);
  DelegationPartner& partner = partners[number_of(rank)];
  if (sleeps) {
    partner.wakes_ticks = platform::now_ticks() + own_ways_until_awake * own_way_ticks();
    return;
  }
  if (partner.misses < misses_max) ++partner.misses;
  partner.skips = 1u << partner.misses;
}

// Asks the target, unless it seldom answers. Returns whether it was asked.
bool Delegation::ask_target(const Target& target, Work& work) {
  platform::Guard guard(partners_lock);
  DelegationPartner& partner = partners[number_of(target.local_rank)];
  if (partner.skips > 0) {
    --partner.skips;
    return false;
  }
  if (platform::now_ticks() < partner.wakes_ticks) return false;
  DelegationSpace* space = space_of(target.local_rank);
  if (!space) return false;
  lockfree::ask(work.state, number_of(target.local_rank), space->bell,
                number_of(transport::own_rank()));
  return true;
}

bool Delegation::delegate(const Target& target, Work& work) {
  Patience patience(own_way_ticks());
  if (patience.is_none() || !ask_target(target, work)) return false;
  if (await(work, target.local_rank, patience)) {
    platform::Guard guard(partners_lock);
    partners[number_of(target.local_rank)].misses = 0;
    return work.error != Work::not_done;
  }
  note_miss(target.local_rank);
  return false;
}

bool Delegation::begin_together(const Target& target, Work& work) {
  // Guesses: the wait is short beside what is saved, and long enough for the target to wake up
  // where there is much to do.
  constexpr std::int64_t own_ways = 4;
  constexpr std::uint64_t bytes_an_own_way = 1 << 16;
  const auto longer = static_cast<std::int64_t>(work.first.bytes / bytes_an_own_way);
  Patience patience((own_ways + longer) * own_way_ticks());
  if (patience.is_none() || !ask_target(target, work)) return false;
  const bool woken = message::wake_rank(target.local_rank);
  const std::uint32_t whom = number_of(target.local_rank);
  while (lockfree::is_untaken(work.state, whom)) {
    const bool over = patience.is_over();
    if (over || message::is_asked()) {
      if (!lockfree::withdraw(work.state, whom)) break;
      if (over && !woken) note_miss(target.local_rank);
      if (over) return false;
      (void)message::attendance.attend();
      if (!ask_target(target, work)) return false;
    }
    platform::pause_cpu();
  }
  platform::Guard guard(partners_lock);
  partners[whom].misses = 0;
  return true;
}

void Delegation::end_together(const Target& target, Work& work) {
  constexpr int pauses_max = 1000;  // guess
  for (int pauses = 0; !lockfree::is_done(work.state);)
    if (pauses++ < pauses_max)
      platform::pause_cpu();
    else if (!end_if_died(work, target.local_rank))
      platform::yield_cpu();
}

}  // namespace baton::window
