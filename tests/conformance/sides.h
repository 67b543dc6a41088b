/* The ranks of a communicator divided into two sides, and an intercommunicator between them. At
 * least two ranks. */
#ifndef SIDES_H
#define SIDES_H

#include <mpi.h>

typedef struct {
  MPI_Comm local, inter;
  int side;        /* 0: the lower half of the ranks */
  int rank;        /* on our side */
  int own, others; /* how many */
} Sides;

static inline Sides make_sides(MPI_Comm comm, int tag) {
  Sides s;
  int n, r;
  MPI_Comm_size(comm, &n);
  MPI_Comm_rank(comm, &r);
  int half = n / 2;
  s.side = r >= half;
  s.rank = s.side ? r - half : r;
  s.own = s.side ? n - half : half;
  s.others = n - s.own;
  MPI_Comm_split(comm, s.side, 0, &s.local);
  /* The last of each side leads. */
  MPI_Intercomm_create(s.local, s.own - 1, comm, s.side ? half - 1 : n - 1, tag, &s.inter);
  return s;
}

static inline void free_sides(Sides* s) {
  MPI_Comm_free(&s->local);
  MPI_Comm_free(&s->inter);
}

#endif
