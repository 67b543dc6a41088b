// These are the operands of an operation on a window: data of this rank, a place in the window, and
// the spot where that place is. All ways that operations go use them.
#pragma once

#include <cstdint>

#include "datatype/foreign.hpp"
#include "window/window.hpp"

namespace baton::window {

// This is the data of this rank.
struct Data {
  void* buffer;
  std::int64_t count;
  const Datatype* type;
  bool is_host = false;  // it is host memory for certain: nobody need ask
  std::int64_t bytes() const { return count * type->size; }
  // Returns whether it is one run of bytes of host memory; other data is packed and unpacked.
  bool is_run() const { return datatype::is_run(*type, buffer, is_host); }
};

// This is the data in the window.
struct Place {
  int rank;  // or MPI_PROC_NULL, where nothing happens
  MPI_Aint displacement;
  std::int64_t count;
  const Datatype* type;
  std::int64_t bytes() const { return count * type->size; }
  bool is_run() const { return type->contiguous; }
};

// This is the location of a place: in this process, if it is mapped, else at an address of its
// owner.
struct Spot {
  Target* target;
  char* memory;  // null: not mapped
  std::uint64_t address;
  bool is_foreign = false;  // it lies in foreign memory of a dynamic window
};

// Notes plain stores to mapped memory, which a flush has to order.
inline void note_stores(Window& window) {
  // relaxed: each thread that stores sets it itself.
  std::atomic_ref(window.dirty).store(true, std::memory_order_relaxed);
}

}  // namespace baton::window
