// This is the one table of counters. They are plain numbers that say what happened to this rank;
// only this rank writes them. Which protocols its messages used is counted elsewhere
// (base/traffic.hpp), and how its collectives went (base/algorithm.hpp).
// The counters live in the rank's row of the status board, so that the launcher and tools can read
// them.
#pragma once

#include <cstdint>
#include <span>

#include "base/part.hpp"

namespace baton {

// clang-format off
// name, part (base/part.hpp), what it counts
#define BATON_COUNTERS(X)                                                       \
  X(unexpected, messages,         "messages that arrived before their receive")           \
  X(sleeps, waiting,             "times this rank went to sleep while it waited")        \
  X(wakeups, waiting,            "times this rank woke another")                         \
  X(ring_full, messages,          "times a send found its ring full")                     \
  X(shared_ring, messages,        "messages that this rank sent through rings that senders share") \
  X(own_rings, messages,          "rings of its own that it got for messages to others")    \
  X(leases, messages,             "others' staging buffers that it got to keep for a while") \
  X(served_earlier, collectives,     "ranks that it served before busier ones, in status order") \
  X(partitioned_staged, messages, "partitioned receives through memory that both sides map: short partitions, or data with gaps") \
  X(partitioned_direct, messages, "partitioned receives copied from buffer to buffer")         \
  X(partitioned_messages, messages, "partitioned receives as messages: other nodes, foreign memory, or no memory in common") \
  X(element_locks, windows,      "accumulates for which it took the lock of a window's elements")
// clang-format on

struct Counters {
#define BATON_COUNTER_FIELD(name, part, what) std::uint64_t name = 0;
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
