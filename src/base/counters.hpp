// The one table of counters: what this rank did, plain numbers, written by the owning rank only.
// They live in the rank's row of the status board, so that the launcher and tools can read them.
#pragma once

#include <cstdint>
#include <span>

namespace baton {

// clang-format off
// name, what it counts
#define BATON_COUNTERS(X)                                                       \
  X(packed_messages,    "messages sent in one cache line")                      \
  X(packed_bytes,       "their payload")                                        \
  X(deposit_messages,   "messages sent through a ring in several lines")        \
  X(deposit_bytes,      "their payload")                                        \
  X(staged_messages,    "messages streamed through the receiver's staging")     \
  X(staged_bytes,       "their payload")                                        \
  X(cma_messages,       "messages the receiver copied by cross-memory attach")  \
  X(cma_bytes,          "their payload")                                        \
  X(self_messages,      "messages a rank sent to itself")                       \
  X(self_bytes,         "their payload")                                        \
  X(unexpected,         "messages that arrived before their receive")           \
  X(room_collectives,   "collectives that met in a shared room")                \
  X(sleeps,             "times this rank went to sleep while it waited")        \
  X(wakeups,            "times this rank woke another")                         \
  X(ring_full,          "times a send found its ring full")
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

// All rows, for tools and documentation.
std::span<const CounterRow> counter_rows();

}  // namespace baton
