// An algorithm of a collective is a function in a file of algorithm/, with the name that its row of
// the table has (base/algorithm.hpp); select.cpp begins it. Every rank of the communicator runs the
// same one for `run.call`, whose sizes were checked against the row. Results are combined in rank
// order unless the row needs an operation that commutes, so that all get the same bits. A message
// that fails is the run's error, and the others still get what they wait for; without memory for
// its own part a rank ends with MPI_ERR_NO_MEM, and the other ranks may wait for it.
#pragma once

#include "collective/run.hpp"
#include "datatype/device_reduce.hpp"

namespace baton::collective {

using message::Context;

// These are the signatures of algorithms; the row says which one an algorithm has. It goes by
// messages; it takes one round of the run's room, two rounds, or many in a row; or it copies
// between buffers, and awaits `otherwise` where not all ranks can.
using ByMessages = Task(Run&);
using InOneRound = Task(Run&, Round);
using InTwoRounds = Task(Run&, Round, Round);
using InManyRounds = Task(Run&, Rounds);
using CopiesDirectly = Task(Run&, Round, Round, Task otherwise);

// Vectors that are reduced: `count` elements of `type` by `operation`.
struct Vector {
  std::int64_t count;
  Datatype* type;
  Operation* operation;

  // Computes inout = in op inout, in host memory.
  void reduce(const void* in, void* inout) const {
    datatype::reduce(*operation, in, inout, count, *type);
  }
  // Computes the same where the run has its data: algorithms by messages do.
  void reduce(Run& run, const void* in, void* inout) const {
    if (BATON_LIKELY(!run.on_device.is_on())) return reduce(in, inout);
    run.note(datatype::reduce_anywhere(*operation, in, inout, count, *type));
  }
  // Returns the same type and operation for a part of `elements` elements.
  Vector part(std::int64_t elements) const { return {elements, type, operation}; }
  void* at(const void* buffer, std::int64_t element) const {
    return const_cast<char*>(static_cast<const char*>(buffer)) + element * type->extent;
  }
};
// Returns the vector of a call; for a reduce_scatter it has all parts.
inline Vector vector_of(const Call& call) {
  return {call.in.uniform, call.in.type, call.operation};
}
inline Vector whole_of(const Call& call) {
  Vector whole = vector_of(call);
  whole.count = 0;
  for (int r = 0; r < call.comm->size(); ++r) whole.count += call.in.count(r);
  return whole;
}

// Returns where each part begins, in elements, of a vector that `in` divides. The array lives until
// the run ends. Without memory it is null, and the run has the error.
inline std::int64_t* first_elements(Run& run, const Blocks& in, int ranks) {
  auto* first = static_cast<std::int64_t*>(run.take(static_cast<std::size_t>(ranks) * 8));
  for (int r = 0; first && r < ranks; ++r) first[r] = r ? first[r - 1] + in.count(r - 1) : 0;
  return first;
}

}  // namespace baton::collective
