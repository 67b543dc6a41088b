// These are the hints of a window: what programs promise about it, or wish for it, in an info (MPI
// 5.0, "Window Creation"). Keys that Baton does not know are ignored, as are values that have no
// meaning.
#pragma once

#include <cstdint>

#include "world/info.hpp"

namespace baton::window {

struct Hints {
  bool no_locks = false;
  bool noncontiguous = false;  // alloc_shared_noncontig
  bool same_size = false;
  bool same_unit = false;
  // Nothing needs these promises so far; MPI_Win_get_info returns them.
  bool same_op = false;           // accumulate_ops=same_op
  std::uint8_t ordering = 0xf;    // accumulate_ordering: a bit each for rar, raw, war, waw
  std::uint32_t granularity = 0;  // mpi_accumulate_granularity; 0: not given
  const char* asserted_kinds = nullptr;
};

// Takes over the hints in `info` (null: none); hints that it does not mention stay. `made`: the
// window exists already, so that some hints can no longer change.
void update_hints(Hints& hints, const Info* info, bool made);
// Writes each hint with its value into `info`, and the memory kinds that are supported. Error:
// MPI_ERR_NO_MEM, explained.
[[nodiscard]] Error describe_hints(const Hints& hints, int flavor, const char* memory_kinds,
                                   Info& info);

}  // namespace baton::window
