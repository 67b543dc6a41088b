/* The pairs of a basis, by falling Schwarz bounds. */
#include "pairs.h"

#include <stdlib.h>

#include "ranks.h"
#include "repulsion.h"

/* The lists of all ranks must have the same order, and exp() may differ in its last bit from one
 * kind of processor to another. */
static void share_bounds(Pairs* pairs) {
  double* bound = ranks_memory((size_t)pairs->count, sizeof *bound);
  for (long i = 0; i < pairs->count; ++i) bound[i] = pairs->pair[i].bound;
  ranks_share(bound, (size_t)pairs->count * sizeof *bound);
  for (long i = 0; i < pairs->count; ++i) pairs->pair[i].bound = bound[i];
  free(bound);
}

static int by_falling_bound(const void* one, const void* other) {
  const Pair *p = one, *q = other;
  if (p->bound != q->bound) return p->bound > q->bound ? -1 : 1;
  if (p->a != q->a) return p->a < q->a ? -1 : 1;
  return (p->b > q->b) - (p->b < q->b);
}

Pairs pairs_of(const Basis* basis) {
  Pairs pairs = {0};
  long space = 0;
  for (int i = 0; i < basis->shells; ++i)
    for (int j = 0; j <= i; ++j, ++pairs.of_shells) {
      const Shell *a = &basis->shell[i], *b = &basis->shell[j];
      if (pairs.count == space) {
        space = 2 * space + 64;
        pairs.pair = realloc(pairs.pair, (size_t)space * sizeof *pairs.pair);
        if (!pairs.pair) ranks_stop("not enough memory");
      }
      int exchanged = a->momentum < b->momentum;
      Pair* pair = &pairs.pair[pairs.count];
      if (!pair_of(exchanged ? b : a, exchanged ? a : b, pair)) continue;
      pair->bound = integrals_bound(pair);
      ++pairs.count;
    }
  share_bounds(&pairs);
  qsort(pairs.pair, (size_t)pairs.count, sizeof *pairs.pair, by_falling_bound);
  return pairs;
}

void pairs_free(Pairs* pairs) {
  for (long i = 0; i < pairs->count; ++i) free(pairs->pair[i].value);
  free(pairs->pair);
}
