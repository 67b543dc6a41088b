// This is the one table of events: moments in the library that a tool may want to be told of (MPI
// 5.0, "Events" in "Tool Support"). Whoever sees one asks is_told() and then calls tell(). tool/
// hands it to the callbacks that tools have registered.
// Invariant: where no tool waits for an event of a type, it costs one load and a branch, on paths
// that are not the shortest.
#pragma once

#include <atomic>
#include <cstdint>
#include <initializer_list>
#include <iterator>

#include "base/cache_line.hpp"
#include "base/part.hpp"

namespace baton {

// Each element of an event's data is an MPI_COUNT (wide) or an MPI_INT; wide ones come first, so
// that the data has no gaps.
struct EventElement {
  const char* name = nullptr;
  bool wide = false;
};
inline constexpr int event_elements_max = 4;

// The kind of MPI object that a registration for an event is bound to, and by which the event is
// recognized: a communicator by the context id of its receives, a window or file by its handle.
enum class EventObject : std::uint8_t { none, communicator, window, file };

// clang-format off
// name, part, object, elements, what happens
#define BATON_EVENTS(X)                                                                               \
  X(message_unexpected,   messages,    communicator,                                                  \
    ({"bytes", true}, {"source"}, {"tag"}),                                                           \
    "A message arrived before its receive. source: the sender's rank in the communicator")            \
  X(protocol_chosen,      protocols,   none,                                                          \
    ({"bytes", true}, {"rank"}, {"protocol"}),                                                        \
    "A message went, or comes, by a protocol. rank: the other side, in "                              \
    "MPI_COMM_WORLD. protocol: its place in the list of protocols: {protocols}. One of the two sides " \
    "tells: the one that chose")                                                                             \
  X(rank_sleeps,          waiting,     none,                                                          \
    ({"microseconds", true}),                                                                         \
    "A thread of this rank goes to sleep while it waits. microseconds: no longer than that")          \
  X(rank_wakes,           waiting,     none,                                                          \
    ({"nanoseconds", true}),                                                                          \
    "A thread of this rank wakes up. nanoseconds: how long it slept")                                 \
  X(collective_entered,   collectives, communicator,                                                  \
    ({"kind"}, {"form"}, {"root"}),                                                                   \
    "A collective call begins on this rank. kind: its place in the list of kinds: {kinds}. form: "    \
    "0 blocking, 1 nonblocking, 2 persistent. root: -1 where there is none")                          \
  X(collective_left,      collectives, communicator,                                                  \
    ({"kind"}, {"form"}, {"error"}),                                                                  \
    "This rank's part of a collective call is done. kind and form: as in collective_entered. error: " \
    "its error class, 0: none")                                                                       \
  X(lock_waited,          windows,     window,                                                        \
    ({"nanoseconds", true}, {"target"}, {"exclusive"}),                                               \
    "This rank has a window's lock, for which it had to wait. nanoseconds: how long. target: the "    \
    "rank whose lock it is")                                                                          \
  X(file_access_begun,    files,       file,                                                          \
    ({"bytes", true}, {"writes"}, {"collective"}),                                                    \
    "A read or write begins")                                                                         \
  X(file_access_planned,  files,       file,                                                          \
    ({"bytes", true}, {"exchanged"}, {"reason"}),                                                     \
    "The ranks of a collective read or write have told each other what they want, and chosen how to " \
    "move it. exchanged: 0: each alone. reason: its place in the list of reasons: {reasons}")         \
  X(file_access_ended,    files,       file,                                                          \
    ({"bytes", true}, {"writes"}, {"collective"}),                                                    \
    "A read or write is done. bytes: how much it has moved")
// clang-format on

#define BATON_NAME(name, part, object, elements, words) name,
enum class Event : std::uint8_t { BATON_EVENTS(BATON_NAME) };
#undef BATON_NAME

struct EventRow {
  const char* name;
  Part part;
  EventObject object;
  EventElement elements[event_elements_max];
  const char* words;  // {kinds}, {protocols} and {reasons} stand for the names in other tables

  constexpr int element_count() const {
    int count = 0;
    while (count < event_elements_max && elements[count].name) ++count;
    return count;
  }
};
#define BATON_PLAIN(...) {__VA_ARGS__}
#define BATON_ROW(name, part, object, elements, words) \
  {#name, Part::part, EventObject::object, BATON_PLAIN elements, words},
inline constexpr EventRow event_rows[] = {BATON_EVENTS(BATON_ROW)};
#undef BATON_ROW
#undef BATON_PLAIN
inline constexpr int event_count = std::size(event_rows);
static_assert(event_count <= 30, "told_events has a bit for each");

constexpr std::uint32_t bit_of(Event event) {
  return std::uint32_t{1} << static_cast<int>(event);
}
inline constexpr std::uint32_t collective_event_bits =
    bit_of(Event::collective_entered) | bit_of(Event::collective_left);

inline constexpr std::uint32_t event_bits = (std::uint32_t{1} << event_count) - 1;
// These bits stand beside them, so that who asks reads one word: collective calls are checked (the
// setting `check`); tools want to know how many unexpected messages there are at most.
inline constexpr std::uint32_t checked_calls_bit = std::uint32_t{1} << 31,
                               marked_queues_bit = std::uint32_t{1} << 30;

// The types of events that some tool waits for, and the bits beside them.
extern constinit std::atomic<std::uint32_t> told_events;

BATON_INLINE bool are_told(std::uint32_t bits) {
  // relaxed: an event that comes just when a tool registers may be told or not.
  return BATON_UNLIKELY((told_events.load(std::memory_order_relaxed) & bits) != 0);
}
BATON_INLINE bool is_told(Event event) {
  return are_told(bit_of(event));
}

// This is where an event is seen: at the begin or end of a call of the program's, where it may call
// MPI, or inside the library, where it must not.
enum class EventPlace : std::uint8_t { call, inside };

// Tells of an event. `object` is what EventObject says, 0 for none. Any thread may call it, also
// with locks of the library: callbacks run before it returns, and inside the library they call no
// MPI.
BATON_COLD void tell(Event event, EventPlace place, std::uint64_t object,
                     std::initializer_list<std::int64_t> values);

// This is what tell() calls; tool/ sets it before it sets the first bit of told_events.
using EventListener = void (*)(Event event, EventPlace place, std::uint64_t object,
                               std::initializer_list<std::int64_t> values);
extern constinit std::atomic<EventListener> event_listener;

}  // namespace baton
