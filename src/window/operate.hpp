// The operations on windows: put, get, accumulates (MPI 5.0, "Communication Calls"). Called by
// api/; handles, counts and ranks were checked there. What reaches mapped memory, or goes through
// the kernel, is over when the call returns; a flush then only orders it.
// Errors: MPI_ERR_RMA_SYNC outside an epoch, MPI_ERR_RMA_RANGE outside the target's memory,
// MPI_ERR_TYPE and MPI_ERR_OP for what cannot be accumulated, MPI_ERR_NO_MEM; explained.
#pragma once

#include "base/one_sided.hpp"
#include "datatype/operation.hpp"
#include "platform/cross_memory.hpp"
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

Error put(Window& window, const Data& from, const Place& to);
Error get(Window& window, const Data& to, const Place& from);
Error accumulate(Window& window, const Data& from, const Place& to, const Operation& operation);
// `from` means nothing where the operation is MPI_NO_OP.
Error get_accumulate(Window& window, const Data& from, const Data& result, const Place& at,
                     const Operation& operation);
// Of one element of a predefined type.
Error fetch_and_op(Window& window, const void* from, void* result, const Place& at,
                   const Operation& operation);
Error compare_and_swap(Window& window, const void* from, const void* expected, void* result,
                       const Place& at);

// Where a place is: here, if it is mapped, else at an address of its owner.
struct Spot {
  Target* target;
  char* memory;  // null: not mapped
  std::uint64_t address;
  bool is_remote() const { return target->way == Way::remote; }
};

// Checks epoch and range. A null target: nothing is to be done. Counts it as an `operation`.
Error find_usual_spot(Window& window, const Place& place, Spot* spot);
BATON_COLD Error find_special_spot(Window& window, const Place& place, Spot* spot,
                                   WindowOperation operation);
inline Error find_spot(Window& window, const Place& place, Spot* spot,
                       WindowOperation operation = WindowOperation::put) {
  return BATON_LIKELY(!window.is_special) ? find_usual_spot(window, place, spot)
                                          : find_special_spot(window, place, spot, operation);
}

// Where a place is in most cases: contiguous, in mapped memory of a target that may be accessed.
// Null: it is another case, or wrong, and find_spot says which.
BATON_INLINE char* find_mapped(Window& window, const Place& place) {
  if (BATON_UNLIKELY(window.is_special || place.rank == MPI_PROC_NULL || !place.type->contiguous))
    return nullptr;
  const Target& target = window.targets[place.rank];
  if (BATON_UNLIKELY(target.way != Way::mapped || !(target.open || window.all_open)))
    return nullptr;
  std::int64_t offset, bytes;
  if (BATON_UNLIKELY(__builtin_mul_overflow(place.displacement, target.unit, &offset) ||
                     __builtin_mul_overflow(place.count, place.type->size, &bytes) || offset < 0 ||
                     offset > target.bytes - bytes))
    return nullptr;
  return target.memory + offset;
}
// By plain stores to mapped memory: a flush has to order them.
inline void note_stores(Window& window) {
  // relaxed: each thread that stores sets it itself.
  std::atomic_ref(window.dirty).store(true, std::memory_order_relaxed);
}
// Whether data of this rank is what the place holds, element by element.
inline bool is_alike(const Data& data, const Place& place) {
  return data.type == place.type && data.count == place.count;
}

// Between memory of this rank and a spot that is not mapped: one piece, or several together.
Error read_spot(Window& window, const Spot& spot, std::uint64_t address, void* to,
                std::int64_t bytes);
Error write_spot(Window& window, const Spot& spot, std::uint64_t address, const void* from,
                 std::int64_t bytes);
Error read_spot(Window& window, const Spot& spot, const platform::ProcessRuns& runs, void* to);
Error write_spot(Window& window, const Spot& spot, const platform::ProcessRuns& runs,
                 const void* from);

// Typed data as one run of bytes: in place where it is one, else a copy that lasts as long as this.
class Packed {
 public:
  // `filled`: packed from the data now. Otherwise it is to be filled, and `unpack` brings it there.
  Packed(const Data& data, bool filled);
  ~Packed();
  Packed(const Packed&) = delete;
  Packed& operator=(const Packed&) = delete;
  bool has_memory() const { return bytes_ != nullptr || data_.bytes() == 0; }
  char* bytes() { return bytes_; }
  void unpack();

 private:
  Data data_;
  char* bytes_ = nullptr;
  char short_[512];
};

}  // namespace baton::window
