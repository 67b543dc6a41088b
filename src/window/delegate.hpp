// In delegation an origin asks the target to do work on the target's memory, if the target is in
// MPI just now (lockfree/delegation.hpp). This moves a word between two caches instead of making a
// system call. The origin does not wait for a target that computes, sleeps or is slow. It is used
// by the batch of short operations (batch.hpp) and by operations with a result, on memory that only
// the kernel can copy.
// Invariant: a rank has one slot, so it asks for one thing at a time.
#pragma once

#include "datatype/operation.hpp"
#include "lockfree/delegation.hpp"
#include "window/window.hpp"
#include "window/work.hpp"

namespace baton::window {

// These are the slot and the bell of this rank. They lie in memory that the node's ranks can map.
struct DelegationSpace {
  lockfree::DelegationBell<lockfree::Hardware> bell;
  Work work;
};

// Opens the space with the first window whose memory may need it; it is closed with the last. The
// address of this rank's space (0: there is none) is told to the others when a window is made.
std::uint64_t open_delegation_space();
void close_delegation_space();
void note_delegation_space(LocalRank rank, std::uint64_t address);

// Returns this rank's slot, or null without a space. The caller holds `delegation_lock`.
extern platform::Lock delegation_lock;
Work* own_work();

// Returns whether the target has done the work; otherwise nobody has done it, nor will. An error of
// the target is in `error` of the work. The caller holds `delegation_lock`.
[[nodiscard]] bool delegate(const Target& target, Work& work);
// Offers work of which origin and target each do a side at the same time. Returns whether the
// target has begun with its side; this rank then does its own, and waits for the end. (Two ranks
// that wait for each other's sides would wait for ever, so a rank that has offered such work does
// none for others, unless it can withdraw it.)
[[nodiscard]] bool begin_together(const Target& target, Work& work);
void end_together(const Work& work);
template <class OwnSide>
[[nodiscard]] bool delegate_together(const Target& target, Work& work, OwnSide own_side) {
  if (!begin_together(target, work)) return false;
  own_side();
  end_together(work);
  return work.error != Work::not_done;
}

// Begins a description of work that has no ranges or data yet.
void describe_work(Work& work, const Window& window, WorkKind kind, const Datatype* type = nullptr,
                   const Operation* operation = nullptr);

// Measures this rank while it does short work itself; that time is how long it waits for others.
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
