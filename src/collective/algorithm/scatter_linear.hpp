// This is the scatter of scatter_linear, for algorithms that end with a scatter.
#pragma once

#include "collective/algorithm.hpp"

namespace baton::collective {

// Scatters over the ranks of a context: `all` are the root's blocks, `mine` is ours.
Task scatter_from_root(Run& run, const Context& context, const Blocks& all, const Blocks& mine,
                       int root);

}  // namespace baton::collective
