/* A pair of shells: its products of functions as sums of Hermite Gaussians, of which everything
 * that is integrated is made. Used by pairs.c, which lists those of a basis, and by the integrals.
 */
#ifndef HARTREE_FOCK_PAIR_H
#define HARTREE_FOCK_PAIR_H

#include "basis.h"
#include "hermite.h"

enum {
  most_pair_functions = most_shell_functions * most_shell_functions,
  most_terms = 46 /* of two SP shells; 7 of an SP and an s shell, 1 of two s shells */
};

/* One Hermite Gaussian in one product of functions. */
typedef struct {
  int function, hermite;
} Term;

typedef struct {
  const Shell *a, *b; /* a has at least b's momentum */
  int degree;         /* of the highest Hermite Gaussian: the sum of both momenta */
  int primitives;     /* pairs of them that count */
  double exponent[most_lanes], center[3][most_lanes];
  double (*value)[most_lanes]; /* of each term, for each pair of primitives */
  double bound;                /* Schwarz: |(ab|cd)| <= bound of ab * bound of cd */
} Pair;

extern int pair_terms[3]; /* by degree */
extern Term pair_term[3][most_terms];

void pair_start(void); /* fills these; after hermite_start */

/* Makes a pair, but for its bound. 0: the shells are too far apart to have a product. */
int pair_of(const Shell* a, const Shell* b, Pair* pair);

static inline int pair_functions(const Pair* pair) {
  return pair->a->functions * pair->b->functions;
}

#endif
