// This is the one table of counters. They are plain numbers that say what happened to this rank;
// only this rank writes them. Which protocols its messages used is counted elsewhere
// (base/traffic.hpp), and how its collectives went (base/algorithm.hpp).
// The counters live in the rank's row of the status board, so that the launcher and tools can read
// them.
#pragma once

#include <cstdint>
#include <span>

namespace baton {

// clang-format off
// name, what it counts
#define BATON_COUNTERS(X)                                                       \
  X(unexpected,         "messages that arrived before their receive")           \
  X(sleeps,             "times this rank went to sleep while it waited")        \
  X(wakeups,            "times this rank woke another")                         \
  X(ring_full,          "times a send found its ring full")                     \
  X(shared_ring,        "messages that this rank sent through rings that senders share") \
  X(own_rings,          "rings of its own that it got for messages to others")    \
  X(leases,             "others' staging buffers that it got to keep for a while") \
  X(served_earlier,     "ranks that it served before busier ones, in status order") \
  X(element_locks,      "accumulates for which it took the lock of a window's elements")
// clang-format on

struct Counters {
#define BATON_COUNTER_FIELD(name, what) std::uint64_t name = 0;
  BATON_COUNTERS(BATON_COUNTER_FIELD)
#undef BATON_COUNTER_FIELD
};

struct CounterRow {
  const char* name;
  const char* what;
  std::uint64_t Counters::*field;
};

// Returns all rows, for tools and documentation.
std::span<const CounterRow> counter_rows();

}  // namespace baton
