// One side of a partitioned message, as its process keeps it. Used by the files of this folder:
// meet.cpp brings the two sides together, send.cpp and receive.cpp move the data, sides.cpp lets
// progress go on with those that are active.
// Invariant: who makes progress changes a side that is active, but for what says otherwise; nobody
// one that is not.
#pragma once

#include <atomic>
#include <cstdint>

#include "datatype/datatype.hpp"
#include "lockfree/partition_board.hpp"
#include "message/core/context.hpp"
#include "message/core/engine.hpp"
#include "message/core/request.hpp"
#include "message/partitioned/partitioned.hpp"
#include "message/partitioned/units.hpp"
#include "transport/node.hpp"

namespace baton::message::partitioned {

using Board = lockfree::PartitionBoard<lockfree::Hardware>;
using UnitState = lockfree::UnitState<lockfree::Hardware>;

// The sender tells this when it is made, and the receiver answers.
struct Offer {
  std::uint64_t address;  // of the buffer
  std::int64_t partition_bytes;
  std::int32_t partitions;
  std::int32_t number;  // the tags of messages to the sender
  std::uint32_t is_run;
  std::uint32_t is_foreign;
};
struct Answer {
  std::uint64_t address;
  std::uint64_t board;  // its address in the receiver
  Way way;
  std::int32_t number;  // the tags of messages to the receiver
  std::uint32_t pulls;  // the receiver reaches the sender's buffer
};

// The marks of a partition that is ready in an iteration: told before the sides had met; handed on.
constexpr std::uint64_t partition_told(std::uint64_t iteration) {
  return 2 * iteration;
}
constexpr std::uint64_t partition_handed(std::uint64_t iteration) {
  return 2 * iteration + 1;
}

struct Side {
  Request* visible = nullptr;
  Side* next = nullptr;  // among the active ones, or the retired
  Context context;       // of the plane
  Arguments arguments{};
  std::int64_t partition_bytes = 0;
  bool sends = false;
  bool is_run = false;          // the data is one run of host memory
  std::uint64_t iteration = 0;  // the present one, or the last
  Error error = MPI_SUCCESS;    // of every iteration
  Error failed = MPI_SUCCESS;   // of the present one
  char why[200] = {};

  // --- meeting
  std::int32_t number = 0;
  Offer offer{};
  Answer answer{};
  Request offered;   // sends or receives the offer
  Request answered;  // and the answer
  // Any thread. True when all below is known.
  std::atomic<bool> met{false};
  std::uint64_t met_in = 0;  // the iteration in which that came true
  Way way = Way::nothing;
  Units units;
  transport::Slot peer;    // where they share memory
  Board* board = nullptr;  // ditto, as mapped here
  char* slots = nullptr;   // the units' states, and data that is staged
  std::int64_t slot_step = 0;
  char* there = nullptr;   // the peer's buffer, if it is mapped here
  bool attached = false;   // it is to be let go
  bool by_kernel = false;  // or the kernel copies; a refusal ends that, in any thread
  bool owns_board = false;

  // --- progress
  std::uint32_t done = 0;  // units before this one are done in this iteration
  std::uint32_t look = 0;  // the unit to look at next

  // --- of a sender; any thread
  std::uint64_t* marks = nullptr;  // by partition, so many words apart
  std::size_t mark_step = 1;
  std::uint64_t* counts = nullptr;   // by unit: partitions ever ready, where several make one
  std::uint64_t* waiting = nullptr;  // by unit: the iteration in which it found no free place, or
                                     // its message was begun
  std::atomic<std::uint32_t> first_told{0};  // units for progress to send, as a stack: number + 1
  std::uint32_t* next_told = nullptr;        // by unit

  // --- where units are messages
  Request* messages = nullptr;     // by unit
  char* packed = nullptr;          // a receiver's, where units and elements do not fit together
  std::uint64_t* taken = nullptr;  // by unit, of a receiver: the last iteration in which it came
  std::uint64_t opened = 0;        // the iteration whose receives are posted

  std::int64_t total_bytes() const { return arguments.partitions * partition_bytes; }
  bool to_nobody() const { return arguments.rank == MPI_PROC_NULL; }
  char* partition(std::int32_t number_of_partition) const {
    return static_cast<char*>(arguments.buffer) +
           number_of_partition * arguments.count * arguments.type->extent;
  }
  // A unit's state, and its staged data: two places by turns, so that the sender may be ahead.
  UnitState& unit(std::uint32_t number_of_unit) const {
    const std::int64_t place = way == Way::staged ? 2 * static_cast<std::int64_t>(number_of_unit) +
                                                        static_cast<std::int64_t>(iteration & 1)
                                                  : static_cast<std::int64_t>(number_of_unit);
    return *reinterpret_cast<UnitState*>(slots + place * slot_step);
  }
  static char* data(UnitState& state) { return reinterpret_cast<char*>(&state + 1); }
  std::int32_t message_tag(std::uint32_t number_of_unit) const;
};

inline bool has_met(const Side& side) {
  // ORDER side.met: acquire here, release in settle; all that the sides agreed on.
  return side.met.load(std::memory_order_acquire);
}
inline Side& side_of(const Request& request) {
  return *static_cast<Side*>(request.state);
}
inline Datatype& byte_type() {
  return *datatype::datatypes.find(MPI_BYTE);
}
// The tag of a message to the side with this number. Negative: a wildcard does not see it.
inline std::int32_t inner_tag(std::int32_t number, std::uint32_t unit) {
  return -1 - (number * message_units_max + static_cast<std::int32_t>(unit));
}
inline std::int32_t Side::message_tag(std::uint32_t unit_number) const {
  return inner_tag(answer.number, unit_number);
}
// Returns whether this side can copy from buffer to buffer alone.
inline bool reaches(const Side& side) {
  return side.there || platform::load_shared(side.by_kernel);
}

// --- meet.cpp
void begin_to_meet(Side& side);
void meet_nobody(Side& side);  // MPI_PROC_NULL
// Goes on with meeting; returns whether the sides have met.
bool meet_peer(Side& side);
// Takes back the receive of a side that has not met its peer and never will.
void end_meeting(Side& side);
// Gives back what the sides share. False: something is still under way, or the peer may still look;
// try again later.
bool part(Side& side);
// Gives everything back, when nobody looks any more.
void take_everything(Side& side);

// --- send.cpp, receive.cpp: returns whether anything happened.
bool advance_send(Side& side);
bool advance_receive(Side& side);
// Returns whether the program has still to mark a partition, or a unit that has come to be taken.
bool has_more_to_send(Side& side);
bool has_more_to_take(const Side& side);
// Memory for the units, when the sides have met. Returns false without memory.
bool prepare_send(Side& side);
bool prepare_receive(Side& side);
// Begins an iteration of a receiver that has met its peer.
void open_receive(Side& side);

// --- sides.cpp
// A new side's number, which tags have.
std::int32_t new_number();
// Destroys a side when nothing of it is under way any more: at once, or when another one is made or
// retired.
void retire(Side& side);
void sweep_retired();
// Destroys a side of which nothing was ever under way.
void abandon(Side& side);
// Lets progress go on with a side until it is complete.
void add_active(Side& side);
// Advances the side of a request that the only thread waits for; false: only progress can.
bool advance_alone(Request& request);
// Ends this iteration, and all that follow, of a side whose peer is lost, or whose communicator is
// revoked, once nothing moves any more; returns whether that is so.
BATON_COLD bool end_without_peer(Side& side);
// Returns whether all is done in this iteration.
inline bool is_done(const Side& side) {
  return has_met(side) && side.done >= side.units.count();
}
// Ends a side's every iteration with this error from now on.
__attribute__((format(printf, 3, 4))) void give_up(Side& side, Error error, const char* format,
                                                   ...);

// Calls look(unit) for units that are not done, from where the last call stopped, until it has
// moved enough; returns whether any said yes.
template <class Look>
bool look_at_units(Side& side, Look&& look) {
  constexpr std::uint32_t looks_max = 64;        // guess
  constexpr std::int64_t bytes_max = 256 << 10;  // guess: others want progress, too
  const std::uint32_t end = side.units.count();
  std::int64_t moved = 0;
  bool any = false;
  for (std::uint32_t looks = 0; looks < looks_max && moved < bytes_max && side.done < end;
       ++looks) {
    if (side.look < side.done || side.look >= end) side.look = side.done;
    const std::uint32_t unit = side.look++;
    if (looks >= end - side.done) break;
    if (!look(unit)) continue;
    any = true;
    moved += side.units.bytes(unit);
  }
  return any;
}

}  // namespace baton::message::partitioned
