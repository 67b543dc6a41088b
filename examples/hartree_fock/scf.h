/* The self-consistent field. */
#ifndef HARTREE_FOCK_SCF_H
#define HARTREE_FOCK_SCF_H

#include "basis.h"

typedef struct {
  int iterations;   /* at most */
  double tolerance; /* of the energy in hartree, and the square of that of the gradient */
} Wishes;

typedef struct {
  int converged, iterations;
  double energy, seconds;
  double computing; /* share of the time in which the ranks that compute had tasks */
  double* density;
} Result;

/* On all ranks; rank 0 prints the progress. */
Result scf_run(const Molecule* molecule, const Basis* basis, const Wishes* wishes);

#endif
