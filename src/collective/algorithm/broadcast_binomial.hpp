// The binomial tree of broadcast_binomial, for what begins or ends with a broadcast of its own.
#pragma once

#include "collective/algorithm.hpp"

namespace baton::collective {

// Over the ranks of a context.
Task broadcast_on_tree(Run& run, const Context& context, void* buffer, std::int64_t count,
                       Datatype& type, int root);

}  // namespace baton::collective
