/* Hermite Gaussians (McMurchie and Davidson, J. Comput. Phys. 26, 218 (1978)): products of two
 * Gaussian functions are sums of them, and their Coulomb integrals follow from the Boys functions.
 *
 * A Hermite Gaussian is named by how often it is a derivative to x, y and z; `degree` is the sum of
 * these. All are listed by ascending degree. */
#ifndef HARTREE_FOCK_HERMITE_H
#define HARTREE_FOCK_HERMITE_H

enum {
  most_degree = 4,         /* of a Coulomb integral: two in each pair of SP shells */
  most_hermites = 35,      /* of degree 4 and below */
  most_pair_hermites = 10, /* of degree 2 and below */
  most_lanes = 10          /* pairs of primitives that are computed side by side */
};

extern int hermites[most_degree + 1]; /* how many have this degree or a lower one */
extern int hermite_order[most_hermites][3];
extern int hermite_degree[most_hermites];
extern int hermite_sum[most_pair_hermites][most_pair_hermites]; /* the place of their sum */

void hermite_start(void); /* fills these; before the first use */
int hermite_place(int x, int y, int z);

/* What the Coulomb integrals of one charge distribution and several others depend on. */
typedef struct {
  int lanes;
  double exponent[most_lanes]; /* p q / (p + q) */
  double factor[most_lanes];   /* what the Boys functions are multiplied by */
  double apart[3][most_lanes]; /* from one center to the other */
} Distances;

/* r[h][lane]: derivative h of the Coulomb integral, up to `degree`. */
void hermite_coulomb(int degree, const Distances* distances, double r[][most_lanes]);

#endif
