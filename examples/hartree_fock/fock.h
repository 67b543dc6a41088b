/* The Fock matrix: where nearly all of the time goes, and what the ranks share. */
#ifndef HARTREE_FOCK_FOCK_H
#define HARTREE_FOCK_FOCK_H

#include "tasks.h"

typedef struct {
  int functions;
  const Pairs* pairs;
  Tasks tasks;
  double** of_thread; /* each thread's contributions */
  double computing;   /* seconds in which this rank had tasks */
} Fock;

Fock fock_of(const Basis* basis, const Pairs* pairs);
/* The two-electron part for this density, on all ranks. */
void fock_build(Fock* fock, const double* density, double* result);
void fock_free(Fock* fock);

#endif
