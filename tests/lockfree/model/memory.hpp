// The checker's memory: every atomic word keeps all values it ever had, and every thread knows
// which of them it can no longer read. That is the C++ memory model in its operational form, weaker
// than TSO and than store buffers: a relaxed store may be seen late and out of order, a release
// store never before what precedes it. Payload is plain memory with race detection by vector
// clocks. Used by explorer.cpp only. Invariant: values are only ever appended.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace baton::model {

inline constexpr int threads_max = 4;
inline constexpr int locations_max = 48;
inline constexpr std::size_t arena_bytes = 8192;

// What a thread, a value or a fence carries along.
struct Knowledge {
  std::array<std::uint8_t, locations_max> seen{};  // by word: the oldest value still readable
  std::array<std::uint16_t, threads_max> clock{};  // by thread: plain accesses known to be over

  void join(const Knowledge& other);
  void join_seen(const Knowledge& other);
  bool covers(const Knowledge& other) const;
};

std::uint64_t mix(std::uint64_t a, std::uint64_t b);

class Memory {
 public:
  Memory() { begin(); }
  // For another case, whose words lie elsewhere.
  void begin();
  // For another execution of the case.
  void reset();

  // The word at an address of the arena; its initial value is 0.
  int location_of(const void* address);
  void set_initial(const void* address, std::uint64_t value) {
    words_[location_of(address)][0].value = value;
  }
  int oldest(int thread, int location) const { return threads_[thread].now.seen[location]; }
  int latest(int location) const { return static_cast<int>(words_[location].size()) - 1; }
  std::uint64_t value(int location, int index) const { return words_[location][index].value; }

  // Whether reading the newer value leads nowhere that reading the older one does not.
  bool adds_nothing(int location, int older, int newer) const;

  // Accesses to atomic words. `read` is told which of the readable values it gets.
  std::uint64_t read(int thread, int location, int index, std::memory_order order);
  void write(int thread, int location, std::uint64_t value, std::memory_order order);
  // A read-modify-write gets the latest value and continues its release sequence.
  void modify(int thread, int location, std::uint64_t value, std::memory_order order);
  // From now on the thread cannot read anything older.
  void advance(int thread, int location, int index);
  void full_fence(int thread);
  void full_fence_everywhere();

  // Plain accesses; false when one is not ordered with an earlier conflicting one.
  bool plain_read(int thread, const void* address, std::size_t bytes);
  bool plain_write(int thread, const void* address, std::size_t bytes);

  // The state as far as it can still matter: values that somebody may read, counted from the oldest
  // of them, and what the threads in `alive` know. Two states of one key behave alike.
  std::uint64_t key(const bool (&alive)[threads_max]);
  // How far a read value is from the oldest one, as of the last call of `key`.
  int age(int location, int index) const {
    return index < base_[location] ? 0 : index + 1 - base_[location];
  }
  char* arena() { return arena_; }
  bool contains(const void* address) const {
    return address >= arena_ && address < arena_ + arena_bytes;
  }

 private:
  struct Value {
    std::uint64_t value;
    Knowledge released;  // what an acquiring reader learns
  };
  struct Thread {
    Knowledge now;
    Knowledge pending;   // learnt by relaxed reads; counts after a fence
    Knowledge released;  // known at the last fence; goes with relaxed stores
    bool released_lately = false;
  };
  struct Epochs {
    std::uint16_t write_clock;
    std::uint16_t writer;
    std::array<std::uint16_t, threads_max> read_clock;
  };
  void append(int thread, int location, std::uint64_t value, Knowledge released);
  // What the thread does after a release is not covered by it: the next plain access opens an
  // epoch.
  void tick(int thread) { threads_[thread].released_lately = true; }
  void open_epoch(int thread) {
    Thread& t = threads_[thread];
    if (t.released_lately) ++t.now.clock[thread];
    t.released_lately = false;
  }
  std::uint64_t relative_hash(const Knowledge& knowledge) const;

  alignas(64) char arena_[arena_bytes];
  std::array<std::vector<Value>, locations_max> words_;
  std::array<std::int16_t, arena_bytes / 4> location_by_slot_;
  int locations_ = 0;
  std::array<Thread, threads_max> threads_;
  Knowledge fences_;  // what all full fences so far have seen
  std::array<Epochs, arena_bytes> epochs_;
  std::size_t touched_bytes_ = arena_bytes;         // upper end of what must be reset
  std::array<std::uint8_t, locations_max> base_{};  // by word: the oldest value anyone may read
};

}  // namespace baton::model
