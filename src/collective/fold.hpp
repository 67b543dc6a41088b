// Folds ranks beyond a power of two, for algorithms that pair ranks by the bits of their numbers:
// the first ranks act in pairs of neighbors, so that rank order is kept.
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

  // Returns the rank that acts for a group.
  int speaker(int of) const { return of < pairs ? 2 * of + 1 : of + pairs; }

  int groups;   // a power of two
  int pairs;    // this many groups are two ranks
  bool paired;  // we are one of two
  bool speaks;  // we act for our group
  int group;
};

// Folds in, before the algorithm: a rank that speaks for two has both vectors in `total`
// afterwards. The other rank of the pair returns only with the result that fold_out sends.
// `incoming` holds one vector.
Task fold_in(Run& run, const Context& context, const Fold& fold, Vector vector, void* total,
             void* incoming);
// Folds out, after the algorithm: sends the result to the other rank of the pair. It is called only
// by ranks that speak.
Task fold_out(Run& run, const Context& context, const Fold& fold, Vector vector, const void* total);

}  // namespace baton::collective
