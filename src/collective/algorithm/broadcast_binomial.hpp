// This is the binomial tree of broadcast_binomial, for algorithms that begin or end with a
// broadcast.
#pragma once

#include "collective/algorithm.hpp"

namespace baton::collective {

// Broadcasts over the ranks of a context.
Task broadcast_on_tree(Run& run, const Context& context, void* buffer, std::int64_t count,
                       Datatype& type, int root);

}  // namespace baton::collective
