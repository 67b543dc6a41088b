// Under mpiexec --stats and --trace ranks record their time in MPI at the end of the job's memory
// file, which has a part for each rank. src/tool/ writes, the launcher and `baton stat` read. Times
// are ticks of platform::now_ticks, equal on all ranks of a node.
// Invariant: a rank writes only its own part; a reader may find any bytes, so it bounds every
// number and text. A part is at any moment at most a moment old, since ranks may die.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/cache_line.hpp"
#include "base/traffic.hpp"

namespace baton::lockfree {

// Calls are counted by size of data: a class for calls without data, then those of
// base/traffic.hpp.
inline constexpr int timed_sizes = 1 + size_class_count;
constexpr int timed_size(std::uint64_t bytes) {
  return bytes == 0 ? 0 : 1 + size_class(static_cast<std::int64_t>(bytes));
}

using Amount = std::atomic<std::uint64_t>;

// These are the calls of one procedure with data of one size.
struct CallTime {
  Amount calls;
  Amount ticks;
  Amount waiting_ticks;  // part of `ticks` spent waiting for other ranks
  Amount longest_ticks;
  Amount bytes;  // bytes that this rank gave or asked for
};

inline constexpr std::size_t timed_name_bytes = 40;
struct TimedCall {
  char name[timed_name_bytes];  // "MPI_Send"; empty: not used
  CallTime sizes[timed_sizes];
};
// A program uses some dozens of procedures; the last row counts all procedures that come later.
inline constexpr std::uint32_t timed_calls_max = 128;

// These are the messages with one rank of the job.
struct PeerTime {
  Amount sent_messages;
  Amount sent_bytes;
  Amount received_messages;
  Amount received_bytes;
  Amount waiting_ticks;  // for that rank's messages, in calls that waited for it alone
};

// This is a communicator of which collective calls were kept. Readers identify it across ranks by
// its id, its first member and the time when it was made.
struct TimedCommunicator {
  std::uint32_t id;
  std::uint32_t first_member;  // the first member's rank in MPI_COMM_WORLD
  std::uint32_t ranks;
  std::uint32_t between_groups;
  char name[48];
};
static_assert(sizeof(TimedCommunicator) == cache_line_bytes);
inline constexpr std::uint32_t timed_communicators_max = 256;

// This is a collective call of this rank.
struct CollectiveTime {
  std::int64_t entered;
  std::int64_t left;
  std::uint32_t number;        // of the call on its communicator
  std::uint16_t communicator;  // index of a TimedCommunicator
  std::uint16_t call;          // index of a TimedCall
};
static_assert(sizeof(CollectiveTime) == 24);

enum class EventKind : std::uint8_t { none, call, sent, received };

// An event of --trace is a call from begin to end; or a message. A sent message has the times of
// its call; a received one has the times when it was asked for and when the program learned that it
// was there. Messages of one sender to one receiver with the same communicator and tag meet
// receives in the order in which both began.
struct Event {
  std::int64_t began;
  std::int64_t ended;
  std::uint64_t bytes;
  // This has a call's waiting ticks, or a receive's place among all receives of the rank.
  std::uint64_t waiting_or_order;
  std::uint32_t communicator;  // its id
  std::int32_t peer;           // rank in MPI_COMM_WORLD; -1: none, or many
  std::int32_t tag;
  std::uint16_t call;  // index of a TimedCall
  EventKind kind;
  std::uint8_t thread;  // of the rank's, by first call; the last number is all others'
};
static_assert(sizeof(Event) == 48);

// The head says which program runs there, and how many rows its record has.
struct alignas(page_bytes) TimingHead {
  std::atomic<std::int64_t> began;         // when MPI was initialized; 0: never
  std::atomic<std::int64_t> ended;         // when MPI was finalized; 0: not yet
  std::atomic<std::int64_t> paused_since;  // MPI_Pcontrol(0); 0: it is on
  Amount paused_ticks;                     // of earlier pauses
  Amount initializing_ticks;               // in MPI_Init and its likes
  std::atomic<std::uint32_t> threads;      // 1: several may be in MPI at the same time
  std::atomic<std::uint32_t> calls;        // rows in use
  std::atomic<std::uint32_t> communicators;
  std::atomic<std::uint32_t> collective_stride;  // only calls with multiples of it were kept
  Amount collectives;                            // number kept
  Amount unkept_communicators;
  Amount events;                            // number kept
  Amount lost_events;                       // events that found no space
  std::atomic<std::int32_t> refused_errno;  // the record could not grow; 0: it could
};
static_assert(sizeof(TimingHead) == page_bytes);

// This says where a job has these records. `bytes` is 0 in a job that is not timed.
struct TimingPlan {
  std::uint64_t offset = 0;       // of rank 0's part in the file
  std::uint64_t bytes = 0;        // of a rank's part
  std::uint64_t event_bytes = 0;  // of these for events; 0: no trace
};

// These are the parts of a rank's record, as offsets from its start.
struct TimingLayout {
  std::uint64_t calls;
  std::uint64_t communicators;
  std::uint64_t peers;
  std::uint64_t collectives;  // address space: memory follows as calls are kept
  std::uint64_t events;       // address space, too
  std::uint64_t bytes;
  std::uint64_t collectives_max;
};
// Returns the layout. `ranks` are those of the whole job; `event_bytes` is as in the plan.
TimingLayout timing_layout(std::uint32_t ranks, std::uint64_t event_bytes);
TimingPlan timing_plan(std::uint32_t ranks, std::uint64_t offset, std::uint64_t event_bytes);

}  // namespace baton::lockfree
