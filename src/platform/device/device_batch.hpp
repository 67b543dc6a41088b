// Copies from, to or between device memory that are begun one after the other and waited for once:
// in a row each takes less than half as long as alone. Runs that repeat at equal distances on both
// sides, as elements of types with gaps do, become copies of planes: one for each run of an
// element. From a few of them on a kernel makes all (plane_list.hpp). A thread's own; it lives
// within a call of the program, which may not free the memory meanwhile. A function that fails
// returns why, in words that stay.
#pragma once

#include <cstddef>

#include "platform/device/accelerator.hpp"
#include "platform/device/plane_list.hpp"

namespace baton::platform {

class DeviceBatch {
 public:
  // Adds a copy, of which at least one side is device memory.
  const char* copy(void* to, const void* from, std::size_t bytes);
  // Waits for all that was added. The batch is empty again.
  const char* finish();

 private:
  struct Run {
    char* to;
    const char* from;
    std::size_t bytes;
  };
  // The first `length` of some runs: each is like the one `period` before it, a step further,
  // either way.
  struct Repetition {
    std::size_t period = 1;
    std::size_t length = 1;
    std::ptrdiff_t to_step = 0;
    std::ptrdiff_t from_step = 0;
  };
  // guess: elements have no more than half as many runs.
  static constexpr std::size_t runs_max = 128;

  static bool repeats(const Run& run, const Run& before, const Repetition& repetition);
  static Repetition find_repetition(const Run* runs, std::size_t count);
  bool knows(const void* address) const;
  bool is_device(const void* address, bool* elsewhere);
  const char* find(const void* to, const void* from);
  const char* add(const Run& run);
  const char* begin_kept(bool all);
  const char* begin_repetition(const Run* runs, const Repetition& repetition);
  const char* begin(PlaneCopy plane);
  const char* begin_all();
  const char* carry_list_out();

  DeviceRange range_;   // the allocation that one side of the latest copies lies in
  bool waits_ = false;  // copies have begun in its context
  // Runs that have not begun yet, of which the latest may become longer.
  Run latest_{};         // no bytes: none
  Run* runs_ = nullptr;  // runs_max of them; null: none were needed
  std::size_t count_ = 0;
  PlaneList* list_ = nullptr;     // of copies in the context; null: none was needed
  std::uintptr_t host_page_ = 0;  // a page of host memory
  // All of them repeat, and only those of the first period are kept. Length 0: not so.
  Repetition goes_on_{1, 0, 0, 0};
};

}  // namespace baton::platform
