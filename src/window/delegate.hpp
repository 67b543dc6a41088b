// Work on this window's memory that an origin asks the target to do, should that be in MPI just now
// (lockfree/delegation.hpp): a word between two caches instead of a system call. A target that
// computes, sleeps or is slow is not waited for. Used by the batch of short operations (batch.hpp)
// and by operations with a result, on memory that only the kernel can copy.
// Invariant: a rank has one slot, so it asks for one thing at a time.
#pragma once

#include "datatype/operation.hpp"
#include "lockfree/delegation.hpp"
#include "window/window.hpp"
#include "window/work.hpp"

namespace baton::window {

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
