// Work on this window's memory that an origin asks the target to do, should that be in MPI just now
// (lockfree/delegation.hpp): a word between two caches instead of a system call. A target that
// computes, sleeps or is slow is not waited for. Used by the batch of short operations (batch.hpp)
// and by operations with a result, on memory that only the kernel can copy.
// Invariant: a rank has one slot, so it asks for one thing at a time.
#pragma once

#include "datatype/operation.hpp"
#include "lockfree/delegation.hpp"
#include "window/stream_choice.hpp"
#include "window/window.hpp"

namespace baton::window {

enum class WorkKind : std::uint32_t {
  put,
  get,
  accumulate,
  get_accumulate,
  compare_and_swap,  // of two operands: the new value and the expected one
  // Of one long piece, whose data goes through a stream (stream.hpp).
  put_stream,
  get_stream,
  accumulate_stream,
};

struct WorkPiece {
  std::uint64_t address;  // at the target
  std::uint64_t bytes;
};

// What the slot holds. Its first line has all of a short operation. Data of the pieces stands one
// after another; results take its place.
struct alignas(cache_line_bytes) Work {
  static constexpr std::uint32_t pieces_max = 64;
  static constexpr std::uint32_t data_bytes_max = 7072;
  static constexpr std::int32_t not_done = -1;  // in `error`: nothing is, the origin is to do it

  lockfree::DelegationState<lockfree::Hardware> state;
  std::uint32_t window;  // its communicator's context id
  WorkKind kind;
  std::int32_t type;  // handles, as integers
  std::int32_t operation;
  std::int32_t error;  // of the result
  std::uint32_t pieces;
  std::uint32_t data_bytes;
  WorkPiece first;
  struct {
    std::uint64_t slots;  // their address at whoever asks
    std::int32_t piece_bytes;
    StreamWay way;
  } stream;
  alignas(16) char data[data_bytes_max];
  WorkPiece others[pieces_max - 1];

  WorkPiece& piece(std::uint32_t i) { return i == 0 ? first : others[i - 1]; }
  bool has_room(std::uint64_t bytes) const {
    return pieces < pieces_max && bytes <= data_bytes_max - data_bytes;
  }
  // A piece more; where its data goes.
  char* add(std::uint64_t address, std::uint64_t bytes) {
    char* place = data + data_bytes;
    piece(pieces++) = {address, bytes};
    data_bytes += static_cast<std::uint32_t>(bytes);
    return place;
  }
};

// The slot and the bell of this rank, in memory that the node's ranks can map.
struct DelegationRoom {
  lockfree::DelegationBell<lockfree::Hardware> bell;
  Work work;
};

// Windows whose memory may need it, from the first to the last: the address of this rank's room (0:
// there is none) is told to the others when a window is made.
std::uint64_t open_delegation_room();
void close_delegation_room();
void note_delegation_room(LocalRank rank, std::uint64_t address);

// This rank's slot; null without a room. Under `delegation_lock`.
extern platform::Lock delegation_lock;
Work* own_work();

// Whether the target has done it; otherwise nobody has, nor will. What it refused is in `error` of
// the work. Under `delegation_lock`.
[[nodiscard]] bool delegate(const Target& target, Work& work);
// Work of which both do a side at the same time. Whether the target has begun with its own; this
// rank then does its side, and waits for the end. (Two that wait for each other's sides would do so
// for ever: who has offered such work does none for others, unless it can withdraw the offer.)
[[nodiscard]] bool begin_together(const Target& target, Work& work);
void end_together(const Work& work);
template <class OwnSide>
[[nodiscard]] bool delegate_together(const Target& target, Work& work, OwnSide own_side) {
  if (!begin_together(target, work)) return false;
  own_side();
  end_together(work);
  return work.error != Work::not_done;
}

// Begins a description: without pieces or data.
void describe_work(Work& work, const Window& window, WorkKind kind, const Datatype* type = nullptr,
                   const Operation* operation = nullptr);

// While this rank does short work itself: how long that takes is how long it waits for others.
class OwnWay {
 public:
  OwnWay();
  ~OwnWay();
  OwnWay(const OwnWay&) = delete;
  OwnWay& operator=(const OwnWay&) = delete;

 private:
  std::int64_t start_ticks_;
};

}  // namespace baton::window
