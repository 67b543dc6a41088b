// What collectives between nodes are made of: steps, each a collective of a node's ranks or of one
// rank of each node, which chooses its own algorithm. Used by the algorithms of that name.
// Invariant: all steps of a call are begun with it, so that nonblocking calls that overlap take the
// rounds of a node's room in the same order everywhere.
#pragma once

#include "collective/algorithm.hpp"
#include "world/node_parts.hpp"

namespace baton::collective {

// A step of the run's call; stays where it is until it has ended.
struct Step {
  Step() = default;
  Step(const Step&) = delete;
  Step& operator=(const Step&) = delete;

  Call call{};
  Call whole{};
  Task task;  // none: it has not begun
};
void begin(Run& run, Step& step, const Call& call);
// To be awaited once, after the steps before it.
Task finish(Run& run, Step& step);

// What this rank does in a call with a root: which rank stands for its node with the others, and
// those ranks as a context. The root stands for its own node.
struct Delegates {
  Context context;  // by nodes
  int root_node;
  int number;   // of this node's delegate, among its ranks
  bool is_own;  // this rank is one
};
// False, and the run has the error, without memory.
bool find_delegates(Run& run, const world::NodeParts& parts, int root, Delegates& delegates);

// Those of the run's communicator. Null, and the run has the error, without memory; then this rank
// has no part in the call.
const world::NodeParts* node_parts(Run& run);

// This node's blocks of a gather or scatter, where its delegate has them: the root among `all`, the
// others one behind the other, each as long as `mine`, until the run ends. False, and the run has
// the error, without memory.
bool find_blocks(Run& run, const world::NodeParts& parts, const Delegates& delegates,
                 const Blocks& all, const Blocks& mine, Blocks& blocks);

// A call of one kind among the ranks of a part.
inline Call step_of(Kind kind, Communicator& part, int root = 0) {
  return {.kind = kind, .comm = &part, .root = root, .out = {}, .in = {}};
}
// Of a vector: what this rank gives, and where the result goes.
inline Call step_of(Kind kind, Communicator& part, int root, const Vector& vector,
                    const void* given, void* result) {
  Call call = step_of(kind, part, root);
  call.operation = vector.operation;
  call.in = {.buffer = result, .type = vector.type, .uniform = vector.count};
  call.out = call.in;
  call.out.buffer = given == result ? MPI_IN_PLACE : const_cast<void*>(given);
  return call;
}

}  // namespace baton::collective
