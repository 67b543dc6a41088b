/* The STO-3G basis: which shells of Gaussian functions an atom has. */
#ifndef HARTREE_FOCK_BASIS_H
#define HARTREE_FOCK_BASIS_H

#include "elements.h"
#include "molecule.h"

enum { most_shell_functions = 4 };

/* An s shell, or an SP shell: s, px, py and pz with the same exponents. */
typedef struct {
  double position[3];
  int momentum;                           /* the highest: 0 for s, 1 for SP */
  int first, functions;                   /* in the list of all basis functions */
  double exponent[contraction];           /* of the primitive Gaussians */
  double factor[2][contraction];          /* of s and of p, normalized */
  double electrons[most_shell_functions]; /* of the neutral atom in each function */
} Shell;

typedef struct {
  int shells, functions;
  Shell* shell;
} Basis;

Basis basis_of(const Molecule* molecule);
double basis_value(const Shell* shell, int function, const double* point);

#endif
