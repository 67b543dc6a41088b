// The algorithms of the collectives, one file each. Every rank of the context runs the same one.
// `contribution` may be where the result goes; a null or unused buffer is one that this rank does
// not have. A message that fails is the run's error, and the others still get what they wait for;
// without memory for its own part a rank ends with MPI_ERR_NO_MEM, and they may wait for it.
#pragma once

#include "collective/run.hpp"

namespace baton::collective {

using message::Context;

// Vectors that are reduced: `count` elements of `type` by `operation`.
struct Vector {
  std::int64_t count;
  Datatype* type;
  Operation* operation;

  // inout = in op inout
  void reduce(const void* in, void* inout) const {
    datatype::reduce(*operation, in, inout, count, *type);
  }
  // A part of it: `elements` of them.
  Vector part(std::int64_t elements) const { return {elements, type, operation}; }
  void* at(const void* buffer, std::int64_t element) const {
    return const_cast<char*>(static_cast<const char*>(buffer)) + element * type->extent;
  }
};

// Where the parts of a vector that `in` divides begin, in elements; null, and the run has the
// error, without memory. Until the run ends.
inline std::int64_t* first_elements(Run& run, const Blocks& in, int ranks) {
  auto* first = static_cast<std::int64_t*>(run.take(static_cast<std::size_t>(ranks) * 8));
  for (int r = 0; first && r < ranks; ++r) first[r] = r ? first[r - 1] + in.count(r - 1) : 0;
  return first;
}

Task barrier_dissemination(Run& run, world::Members members);

Task broadcast_binomial(Run& run, const Context& context, void* buffer, std::int64_t count,
                        Datatype& type, int root);

Task gather_linear(Run& run, const Context& context, const Blocks& mine, const Blocks& all,
                   int root);
Task scatter_linear(Run& run, const Context& context, const Blocks& all, const Blocks& mine,
                    int root);
Task allgather_ring(Run& run, const Context& context, const Blocks& mine, const Blocks& all);
// Of blocks whose length all know: a partner for each bit of the number of ranks.
Task allgather_bruck(Run& run, const Context& context, const Blocks& mine, const Blocks& all);
Task alltoall_bruck(Run& run, const Context& context, const Blocks& out, const Blocks& in);
Task alltoall_pairwise(Run& run, const Context& context, const Blocks& out, const Blocks& in);
Task alltoall_in_place(Run& run, const Context& context, const Blocks& data);

// Along a binomial tree; of an operation that does not commute to rank 0 first, then to the root.
Task reduce_binomial(Run& run, const Context& context, Vector vector, const void* contribution,
                     void* result, int root);
// Of its children to `own`, as it arrives: `from_top` is how far this rank is from the tree's top.
Task combine_by_arrival(Run& run, const Context& context, Vector vector, void* own, int from_top,
                        int top);
// Every rank has the whole vector in each step (short ones); keeps the order of ranks.
Task allreduce_doubling(Run& run, const Context& context, Vector vector, const void* contribution,
                        void* result);
// Every rank reduces a part of the vector and all get all parts; for operations that commute.
Task allreduce_halving(Run& run, const Context& context, Vector vector, const void* contribution,
                       void* result);
// Each pair of ranks exchanges what the other one reduces; for operations that commute. `in` names
// the parts; the result goes to its buffer's beginning.
Task reduce_scatter_pairwise(Run& run, const Context& context, Vector whole,
                             const void* contribution, const Blocks& in);
// Rank 0 reduces all and hands out the parts; keeps the order of ranks.
Task reduce_scatter_rooted(Run& run, const Context& context, Vector whole, const void* contribution,
                           const Blocks& in);
// Of what ranks up to ours give; `inclusive` tells a scan from an exscan.
Task scan_doubling(Run& run, const Context& context, Vector vector, const void* contribution,
                   void* result, bool inclusive);

// The neighborhood collectives; the communicator has a topology.
Task neighbour_exchange(Run& run, Communicator& comm, const Blocks& out, const Blocks& in);

// Between two groups (MPI 5.0, "Applying Collective Operations to Inter-Communicators"): `root` is
// MPI_ROOT, MPI_PROC_NULL or a rank of the other group.
Task broadcast_between(Run& run, Communicator& comm, const Blocks& data, int root);
Task gather_between(Run& run, Communicator& comm, const Blocks& mine, const Blocks& all, int root);
Task scatter_between(Run& run, Communicator& comm, const Blocks& all, const Blocks& mine, int root);
Task exchange_between(Run& run, Communicator& comm, const Blocks& out, const Blocks& in);
Task reduce_between(Run& run, Communicator& comm, Vector vector, const void* contribution,
                    void* result, int root);
Task allreduce_between(Run& run, Communicator& comm, Vector vector, const void* contribution,
                       void* result);
Task reduce_scatter_between(Run& run, Communicator& comm, Vector whole, const void* contribution,
                            const Blocks& in);

}  // namespace baton::collective
