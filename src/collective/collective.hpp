// The collectives. Arguments were checked above; every rank of the communicator calls. Errors are
// those of the messages they are made of. MPI_IN_PLACE arrives as it is.
// One file an algorithm; restrictions and selection stand in select.hpp.
#pragma once

#include <cstdint>

#include "datatype/operation.hpp"
#include "world/communicator.hpp"

namespace baton::collective {

Error barrier(Communicator& comm);
Error broadcast(Communicator& comm, void* buffer, std::int64_t count, Datatype& type, int root);
Error reduce(Communicator& comm, const void* send, void* receive, std::int64_t count,
             Datatype& type, Operation& operation, int root);
Error allreduce(Communicator& comm, const void* send, void* receive, std::int64_t count,
                Datatype& type, Operation& operation);

// One side of a gather or scatter: `count` elements, or `counts` and `displacements` (in extents)
// of every rank where they differ. A view of the user's arrays, never a copy: `wide` tells int from
// MPI_Count arrays.
struct Blocks {
  void* buffer = nullptr;
  Datatype* type = nullptr;
  std::int64_t uniform = 0;
  const void* counts = nullptr;
  const void* displacements = nullptr;
  bool wide = false;

  std::int64_t count(int rank) const { return counts ? at(counts, rank) : uniform; }
  void* place(int rank) const {
    std::int64_t offset = displacements ? at(displacements, rank) : rank * uniform;
    return static_cast<char*>(buffer) + offset * type->extent;
  }

 private:
  std::int64_t at(const void* array, int i) const {
    return wide ? static_cast<const std::int64_t*>(array)[i] : static_cast<const int*>(array)[i];
  }
};

// `mine` is this rank's block (place 0), `all` is significant at the root (gather, scatter) or
// everywhere.
Error gather(Communicator& comm, const Blocks& mine, const Blocks& all, int root);
Error scatter(Communicator& comm, const Blocks& all, const Blocks& mine, int root);
Error allgather(Communicator& comm, const Blocks& mine, const Blocks& all);
Error alltoall(Communicator& comm, const Blocks& out, const Blocks& in);

}  // namespace baton::collective
