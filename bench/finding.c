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

void finding_each_other(void) {
  char go = 0;
  double kib = 0, total = 0, value = 0;
  usleep(100000); /* all others have left MPI_Init by then, too */
  if (rank < 2) {
    Exchange x = {buffer_of(8), buffer_of(8), 8, 0, 0, NULL};
    usleep(5000 * (useconds_t)ranks); /* they have looked at their memory and sleep */
    among = pair_of_first();
    value = measure(ping_pong, &x) / 2;
    kib = own_kib();
    MPI_Comm_free(&among);
    among = MPI_COMM_WORLD;
    for (int r = 2; rank == 0 && r < ranks; ++r) MPI_Send(&go, 1, MPI_BYTE, r, 6, MPI_COMM_WORLD);
  } else {
    kib = own_kib();
    MPI_Recv(&go, 1, MPI_BYTE, 0, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  MPI_Reduce(&kib, &total, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("cell finding/time %.4f\ncell finding/memory %.1f\n", value, total / ranks);
}
