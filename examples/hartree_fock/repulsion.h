/* The repulsion of electrons: integrals over the functions of two pairs. Used by pairs.c and
 * fock.c. */
#ifndef HARTREE_FOCK_REPULSION_H
#define HARTREE_FOCK_REPULSION_H

#include "pair.h"

void integrals_start(void); /* fills the tables of all integrals; before the first use */

/* Electron repulsion (ab|cd) of all functions of two pairs: result[bra function][ket function]. */
void integrals_repulsion(const Pair* bra, const Pair* ket, double* result);
double integrals_bound(const Pair* pair); /* the root of the largest (ab|ab) */

#endif
