// Failures in a communicator, as this process knows them: which members have failed, in the order
// in which it has noticed, how many of these the program has acknowledged, and whether the
// communicator is revoked. (Source of the procedures' meaning: the fault-tolerance chapter that the
// MPI Forum discusses, "User Level Failure Mitigation".)
#pragma once

#include <atomic>
#include <cstdint>

#include "base/error.hpp"
#include "base/identity.hpp"
#include "platform/lock.hpp"

namespace baton::world {

class Communicator;
struct Group;

class Failures {
 public:
  ~Failures();

  bool is_revoked() const {
    // relaxed: whoever sees it late looks again.
    return revoked_.load(std::memory_order_relaxed);
  }
  // Returns whether it was not revoked before.
  bool revoke() { return !revoked_.exchange(true, std::memory_order_relaxed); }

  // Says whether a call that needs all members has failed by a loss: then all later ones do.
  bool is_cut_off() const { return cut_off_.load(std::memory_order_relaxed); }  // as above
  void cut_off() { cut_off_.store(true, std::memory_order_relaxed); }

  // Takes note of the losses since. Error: MPI_ERR_NO_MEM, explained.
  [[nodiscard]] Error look(const Communicator& communicator);
  // Acknowledges the first `count` failures that were noticed, or all there are; returns how many
  // are acknowledged by now.
  std::int32_t acknowledge(std::int32_t count);
  std::int32_t acknowledged() {
    platform::Guard guard(lock_);
    return acknowledged_;
  }
  bool has_acknowledged(std::int32_t member);
  // Makes the group of the first `count` of them, which is published; all: count is INT32_MAX.
  [[nodiscard]] Error make_group(const Communicator& communicator, std::int32_t count,
                                 Group** made);
  // Sets a bit for each member that has failed and is acknowledged.
  void copy_acknowledged(std::uint64_t* bits);

  // Returns the number of the next operation on the communicator that survives failures; all
  // members call these in the same order.
  std::uint32_t next_operation() { return platform::add_shared(operations_, 1u) - 1; }
  std::uint32_t operations() const { return platform::load_shared(operations_); }

 private:
  std::atomic<bool> revoked_{false};
  std::atomic<bool> cut_off_{false};
  std::uint32_t operations_ = 0;
  platform::Lock lock_;             // of the following
  std::int32_t* failed_ = nullptr;  // members, in the order in which they were noticed
  std::int32_t count_ = 0;
  std::int32_t acknowledged_ = 0;
};

// Returns all members: both groups of an intercommunicator, in the order that all agree on.
const Group& members_of(const Communicator& communicator);

}  // namespace baton::world
