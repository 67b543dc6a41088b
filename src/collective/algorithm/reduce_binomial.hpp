// The binomial tree of reduce_binomial, for what begins with a reduction of its own.
#pragma once

#include "collective/algorithm.hpp"

namespace baton::collective {

// Over the ranks of a context; of an operation that does not commute to rank 0 first, then to the
// root. `contribution` may be where the result goes.
Task reduce_on_tree(Run& run, const Context& context, Vector vector, const void* contribution,
                    void* result, int root);

}  // namespace baton::collective
