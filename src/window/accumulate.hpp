// What accumulates change, and how this rank changes elements of its own for others. Used by the
// accumulating operations and by the target's side of remote ones.
#pragma once

#include "window/elements.hpp"

namespace baton::window {

// Elements as an accumulate changes them.
struct Elements {
  const Datatype* type = nullptr;  // predefined; null: bytes, which are only replaced or read
  std::int64_t bytes = 1;          // of each
  bool pairs = false;
  Change change;

  bool is_padded() const { return pairs && !type->contiguous; }
};

// MPI_ERR_OP, MPI_ERR_TYPE, explained.
[[nodiscard]] Error describe(const Operation& operation, const Datatype& type, Elements* elements);

// Changes packed elements at `memory` of this rank, in its progress: `in` is packed, too, or null;
// so is `old`.
[[nodiscard]] Error change_own(Window& window, char* memory, const Datatype& type,
                               std::int64_t bytes, const Operation& operation, const char* in,
                               char* old);
void swap_own(Window& window, char* memory, const Datatype& type, const void* from,
              const void* expected, void* old);

}  // namespace baton::window
