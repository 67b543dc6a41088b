// `mpiexec --check`: conflicting accesses of one-sided communication (MPI 5.0, "Semantics and
// Correctness"). Each operation looks into its target's table (access_table.hpp) before it begins
// and leaves its bytes there until synchronization orders it. One that conflicts moves nothing.
// Called by api/, around the operations and synchronization of windows that have checks; others
// pay one branch. Errors: MPI_ERR_RMA_CONFLICT, explained, and those of what is checked.
#pragma once

#include "datatype/operation.hpp"
#include "window/access_table.hpp"
#include "window/place.hpp"
#include "window/synchronize.hpp"

namespace baton::window {

// Collective over a new window, where the setting `check` is on.
BATON_COLD void begin_checks(Window& window);
BATON_COLD void end_checks(Window& window);

// One operation. Its target's table is held from begin() to end(), but where it goes by messages:
// then an operation that fails has left its bytes there, too.
class CheckedAccess {
 public:
  // `operation`: null where the procedure takes none.
  CheckedAccess(Window& window, const Place& place, Act act, const Operation* operation)
      : window_(window), place_(place), act_(act), operation_(operation) {}
  // The error of a place outside any epoch or memory, or MPI_ERR_RMA_CONFLICT: then the table is
  // free again and nothing may be done.
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
// operate() in a window that may have checks. (It goes on by value: so it is not put into memory
// where there are none.)
template <class Operate>
BATON_INLINE Error operate_on(Window& window, const Place& place, Act act,
                              const Operation* operation, Operate operate) {
  if (BATON_LIKELY(!window.checks)) return operate();
  return operate_checked(window, place, act, operation, operate);
}

// The same of synchronization. What ends an epoch may find stores of this rank.
BATON_COLD Error fence_checked(Window& window, int assertion);
BATON_COLD Error complete_checked(Window& window);
// Behind MPI_Win_wait, or an MPI_Win_test that was the end.
BATON_COLD Error note_exposure_end(Window& window);
// Ahead of flushes and unlocks: our operations at a rank, or at all, are ordered before what comes.
// `local`: only gets, which have brought their data here.
inline constexpr int all_targets = -1;
BATON_COLD void note_flush(Window& window, int rank, bool local);

}  // namespace baton::window
