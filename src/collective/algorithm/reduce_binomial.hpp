// This is the binomial tree of reduce_binomial, for algorithms that begin with a reduction.
#pragma once

#include "collective/algorithm.hpp"

namespace baton::collective {

// Reduces over the ranks of a context. With an operation that does not commute the result goes to
// rank 0 first, then to the root. `contribution` may be where the result goes.
Task reduce_on_tree(Run& run, const Context& context, Vector vector, const void* contribution,
                    void* result, int root);

}  // namespace baton::collective
