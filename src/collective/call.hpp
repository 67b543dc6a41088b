// This is a call of a collective as plain data: the arguments of the program, in whichever of the
// three forms it called. It is made by api/, and read by select and by the algorithms.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/algorithm.hpp"
#include "datatype/operation.hpp"
#include "world/communicator.hpp"

namespace baton::collective {

using Kind = CollectiveKind;

class Run;
class Task;

// This is one side of a call: `uniform` elements for each rank, or `counts` where they differ;
// `displacements` in extents, or in bytes where each rank has a type of its own. The arrays are the
// user's own, never copied: `wide` is false for int, true for MPI_Count and MPI_Aint.
struct Blocks {
  void* buffer = nullptr;
  Datatype* type = nullptr;
  std::int64_t uniform = 0;
  int ranks = 0;  // the length of the arrays
  const void* counts = nullptr;
  const void* displacements = nullptr;
  const MPI_Datatype* type_handles = nullptr;  // as the program gave them
  Datatype** types = nullptr;                  // looked up by the run
  bool wide_counts = false;
  bool wide_displacements = false;

  bool in_place() const { return buffer == MPI_IN_PLACE; }
  std::int64_t count(int rank) const { return counts ? at(counts, wide_counts, rank) : uniform; }
  Datatype& type_of(int rank) const { return types ? *types[rank] : *type; }
  std::int64_t bytes(int rank) const { return count(rank) * type_of(rank).size; }
  void* place(int rank) const {
    std::int64_t offset =
        displacements ? at(displacements, wide_displacements, rank) : rank * uniform;
    return static_cast<char*>(buffer) + (types ? offset : offset * type->extent);
  }

 private:
  static std::int64_t at(const void* array, bool wide, int i) {
    return wide ? static_cast<const std::int64_t*>(array)[i] : static_cast<const int*>(array)[i];
  }
};

// In a call `out` is what this rank gives, `in` what it gets. Broadcasts use `in` alone. In gathers
// `out` is one block (and `in` counts at the root), in scatters `in` is one block; reductions have
// the same count and type on both sides.
struct Call {
  Kind kind;
  Communicator* comm;
  int root = 0;
  Blocks out;
  Blocks in;
  Operation* operation = nullptr;
  bool persistent = false;
  bool uneven = false;  // a v or w form: ranks do not know how much the others have
  // This runs instead of an algorithm, with the state: collective accesses to files are tasks of
  // steps (by_nodes.hpp). Null: an algorithm.
  Task (*task)(Run& run, void* state) = nullptr;
  void* task_state = nullptr;
  std::size_t task_state_bytes = 0;  // a run that outlives the call works on a copy

  // Returns what this rank contributes to a reduction; in place it is where the result goes.
  const void* contribution() const { return out.in_place() ? in.buffer : out.buffer; }
  bool commutes() const { return operation->commutative; }
};

inline bool is_among_neighbors(const Call& call) {
  return call.kind == Kind::neighbor_allgather || call.kind == Kind::neighbor_alltoall;
}

}  // namespace baton::collective
