// What programs promise about a window, or wish for it, in an info (MPI 5.0, "Window Creation").
// Keys that mean nothing here are ignored, as are values that mean nothing.
#pragma once

#include <cstdint>

#include "world/info.hpp"

namespace baton::window {

struct Hints {
  bool no_locks = false;
  bool noncontiguous = false;  // alloc_shared_noncontig
  bool same_size = false;
  bool same_unit = false;
  // Promises that nothing here needs so far; MPI_Win_get_info tells them.
  bool same_op = false;           // accumulate_ops=same_op
  std::uint8_t ordering = 0xf;    // accumulate_ordering: a bit each of rar, raw, war, waw
  std::uint32_t granularity = 0;  // mpi_accumulate_granularity; 0: none
  const char* asserted_kinds = nullptr;
};

// Takes over what `info` (null: nothing) says; what it does not mention stays. `made`: the window
// exists, so that some can no longer change.
void update_hints(Hints& hints, const Info* info, bool made);
// Writes each of them with its value. MPI_ERR_NO_MEM, explained.
[[nodiscard]] Error describe_hints(const Hints& hints, int flavor, Info& info);

}  // namespace baton::window
