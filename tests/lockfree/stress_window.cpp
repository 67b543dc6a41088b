// Stress of what ranks share of a window: turns at a lock with sleeping and waking, elements that
// some change by atomic instructions and some plainly, lists of attached memory.
#include <algorithm>
#include <atomic>
#include <cstdio>

#include "lockfree/window_row.hpp"
#include "platform/futex.hpp"
#include "tests/lockfree/stress.hpp"

namespace baton::stress {

namespace {

using lockfree::Hardware;
constexpr std::uint32_t ranks_max = 4;
constexpr std::size_t elements = 64;

struct Row {
  lockfree::TurnLock<Hardware> lock;
  std::atomic<std::uint32_t> waiters[ranks_max];
  lockfree::Doorbell<Hardware> doorbells[ranks_max];
  alignas(64) std::uint64_t data[elements];  // all the same while nobody writes
  std::atomic<std::uint64_t> done[ranks_max];

  lockfree::ElementGuard<Hardware> guard;
  lockfree::BusyLine<Hardware> busy[ranks_max];
  std::atomic<std::uint64_t> visitors[1];
};
Row& make_row() {
  return *reinterpret_cast<Row*>(shared_memory(sizeof(Row)));
}

// A rank at the lock, as window/turn.cpp.
class Taker {
 public:
  Taker(Row& row, std::uint32_t rank, bool fences)
      : row_(row), rank_(rank), fences_(fences), waiter_(row.doorbells[rank], fences) {}

  std::uint32_t take(bool writes) {
    const std::uint32_t number = take_number(row_.lock);
    if (!is_served(row_.lock, number, writes)) {
      row_.waiters[number % ranks_max].store(rank_ + 1, std::memory_order_relaxed);
      while (!is_served(row_.lock, number, writes)) waiter_.idle();
      waiter_.reset();
    }
    if (writes) return number;
    let_readers_in(row_.lock, number);
    wake(number + 1);
    return number;
  }
  void give(std::uint32_t number, bool writes) { wake(let_go(row_.lock, number, writes)); }
  std::uint64_t sleeps() const { return waiter_.sleeps; }

 private:
  void wake(std::uint32_t number) {
    Hardware::compiler_fence();
    if (fences_) Hardware::full_fence();
    if (!is_taken(row_.lock, number)) return;
    const std::uint32_t name = row_.waiters[number % ranks_max].load(std::memory_order_relaxed);
    if (name == 0) return;
    auto& doorbell = row_.doorbells[name - 1];
    if (wants_attention(doorbell) && end_sleep(doorbell)) platform::futex_wake(doorbell.wake.word);
  }

  Row& row_;
  std::uint32_t rank_;
  bool fences_;
  Waiter waiter_;
};

void take_turns(Row& row, std::uint32_t rank, bool fences, Random& random) {
  Taker taker(row, rank, fences);
  std::uint64_t written = 0, turns = 0;
  for (; !time_is_over(); ++turns) {
    const bool writes = random() % 2 == 0;
    const std::uint32_t number = taker.take(writes);
    const std::uint64_t before = row.data[0];
    for (std::uint64_t& value : row.data) {
      check(value == before, writes ? "a writer is not alone" : "a reader sees half of a change");
      if (writes) value = before + 1;
    }
    written += writes;
    dawdle(random);
    taker.give(number, writes);
  }
  // relaxed: read when this process has ended.
  row.done[rank].store(written, std::memory_order_relaxed);
  if (rank == 0)
    std::printf("  %llu turns, %llu sleeps of rank 0\n", static_cast<unsigned long long>(turns),
                static_cast<unsigned long long>(taker.sleeps()));
}

// Changes elements as window/elements.cpp.
struct Changer {
  Row& row;
  std::uint32_t rank;
  bool fences;

  void begin() { lockfree::add_visitor(row.visitors, rank); }
  void order() {
    if (fences)
      Hardware::full_fence();
    else
      platform::membarrier_all();
  }
  // Whether each change must be an atomic instruction.
  bool lock(bool lone, std::uint32_t* number) {
    *number = take_number(row.lock);
    while (!is_served(row.lock, *number, true)) platform::yield_cpu();
    if (mode_of(row.guard) == lockfree::GuardMode::atomic) {
      if (lone) return true;
      forbid_atomic_changes(row.guard);
      order();
      lockfree::for_each_visitor(row.visitors, ranks_max, [&](std::uint32_t visitor) {
        while (is_busy(row.busy[visitor])) platform::yield_cpu();
      });
      return false;
    }
    if (!note_use(row.guard, lone, 20)) return false;
    allow_atomic_changes(row.guard);
    return lone;
  }
  // Gives whether that was by an atomic instruction.
  bool change_one(std::size_t element) {
    const bool begun = begin_atomic_change(row.guard, row.busy[rank], false, [this] {
      Hardware::compiler_fence();
      if (fences) Hardware::full_fence();
    });
    std::uint32_t number;
    const bool atomic = begun || lock(true, &number);
    if (atomic)
      std::atomic_ref(row.data[element]).fetch_add(1, std::memory_order_acq_rel);
    else
      ++row.data[element];
    if (begun)
      end_atomic_change(row.busy[rank], false);
    else
      let_go(row.lock, number, true);
    return atomic;
  }
  void change_all(Random& random) {
    std::uint32_t number;
    check(!lock(false, &number), "a long change by atomic instructions");
    for (std::uint64_t& value : row.data) ++value;
    dawdle(random);
    let_go(row.lock, number, true);
  }
};

void change_elements(Row& row, std::uint32_t rank, bool fences, Random& random) {
  Changer changer{row, rank, fences};
  changer.begin();
  std::uint64_t changes = 0, atomic = 0, all = 0;
  while (!time_is_over()) {
    if (random() % 200 == 0) {
      changer.change_all(random);
      changes += elements;
      ++all;
    } else {
      atomic += changer.change_one(random() % elements);
      ++changes;
    }
    dawdle(random);
  }
  // relaxed: read when this process has ended.
  row.done[rank].store(changes, std::memory_order_relaxed);
  check(rank != 0 || (atomic > 10 && all > 0), "next to nothing happened in one of the ways");
  if (rank == 0)
    std::printf("  %llu atomic changes, %llu of all\n", static_cast<unsigned long long>(atomic),
                static_cast<unsigned long long>(all));
}

// Whether as much has changed as all have changed.
bool is_all_there(const Row& row, std::uint64_t changed) {
  std::uint64_t done = 0;
  for (const auto& its : row.done) done += its.load(std::memory_order_relaxed);
  if (done != changed)
    std::fprintf(stderr, "stress: %llu changes were made, %llu are there\n",
                 static_cast<unsigned long long>(done), static_cast<unsigned long long>(changed));
  if (done < 100) std::fprintf(stderr, "stress: next to nothing happened\n");
  return done == changed && done >= 100;
}

constexpr std::size_t regions_max = 16;
struct Regions {
  lockfree::RegionLine<Hardware> line;
  lockfree::SharedRegion<Hardware> lists[2][regions_max];
  std::atomic<bool> over;
};

// A list is any part of the numbers from some one on; each region has twice as many bytes.
void change_regions(Regions& regions, Random& random) {
  std::uint64_t place = 0;
  while (!time_is_over()) {
    const std::uint64_t first = 1 + random() % 1000, count = random() % regions_max;
    auto write_all = [&](std::uint64_t where, std::uint64_t bytes) {
      for (std::uint64_t i = 0; i < regions_max; ++i)
        write_region(regions.lists[where][i], {first + i, bytes * (first + i)});
    };
    const std::uint64_t old = place;
    if (random() % 2 == 0) place = 1 - place;
    publish_regions(regions.line, place, count, [&] { write_all(place, 2); });
    if (place != old) write_all(old, 3);  // nobody's list any more
    dawdle(random);
  }
  // release: with the last version.
  regions.over.store(true, std::memory_order_release);
}

void read_regions(Regions& regions, Random& random) {
  std::uint64_t version = 0, copies = 0, attempts = 0;
  while (!regions.over.load(std::memory_order_acquire)) {
    if (random() % 64 == 0) dawdle(random);
    if (is_current(regions.line, version)) continue;
    ++attempts;
    const lockfree::RegionView view = view_regions(regions.line);
    lockfree::WindowRegion copy[regions_max];
    for (std::uint64_t i = 0; i < regions_max; ++i)
      copy[i] = read_region(regions.lists[view.list][i]);
    if (!is_still(regions.line, view)) continue;
    check(view.version > version, "the version goes back");
    version = view.version;
    ++copies;
    for (std::uint64_t i = 0; i < view.count; ++i)
      check(copy[i].bytes == 2 * copy[i].address && copy[i].address == copy[0].address + i,
            "a list that never was");
  }
  check(copies > 10, "next to nothing was read");
  std::printf("  %llu copies of %llu attempts\n", static_cast<unsigned long long>(copies),
              static_cast<unsigned long long>(attempts));
}

}  // namespace

bool stress_turns(const char* name, double seconds, std::uint64_t seed, std::uint32_t ranks,
                  bool fences) {
  Row& row = make_row();
  row.lock.next = row.lock.gone = row.lock.let_in = ~std::uint32_t{1000};
  std::vector<Process> processes;
  for (std::uint32_t rank = 0; rank < ranks; ++rank)
    processes.push_back(
        [&row, rank, fences](Random& random) { take_turns(row, rank, fences, random); });
  return run(name, seconds, seed, processes) && is_all_there(row, row.data[0]);
}

bool stress_elements(const char* name, double seconds, std::uint64_t seed, std::uint32_t ranks,
                     bool fences) {
  Row& row = make_row();
  std::vector<Process> processes;
  for (std::uint32_t rank = 0; rank < ranks; ++rank)
    processes.push_back(
        [&row, rank, fences](Random& random) { change_elements(row, rank, fences, random); });
  if (!run(name, seconds, seed, processes)) return false;
  std::uint64_t changed = 0;
  for (std::uint64_t value : row.data) changed += value;
  return is_all_there(row, changed);
}

bool stress_regions(const char* name, double seconds, std::uint64_t seed) {
  auto& regions = *reinterpret_cast<Regions*>(shared_memory(sizeof(Regions)));
  return run(name, seconds, seed,
             {[&](Random& random) { change_regions(regions, random); },
              [&](Random& random) { read_regions(regions, random); }});
}

}  // namespace baton::stress
