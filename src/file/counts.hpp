// Counters of what a rank's calls have done to a file, for `mpiexec --explain` (explain.hpp).
#pragma once

#include <atomic>
#include <cstdint>

namespace baton::file {

// How the bytes of an access went.
enum class Moved : std::uint8_t {
  whole,      // by a call for bytes that lie together
  each_run,   // by a call for each run
  sieved,     // through a buffer with what lies between the runs
  mapped,     // through a mapping of the file
  exchanged,  // through memory that the ranks share
  sent,       // by messages to and from aggregators
  count
};

// Why a collective access went the way it did.
enum class Why : std::uint8_t {
  chosen,        // an exchange
  no_bytes,      // nobody has any
  not_possible,  // some rank cannot, or does not want to
  long_runs,     // the runs are long enough for calls of their own
  sparse,        // much of the file between the ranks' bytes is nobody's
  holes,         // a write: not every byte between the first and the last is written once
  mixed,         // some ranks read and some write
  count
};

struct Counts {
  std::int64_t reads, writes;          // calls of one rank
  std::int64_t reads_all, writes_all;  // collective ones
  std::int64_t read_bytes, written_bytes;
  std::int64_t bytes[static_cast<int>(Moved::count)];
  std::int64_t system_calls;
  std::int64_t ways[static_cast<int>(Why::count)];  // collective accesses, by the reason

  // Threads for nonblocking accesses count, too.
  static void add(std::int64_t& counter, std::int64_t change) {
    // relaxed: a counter orders nothing.
    std::atomic_ref(counter).fetch_add(change, std::memory_order_relaxed);
  }
  void add_moved(Moved how, std::int64_t moved, std::int64_t calls) {
    add(bytes[static_cast<int>(how)], moved);
    add(system_calls, calls);
  }
};

}  // namespace baton::file
