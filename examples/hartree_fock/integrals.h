/* Integrals over the basis functions. */
#ifndef HARTREE_FOCK_INTEGRALS_H
#define HARTREE_FOCK_INTEGRALS_H

#include "pairs.h"

void integrals_start(void); /* fills the tables; before the first use */

/* Electron repulsion (ab|cd) of all functions of two pairs: result[bra function][ket function]. */
void integrals_repulsion(const Pair* bra, const Pair* ket, double* result);
double integrals_bound(const Pair* pair); /* the root of the largest (ab|ab) */

/* n x n matrices. */
void integrals_overlap_and_kinetic(const Basis* basis, double* overlap, double* kinetic);
void integrals_add_attraction(const Basis* basis, const Pairs* pairs, const Molecule* molecule,
                              double* core); /* of the electrons by the nuclei */

#endif
