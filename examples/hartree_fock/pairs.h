/* The pairs of shells of a basis that have a product. They are prepared once. */
#ifndef HARTREE_FOCK_PAIRS_H
#define HARTREE_FOCK_PAIRS_H

#include "pair.h"

typedef struct {
  long count;
  Pair* pair;     /* by falling bound */
  long of_shells; /* all pairs of shells, also those too far apart to have a product */
} Pairs;

Pairs pairs_of(const Basis* basis);
void pairs_free(Pairs* pairs);

#endif
