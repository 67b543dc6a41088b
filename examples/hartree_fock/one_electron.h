/* Integrals over one electron, as n x n matrices. Used by scf.c. */
#ifndef HARTREE_FOCK_ONE_ELECTRON_H
#define HARTREE_FOCK_ONE_ELECTRON_H

#include "pairs.h"

void integrals_overlap_and_kinetic(const Basis* basis, double* overlap, double* kinetic);
void integrals_add_attraction(const Basis* basis, const Pairs* pairs, const Molecule* molecule,
                              double* core); /* of the electrons by the nuclei */

#endif
