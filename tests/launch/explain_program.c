/* Ranks 0 and 1 exchange so many messages of known sizes; explain_test.py looks at what is told of
 * them. usage: explain_program [abort | away]   (away: only there) */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { times = 10, longest = 1 << 20, pieces = 4096 };

static int rank;
static char *out, *in;

static void send_times(int bytes) {
  for (int i = 0; i < times; ++i)
    if (rank == 0)
      MPI_Send(out, bytes, MPI_BYTE, 1, 1, MPI_COMM_WORLD);
    else
      MPI_Recv(in, bytes, MPI_BYTE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* 128 KiB, of which each side may have gaps. */
static void send_with_gaps(int sender_has, int receiver_has) {
  MPI_Datatype gaps, plain;
  MPI_Type_vector(pieces, 32, 64, MPI_BYTE, &gaps);
  MPI_Type_contiguous(pieces * 32, MPI_BYTE, &plain);
  MPI_Type_commit(&gaps);
  MPI_Type_commit(&plain);
  for (int i = 0; i < times; ++i)
    if (rank == 0)
      MPI_Send(out, 1, sender_has ? gaps : plain, 1, 2, MPI_COMM_WORLD);
    else
      MPI_Recv(in, 1, receiver_has ? gaps : plain, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Type_free(&gaps);
  MPI_Type_free(&plain);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  /* Before it nobody knows what a peer permits. */
  MPI_Barrier(MPI_COMM_WORLD);
  if (argc > 1 && strcmp(argv[1], "away") == 0) return MPI_Finalize();
  out = calloc(longest, 1);
  in = calloc(longest, 1);
  if (!out || !in) MPI_Abort(MPI_COMM_WORLD, 99);
  send_times(8);
  send_times(1000);
  send_times(12000);
  send_times(longest);
  send_with_gaps(1, 0);
  send_with_gaps(0, 1);
  /* Short, but nobody may take it before it is matched. */
  if (rank == 0)
    MPI_Ssend(out, 100, MPI_BYTE, 1, 3, MPI_COMM_WORLD);
  else
    MPI_Recv(in, 100, MPI_BYTE, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Sendrecv(out, 3000, MPI_BYTE, rank, 4, in, 3000, MPI_BYTE, rank, 4, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  if (argc > 1 && strcmp(argv[1], "abort") == 0 && rank == 1) MPI_Abort(MPI_COMM_WORLD, 7);
  if (argc > 1 && strcmp(argv[1], "abort") == 0)
    MPI_Recv(in, 1, MPI_BYTE, 1, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Finalize();
  free(out);
  free(in);
  return 0;
}
