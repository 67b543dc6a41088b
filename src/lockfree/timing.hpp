// What ranks write of their time in MPI under mpiexec --stats and --trace, behind all else in the
// job's memory file: a part for each rank. src/tool/ writes, the launcher and `baton stat` read.
// Times are ticks of platform::now_ticks, the same for all ranks of a node.
// Invariant: a rank writes only its own part; what is read may be anything, so readers bound every
// number and text. A part says at any moment what was true a moment before: ranks may die.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/cache_line.hpp"
#include "base/traffic.hpp"

namespace baton::lockfree {

// Sizes of data: a class for calls without, then those of base/traffic.hpp.
inline constexpr int timed_sizes = 1 + size_class_count;
constexpr int timed_size(std::uint64_t bytes) {
  return bytes == 0 ? 0 : 1 + size_class(static_cast<std::int64_t>(bytes));
}

using Amount = std::atomic<std::uint64_t>;

// Calls of one procedure with data of one size.
struct CallTime {
  Amount calls;
  Amount ticks;
  Amount waiting_ticks;  // of these, for other ranks to come
  Amount longest_ticks;
  Amount bytes;  // that this rank gave or asked for
};

inline constexpr std::size_t timed_name_bytes = 40;
struct TimedCall {
  char name[timed_name_bytes];  // "MPI_Send"; empty: not used
  CallTime sizes[timed_sizes];
};
// A program uses some dozens of procedures; what comes later is counted by the last row.
inline constexpr std::uint32_t timed_calls_max = 128;

// Messages with one rank of the job.
struct PeerTime {
  Amount sent_messages;
  Amount sent_bytes;
  Amount received_messages;
  Amount received_bytes;
  Amount waiting_ticks;  // for its messages, in calls that waited for that rank alone
};

// A communicator of which collective calls were kept. Its members know it by its id, its first
// member and when it was made.
struct TimedCommunicator {
  std::uint32_t id;
  std::uint32_t first_member;  // its rank in MPI_COMM_WORLD
  std::uint32_t ranks;
  std::uint32_t between_groups;
  char name[48];
};
static_assert(sizeof(TimedCommunicator) == cache_line_bytes);
inline constexpr std::uint32_t timed_communicators_max = 256;

// A collective call of this rank.
struct CollectiveTime {
  std::int64_t entered;
  std::int64_t left;
  std::uint32_t number;        // of the call on its communicator
  std::uint16_t communicator;  // index of a TimedCommunicator
  std::uint16_t call;          // index of a TimedCall
};
static_assert(sizeof(CollectiveTime) == 24);

enum class EventKind : std::uint8_t { none, call, sent, received };

// For --trace: a call from begin to end; or a message, whose times are its call's (sent), or when
// it was asked for and when the program learned that it was there (received). Messages of one
// sender to one receiver with the same communicator and tag meet receives in the order in which
// both began.
struct Event {
  std::int64_t began;
  std::int64_t ended;
  std::uint64_t bytes;
  // A call's waiting ticks; a receive's place among all of the rank.
  std::uint64_t waiting_or_order;
  std::uint32_t communicator;  // its id
  std::int32_t peer;           // rank in MPI_COMM_WORLD; -1: none, or many
  std::int32_t tag;
  std::uint16_t call;  // index of a TimedCall
  EventKind kind;
  std::uint8_t thread;  // of the rank's, by when they first called; the last number is all others'
};
static_assert(sizeof(Event) == 48);

// Which program runs there, and how far its record goes.
struct alignas(page_bytes) TimingHead {
  std::atomic<std::int64_t> began;         // when MPI was there; 0: it never was
  std::atomic<std::int64_t> ended;         // when it was given up; 0: not yet
  std::atomic<std::int64_t> paused_since;  // MPI_Pcontrol(0); 0: it is on
  Amount paused_ticks;                     // before that
  Amount initializing_ticks;               // in MPI_Init and its likes
  std::atomic<std::uint32_t> threads;      // 1: several may be in MPI at the same time
  std::atomic<std::uint32_t> calls;        // rows in use
  std::atomic<std::uint32_t> communicators;
  std::atomic<std::uint32_t> collective_stride;  // only calls whose number it divides were kept
  Amount collectives;                            // kept
  Amount unkept_communicators;
  Amount events;                            // kept
  Amount lost_events;                       // that found no room
  std::atomic<std::int32_t> refused_errno;  // the record could not grow; 0: it could
};
static_assert(sizeof(TimingHead) == page_bytes);

// Where a job has them: `bytes` is 0 in a job that is not timed.
struct TimingPlan {
  std::uint64_t offset = 0;       // in the file, of rank 0's
  std::uint64_t bytes = 0;        // of a rank
  std::uint64_t event_bytes = 0;  // of these for events; 0: no trace
};

// The parts of a rank's record, as offsets from its start.
struct TimingLayout {
  std::uint64_t calls;
  std::uint64_t communicators;
  std::uint64_t peers;
  std::uint64_t collectives;  // address space: memory follows as they are kept
  std::uint64_t events;       // the same
  std::uint64_t bytes;
  std::uint64_t collectives_max;
};
// `ranks` of the whole job; `event_bytes` as in the plan.
TimingLayout timing_layout(std::uint32_t ranks, std::uint64_t event_bytes);
TimingPlan timing_plan(std::uint32_t ranks, std::uint64_t offset, std::uint64_t event_bytes);

}  // namespace baton::lockfree
