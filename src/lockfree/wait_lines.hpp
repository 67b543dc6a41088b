// These lines of the status board say where a rank waits. The rank writes them when a wait has
// lasted a while; mpiexec and `baton stat` read them. Invariant: one thread of the rank writes; a
// reader that sees the same odd episode before and after has read a consistent description. A
// reader may find any bytes, since any rank can write there: it bounds every number and text.
#pragma once

#include <atomic>
#include <cstdint>
#include <cstring>

#include "base/cache_line.hpp"

namespace baton::lockfree {

// This is text in shared memory, in words that are atomic each.
template <std::size_t bytes>
struct BoardText {
  static_assert(bytes % sizeof(std::uint64_t) == 0);
  std::atomic<std::uint64_t> words[bytes / sizeof(std::uint64_t)];

  // relaxed, both: the episode publishes and orders the words.
  void write(const char (&text)[bytes]) {
    for (std::size_t i = 0; i < std::size(words); ++i) {
      std::uint64_t word;
      std::memcpy(&word, text + i * sizeof word, sizeof word);
      words[i].store(word, std::memory_order_relaxed);
    }
  }
  void read(char (&text)[bytes]) const {
    for (std::size_t i = 0; i < std::size(words); ++i) {
      const std::uint64_t word = words[i].load(std::memory_order_relaxed);
      std::memcpy(text + i * sizeof word, &word, sizeof word);
    }
    text[bytes - 1] = 0;
  }
};

// These are ranks of the job, as ranges; if there are more than fit, the rest is only noted.
struct AwaitedRanks {
  static constexpr std::uint32_t ranges_max = 14;
  std::uint32_t count = 0;  // number of ranges
  bool more = false;        // there are ranges that did not fit
  std::uint32_t ranges[ranges_max];

  static constexpr std::uint32_t first_of(std::uint32_t range) { return range >> 16; }
  static constexpr std::uint32_t last_of(std::uint32_t range) { return range & 0xffff; }

  // Adds a rank; ascending order needs the fewest ranges.
  void add(std::uint32_t rank) {
    for (std::uint32_t i = 0; i < count; ++i) {
      if (first_of(ranges[i]) <= rank && rank <= last_of(ranges[i])) return;
      if (rank == last_of(ranges[i]) + 1) return void(++ranges[i]);
    }
    if (count < ranges_max)
      ranges[count++] = rank << 16 | rank;
    else
      more = true;
  }
  template <class Act>
  void each(Act&& act) const {
    for (std::uint32_t i = 0; i < count; ++i)
      for (std::uint32_t rank = first_of(ranges[i]); rank <= last_of(ranges[i]); ++rank) act(rank);
  }
};

inline constexpr std::size_t wait_procedure_bytes = 40;
inline constexpr std::size_t wait_words_bytes = 168;

// This describes a wait, as one side writes it and the other reads it.
struct WaitDescription {
  std::uint32_t collective = 0;               // 1: in a collective call, named by the next three
  std::uint32_t communicator = 0;             // the communicator's id
  std::uint32_t number = 0;                   // number of the call on it
  std::uint64_t members = 0;                  // a hash of its members
  std::int64_t since_ns = 0;                  // CLOCK_MONOTONIC
  AwaitedRanks awaited;                       // ranks that can end the wait
  char procedure[wait_procedure_bytes] = {};  // "MPI_Recv"; empty: not known
  char words[wait_words_bytes] = {};
};

struct alignas(cache_line_bytes) WaitLines {
  std::atomic<std::uint32_t> episode;  // odd: the rank waits, and the members below say for what
  std::atomic<std::uint32_t> collective;
  std::atomic<std::uint32_t> communicator;
  std::atomic<std::uint32_t> number;
  std::atomic<std::uint64_t> members;
  std::atomic<std::int64_t> since_ns;
  std::atomic<std::uint32_t> awaited_count;
  std::atomic<std::uint32_t> awaited_more;
  std::atomic<std::uint32_t> awaited[AwaitedRanks::ranges_max];
  BoardText<wait_procedure_bytes> procedure;
  BoardText<wait_words_bytes> words;

  void publish(const WaitDescription& wait);
  // Withdraws the description that was published. Call it only after publish().
  void retract();
  // Reads the description. False: the rank does not wait, or was just changing it.
  bool look(WaitDescription* wait) const;
};
static_assert(sizeof(WaitLines) == 5 * cache_line_bytes);

}  // namespace baton::lockfree
