// This is how this rank reaches the memory of a target: there is one class for each way. The
// operations (operate.hpp, accumulate.hpp) check what they are given, find the spot, and leave the
// rest to its reach; those on one run in mapped memory, the most frequent ones, ask none.
// Invariant: a reach has no state of a target; data is at least one byte, and as long on all sides.
#pragma once

#include "base/one_sided.hpp"
#include "window/change.hpp"
#include "window/place.hpp"

namespace baton::window {

// This is an accumulating operation.
struct Accumulate {
  const Operation& operation;
  const Elements& elements;
  const Data* from;    // null: the elements are only read
  const Data* result;  // null: nobody asks for the values before
  const Place& at;

  // Returns whether the data is one run of elements on all sides, as mostly.
  bool is_array() const {
    return at.is_run() && (!from || from->is_run()) && (!result || result->is_run()) &&
           !elements.is_padded();
  }
};

class Reach {
 public:
  // The provider takes long puts and gets; all else it leaves to messages.
  const ReachWay way;
  // Returns whether the target's process, or its network interface, carries the operations out.
  bool is_remote() const { return way == ReachWay::provider || way == ReachWay::message; }

  virtual Error put(Window& window, const Spot& spot, const Data& from, const Place& to) const = 0;
  virtual Error get(Window& window, const Spot& spot, const Data& to, const Place& from) const = 0;
  virtual Error change(Window& window, const Spot& spot, const Accumulate& what) const = 0;
  // Compares and swaps one element of the type.
  virtual Error swap(Window& window, const Spot& spot, const Datatype& type, const void* from,
                     const void* expected, void* result) const = 0;
  // Waits until all operations that this rank has begun at the target are done.
  virtual Error flush(Window& window, Target& target) const = 0;

 protected:
  constexpr explicit Reach(ReachWay its) : way(its) {}
  ~Reach() = default;
};

extern const Reach &mapped_reach, &kernel_reach, &message_reach;

// Returns how an operation reaches its spot: in dynamic windows some memory is mapped, and other
// memory of the same target is not.
inline const Reach& reach_of(const Spot& spot) {
  if (BATON_UNLIKELY(spot.is_foreign)) return message_reach;
  return spot.memory ? mapped_reach : *spot.target->reach;
}

}  // namespace baton::window
