// Steps of collectives between nodes: each is a collective of a node's ranks or of one rank of each
// node, which chooses its own algorithm. The algorithms named by_nodes use them.
// Invariant: all steps of a call are begun with it, so that nonblocking calls that overlap take the
// rounds of a node's room in the same order everywhere.
#pragma once

#include "collective/algorithm.hpp"
#include "world/node_parts.hpp"

namespace baton::collective {

// This is a step of the run's call; the object must not move until the step has ended.
struct Step {
  Step() = default;
  Step(const Step&) = delete;
  Step& operator=(const Step&) = delete;

  Call call{};
  Run::Whole whole;
  Task task;  // empty: the step has not begun
};
void begin(Run& run, Step& step, const Call& call);
// Finishes a step. It is awaited once, after the steps before it.
Task finish(Run& run, Step& step);

// These are the delegates of a call with a root: one rank of each node stands for its node with the
// others; these ranks are also a context. The root is the delegate of its own node.
struct Delegates {
  Context context;  // numbered by nodes
  int root_node;
  int number;   // of this node's delegate, among its node's ranks
  bool is_own;  // this rank is its node's delegate
};
// Finds the delegates. Returns false without memory, and the run has the error.
bool find_delegates(Run& run, const world::NodeParts& parts, int root, Delegates& delegates);

// Returns the parts of the run's communicator. Null without memory, and the run has the error; then
// this rank takes no part in the call.
const world::NodeParts* node_parts(Run& run);

// Finds this node's blocks of a gather or scatter, as its delegate has them: the root has them
// among `all`, the other delegates one behind the other, each as long as `mine`, until the run
// ends. Returns false without memory, and the run has the error.
bool find_blocks(Run& run, const world::NodeParts& parts, const Delegates& delegates,
                 const Blocks& all, const Blocks& mine, Blocks& blocks);

// Makes a call of one kind among the ranks of a part.
inline Call step_of(Kind kind, Communicator& part, int root = 0) {
  return {.kind = kind, .comm = &part, .root = root, .out = {}, .in = {}};
}
// Makes a call with a vector: what this rank gives, and where the result goes.
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
