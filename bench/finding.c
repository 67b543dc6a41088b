/* Two ranks talk while all others of the job sleep in a receive: what a short message costs them,
 * and what a rank's memory is, should not depend on how many there are. */
#include <stdio.h>
#include <unistd.h>

#include "measure.h"

static void ping_pong(Exchange* x) {
  for (int turn = 0; turn < 2; ++turn)
    if (rank == turn)
      MPI_Send(x->out, (int)x->bytes, MPI_BYTE, 1 - rank, 1, among);
    else
      MPI_Recv(x->in, (int)x->bytes, MPI_BYTE, 1 - rank, 1, among, MPI_STATUS_IGNORE);
}

/* A communicator of ranks 0 and 1 that the others have no part in. */
static MPI_Comm pair_of_first(void) {
  MPI_Group all, two;
  MPI_Comm pair;
  int first_and_last[1][3] = {{0, 1, 1}};
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  MPI_Group_range_incl(all, 1, first_and_last, &two);
  MPI_Comm_create_group(MPI_COMM_WORLD, two, 1, &pair);
  MPI_Group_free(&all);
  MPI_Group_free(&two);
  return pair;
}

/* From the last rank down to the first, or back: each hears from one neighbor and tells the other,
 * so that nobody talks to many. Rank 1 stands aside. */
static void pass_on(int down) {
  int above = rank == 0 ? 2 : rank + 1, below = rank == 0 ? -1 : rank == 2 ? 0 : rank - 1;
  int from = down ? above : below, to = down ? below : above;
  if (rank == 1) return;
  if (0 <= from && from < ranks)
    MPI_Recv(NULL, 0, MPI_BYTE, from, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (0 <= to && to < ranks) MPI_Send(NULL, 0, MPI_BYTE, to, 6, MPI_COMM_WORLD);
}

void finding_each_other(void) {
  double kib = 0, total = 0, value = 0;
  pass_on(1);
  if (rank < 2) {
    Exchange x = {buffer_of(8), buffer_of(8), 8, 0, 0, NULL, 0};
    usleep(100000); /* the others have gone to sleep */
    among = pair_of_first();
    value = measure(ping_pong, &x) / 2;
    MPI_Comm_free(&among);
    among = MPI_COMM_WORLD;
  }
  kib = own_kib();
  pass_on(0); /* here the others sleep while ranks 0 and 1 talk */
  MPI_Reduce(&kib, &total, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("cell finding/time %.4f\ncell finding/memory %.1f\n", value, total / ranks);
}
