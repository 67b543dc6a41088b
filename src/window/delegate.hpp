// In delegation an origin asks the target to do work on the target's memory, if the target is in
// MPI just now (lockfree/delegation.hpp). This moves a word between two caches instead of making a
// system call. The origin does not wait for a target that computes, sleeps or is slow. It is used
// by the batch of short operations (batch.hpp) and by operations with a result, on memory that only
// the kernel can copy.
// Invariant: a rank has one slot, so it asks for one thing at a time.
#pragma once

#include "window/listeners.hpp"
#include "window/stream_side.hpp"

namespace baton::window {

// These are the slot and the bell of this rank. They lie in memory that the node's ranks can map.
struct DelegationSpace {
  lockfree::DelegationBell<lockfree::Hardware> bell;
  Work work;
};

// This is a rank of the node, as one that we ask, or that asks us, to do work.
struct DelegationPartner {
  std::uint64_t address;     // of its space, at that rank; 0: none
  DelegationSpace* space;    // the space, mapped here; null: not looked for yet
  std::uint32_t misses;      // consecutive requests that were in vain
  std::uint32_t skips;       // the number of requests for which this rank is left out
  std::int64_t wakes_ticks;  // it most likely sleeps until then
};

// This is what a rank has for delegation, as an origin and as a target.
struct Delegation {
  // Opens the space with the first window whose memory may need it; it is closed with the last. Its
  // memory stays for the next ones: a bell that has rung for work that was withdrawn may make a
  // rank look into it when its windows are gone. The address of this rank's space (0: there is
  // none) is told to the others when a window is made. From then on `when_asked` is called while
  // this rank is in MPI and is asked.
  std::uint64_t open(bool (*when_asked)());
  void close();
  void note_space(LocalRank rank, std::uint64_t address);

  // Does what other ranks have asked for. Returns whether there was anything.
  bool attend(Listeners& listeners);

  // The caller of these holds `slot_lock`.
  // Returns this rank's slot, or null without a space that is open.
  Work* own_work() { return own_space && partners ? &own_space->work : nullptr; }
  // Returns whether the target has done the work; otherwise nobody has done it, nor will. An error
  // of the target is in `error` of the work.
  [[nodiscard]] bool delegate(const Target& target, Work& work);
  // Offers work of which origin and target each do a side at the same time. Returns whether the
  // target has begun with its side; this rank then does its own, and waits for the end. (Two ranks
  // that wait for each other's sides would wait for ever, so a rank that has offered such work does
  // none for others, unless it can withdraw it.)
  [[nodiscard]] bool begin_together(const Target& target, Work& work);
  template <class OwnSide>
  [[nodiscard]] bool delegate_together(const Target& target, Work& work, OwnSide own_side) {
    if (!begin_together(target, work)) return false;
    own_side();
    end_together(target, work);
    return work.error != Work::not_done;
  }

  platform::Lock slot_lock;
  // This lock protects the space and the partners. It is held while this rank does work for others.
  platform::Lock partners_lock;
  DelegationSpace* own_space = nullptr;   // of no use while there are no partners
  DelegationPartner* partners = nullptr;  // by local rank
  std::uint32_t users = 0;                // windows that use the space
  Streams streams;                        // under the lock of the slot
  // This is the time that this rank took when it did short work itself, or little more.
  std::atomic<std::int64_t> own_ticks{0};
  // relaxed: this number only guides a decision.
  std::int64_t own_way_ticks() const { return own_ticks.load(std::memory_order_relaxed); }

 private:
  DelegationSpace* space_of(LocalRank rank);
  bool ask_target(const Target& target, Work& work);
  void note_miss(LocalRank rank);
  static void end_together(const Target& target, Work& work);
};

// Begins a description of work that has no ranges or data yet.
void describe_work(Work& work, const Window& window, WorkKind kind, const Datatype* type = nullptr,
                   const Operation* operation = nullptr);

// Measures this rank while it does short work itself; that time is how long it waits for others.
class OwnWay {
 public:
  explicit OwnWay(Delegation& its);
  ~OwnWay();
  OwnWay(const OwnWay&) = delete;
  OwnWay& operator=(const OwnWay&) = delete;

 private:
  Delegation& its_;
  std::int64_t start_ticks_;
};

}  // namespace baton::window
