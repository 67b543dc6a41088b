// What scatter_linear does, for what ends with a scatter of its own.
#pragma once

#include "collective/algorithm.hpp"

namespace baton::collective {

// Over the ranks of a context: the root's blocks `all`, ours `mine`.
Task scatter_from_root(Run& run, const Context& context, const Blocks& all, const Blocks& mine,
                       int root);

}  // namespace baton::collective
