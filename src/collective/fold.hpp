// Ranks beyond a power of two, for algorithms that pair ranks by the bits of their numbers: the
// first ones act in pairs of neighbors, so that rank order is kept.
#pragma once

#include <bit>

#include "collective/algorithm.hpp"

namespace baton::collective {

struct Fold {
  explicit Fold(const Context& context)
      : groups(static_cast<int>(std::bit_floor(static_cast<unsigned>(context.size)))),
        pairs(context.size - groups),
        paired(context.rank < 2 * pairs),
        speaks(!paired || context.rank % 2 == 1),
        group(paired ? context.rank / 2 : context.rank - pairs) {}

  // Who acts for a group.
  int speaker(int of) const { return of < pairs ? 2 * of + 1 : of + pairs; }

  int groups;   // a power of two
  int pairs;    // so many groups are two ranks
  bool paired;  // we are one of two
  bool speaks;  // for our group
  int group;
};

// Before: whoever speaks for two has both vectors in `total`. The other one returns with the result
// that fold_out sends. `incoming` holds one vector.
Task fold_in(Run& run, const Context& context, const Fold& fold, Vector vector, void* total,
             void* incoming);
// After: tells the other one. Only for those who speak.
Task fold_out(Run& run, const Context& context, const Fold& fold, Vector vector, const void* total);

}  // namespace baton::collective
