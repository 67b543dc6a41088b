// This is the hold that keeps the elements of accumulates whole (lockfree/element_guard.hpp), as
// one rank takes it at a target; and the changes by atomic instructions. Both are used by
// accumulates alone.
#pragma once

#include "datatype/operation.hpp"
#include "message/core/engine.hpp"
#include "window/window.hpp"

namespace baton::window {

// Orders our line of the guard before the load of its mode. The holder's membarrier does that for
// us where it can.
inline void fence_if_needed() {
  if (BATON_UNLIKELY(message::engine.senders_fence))
    lockfree::Hardware::full_fence();
  else
    lockfree::Hardware::compiler_fence();
}

// Returns the error of a wait for a rank of the window, in a job that goes on without those that
// die: one of the window's has died; explained. MPI_SUCCESS: none has.
[[nodiscard]] BATON_COLD Error explain_death(const Window& window);

// Holds a target's elements while this rank changes some.
class ElementHold {
 public:
  // Takes the hold for a number of `elements`. `atomic`: each of them could be changed by an atomic
  // instruction. The wait makes no progress: this rank may be changing elements for others in its
  // progress, and would wait for itself. A rank that holds elements never waits for messages. If
  // there is an `error`, a rank has died that may hold the elements, and nothing may be changed.
  ElementHold(Window& window, Target& target, std::int64_t elements, bool atomic);
  ~ElementHold();
  ElementHold(const ElementHold&) = delete;
  ElementHold& operator=(const ElementHold&) = delete;

  // Forbids atomic changes from now on, because this rank reaches these elements only through the
  // kernel, and will want the lock again. It may be called only where `atomic` was false.
  void keep_locked() { lockfree::keep_locked(target_.row->guard); }

  // If true, each change must be one atomic instruction; if false, no other rank changes anything
  // meanwhile.
  bool is_atomic() const { return is_atomic_; }
  Error error() const { return error_; }

 private:
  void lock(bool lone);
  bool begin_atomically(std::int64_t elements);
  void await_lock();
  void leave_atomic_mode(bool lone);

  Window& window_;
  Target& target_;
  std::uint32_t number_ = 0;
  Error error_ = MPI_SUCCESS;
  bool is_atomic_ = false;
  bool is_locked_ = false;
};

// A rank that changes several elements mostly finds that others did, too, and takes the lock at
// once.
inline ElementHold::ElementHold(Window& window, Target& target, std::int64_t elements, bool atomic)
    : window_(window), target_(target) {
  const bool usual = elements > 1 && mode_of(target.row->guard) != lockfree::GuardMode::atomic;
  if (atomic && BATON_UNLIKELY(!usual) && begin_atomically(elements))
    is_atomic_ = true;
  else
    lock(atomic && elements == 1);
}

inline void ElementHold::lock(bool lone) {
  Row& row = *target_.row;
  message::count(message::engine.counters.element_locks);
  number_ = take_number(row.elements);
  write_name(row.elements.takers, number_, static_cast<std::uint32_t>(window_.rank()), true);
  if (BATON_UNLIKELY(!is_served(row.elements, number_, true))) await_lock();
  if (BATON_UNLIKELY(error_)) return;
  is_locked_ = true;
  const lockfree::GuardMode mode = mode_of(row.guard);
  if (BATON_UNLIKELY(mode == lockfree::GuardMode::atomic)) {
    leave_atomic_mode(lone);
  } else if (mode == lockfree::GuardMode::locked && note_use(row.guard, lone)) {
    allow_atomic_changes(row.guard);
    is_atomic_ = lone;
  }
}

inline ElementHold::~ElementHold() {
  if (BATON_LIKELY(is_locked_))
    (void)let_go(target_.row->elements, number_, true);
  else if (BATON_LIKELY(!error_))
    end_atomic_change(window_.row->busy, platform::threads_multiple);
}

// The bits are numbers of bytes: 1, 2, 4, 8, and 16 where the CPU can.
extern const std::uint32_t atomic_sizes;

// Returns whether an element of this many bytes at this address can be changed by an atomic
// instruction.
inline bool is_atomic_size(std::int64_t bytes) {
  return bytes <= 16 && (atomic_sizes >> bytes & 1) != 0;
}
inline bool is_atomic_place(const void* place, std::int64_t bytes) {
  return (reinterpret_cast<std::uintptr_t>(place) & static_cast<std::uintptr_t>(bytes - 1)) == 0;
}

// This is the change to elements: a kernel, which an instruction may replace for sums, or one of
// the two operations that need no kernel (replace and no-op).
struct Change {
  enum class Kind : std::uint8_t { kernel, add, add_real, replace, nothing };
  Kind kind = Kind::nothing;
  datatype::Kernel kernel = nullptr;
};

// Begins the change of one element by an atomic instruction, without a hold; false: it needs a
// hold. The caller then calls lockfree::end_atomic_change on the window's row.
inline bool begin_lone_change(Window& window, Target& target) {
  // ORDER window.visited: acquire here, release in visit.
  return BATON_LIKELY(std::atomic_ref(target.visited).load(std::memory_order_acquire)) &&
         begin_atomic_change(target.row->guard, window.row->busy, platform::threads_multiple,
                             fence_if_needed);
}

// Changes `count` contiguous elements of `bytes` each by atomic instructions. `old` gets the values
// before, or is null.
void change_atomically(const Change& change, std::int64_t bytes, const char* in, char* place,
                       char* old, std::int64_t count);
// Makes the change of change_atomically by plain instructions.
void change_plainly(const Change& change, std::int64_t bytes, const char* in, char* place,
                    char* old, std::int64_t count);
// Writes `desired` if all bytes equal `expected`. `old` gets the value before.
void compare_and_swap_atomically(std::int64_t bytes, const void* expected, const void* desired,
                                 void* place, void* old);

}  // namespace baton::window
