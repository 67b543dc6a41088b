// What an operation on a window names: data of this rank, a place in the window, and the spot where
// that place is. Used by all that operations go by.
#pragma once

#include <cstdint>

#include "datatype/datatype.hpp"
#include "window/window.hpp"

namespace baton::window {

// Data of this rank.
struct Data {
  void* buffer;
  std::int64_t count;
  const Datatype* type;
  std::int64_t bytes() const { return count * type->size; }
};

// Data in the window.
struct Place {
  int rank;  // or MPI_PROC_NULL, where nothing happens
  MPI_Aint displacement;
  std::int64_t count;
  const Datatype* type;
  std::int64_t bytes() const { return count * type->size; }
};

// Where a place is: here, if it is mapped, else at an address of its owner.
struct Spot {
  Target* target;
  char* memory;  // null: not mapped
  std::uint64_t address;
  bool is_remote() const { return target->way == Way::remote; }
};

}  // namespace baton::window
