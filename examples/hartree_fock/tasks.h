/* The list of tasks that the ranks share: which shell quartets are computed together. */
#ifndef HARTREE_FOCK_TASKS_H
#define HARTREE_FOCK_TASKS_H

#include "pairs.h"

/* One pair as bra with consecutive pairs as kets. */
typedef struct {
  long bra, first_ket, kets;
  double cost; /* an estimate */
} Task;

typedef struct {
  long count;
  Task* task;
  double quartets, screened; /* computed, and left out as too small */
} Tasks;

Tasks tasks_of(const Pairs* pairs);

#endif
