// `mpiexec --check` finds conflicting accesses of one-sided communication (MPI 5.0, "Semantics and
// Correctness"). Each operation looks into its target's table (access_table.hpp) before it begins
// and leaves its bytes there until synchronization orders it. A conflicting operation moves
// nothing. This is called by api/, around the operations and synchronization of windows that have
// checks; others
// pay one branch. Errors: MPI_ERR_RMA_CONFLICT, explained, and those of what is checked.
#pragma once

#include "datatype/operation.hpp"
#include "window/access_table.hpp"
#include "window/place.hpp"
#include "window/synchronize.hpp"

namespace baton::window {

// Prepares a new window for the checks, if the setting `check` is on. It is collective over the
// window.
BATON_COLD void begin_checks(Window& window);
BATON_COLD void end_checks(Window& window);

// This is the check of one operation. The target's table is locked from begin() to end(), unless
// the operation goes by messages: then the lock is not held meanwhile, and an operation that fails
// has still left its bytes in the table.
class CheckedAccess {
 public:
  // `operation` is null where the procedure takes none.
  CheckedAccess(Window& window, const Place& place, Act act, const Operation* operation)
      : window_(window), place_(place), act_(act), operation_(operation) {}
  // Returns the error of a place outside any epoch or memory, or MPI_ERR_RMA_CONFLICT. After an
  // error the table is unlocked, and the operation must not be done.
  [[nodiscard]] Error begin();
  void end(Error error);

 private:
  Error judge();
  template <class Use>
  bool for_each_run(Use&& use) const;

  Window& window_;
  const Place& place_;
  Act act_;
  const Operation* operation_;
  Spot spot_{};
  Access access_{};
  AccessTable* table_ = nullptr;
  std::uint32_t number_ = 0;
  bool compares_ = false;
};

template <class Operate>
BATON_COLD Error operate_checked(Window& window, const Place& place, Act act,
                                 const Operation* operation, Operate operate) {
  CheckedAccess access(window, place, act, operation);
  if (Error error = access.begin()) return error;
  const Error error = operate();
  access.end(error);
  return error;
}
// Calls `operate`, with the checks if the window has any. (`operate` is passed by value, so that it
// stays in registers in windows without checks.)
template <class Operate>
BATON_INLINE Error operate_on(Window& window, const Place& place, Act act,
                              const Operation* operation, Operate operate) {
  if (BATON_LIKELY(!window.checks)) return operate();
  return operate_checked(window, place, act, operation, operate);
}

// These are the synchronization calls of a window that has checks. A call that ends an epoch may
// find stores of this rank that conflict.
BATON_COLD Error fence_checked(Window& window, int assertion);
BATON_COLD Error complete_checked(Window& window);
// Notes the end of an exposure epoch, after MPI_Win_wait or a successful MPI_Win_test.
BATON_COLD Error note_exposure_end(Window& window);
// Notes, before a flush or an unlock, that this rank's operations at one rank, or at all, are
// ordered before those that follow. `local`: this holds only for gets, whose data has arrived.
inline constexpr int all_targets = -1;
BATON_COLD void note_flush(Window& window, int rank, bool local);

}  // namespace baton::window
