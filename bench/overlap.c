/* How much of an exchange goes on while the program computes: two ranks start a message each way,
 * compute for about as long as the exchange takes alone, then wait. Printed is that time by the
 * longer of both alone: 1 is an exchange for nothing, 2 one that begins with the waiting.
 * And how long a rank sends to one that has posted its receive and computes ten times as long as a
 * message takes, by that computing: 1 is one that waits for its end. And how long it receives from
 * one that has started its send and computes. */
#include "measure.h"

typedef struct {
  long turns; /* of the computation */
} Work;

static double result = 1;

/* A chain in registers: it takes nothing from the caches. */
static void compute(const Work* work) {
  double x = result;
  for (long i = 0; i < work->turns; ++i) x = x * 0.999999 + 1e-6;
  result = x;
}

static void compute_alone(Exchange* x) {
  compute(x->more);
}

static void exchange(Exchange* x) {
  MPI_Request requests[2];
  if (rank > 1) return;
  MPI_Irecv(x->in, (int)x->bytes, MPI_BYTE, 1 - rank, 1, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(x->out, (int)x->bytes, MPI_BYTE, 1 - rank, 1, MPI_COMM_WORLD, &requests[1]);
  compute(x->more);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

/* The first rank starts a receive, or a send, and computes; how long the other takes for its part,
 * by that computing. Many short waits would hide one long one, so each is timed by itself. */
static double wait_for_computing(Exchange* x, int sends) {
  enum { turns = 21 };
  double waited[turns], computed[turns], result_of[2] = {0};
  int bytes = (int)x->bytes;
  for (int i = 0; i < turns; ++i) {
    MPI_Request request;
    MPI_Barrier(MPI_COMM_WORLD);
    double start = now_us();
    if (rank == 0) {
      if (sends)
        MPI_Isend(x->out, bytes, MPI_BYTE, 1, 1, MPI_COMM_WORLD, &request);
      else
        MPI_Irecv(x->in, bytes, MPI_BYTE, 1, 1, MPI_COMM_WORLD, &request);
      compute(x->more);
      computed[i] = now_us() - start;
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else if (rank == 1) {
      if (sends)
        MPI_Recv(x->in, bytes, MPI_BYTE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      else
        MPI_Send(x->out, bytes, MPI_BYTE, 0, 1, MPI_COMM_WORLD);
      waited[i] = now_us() - start;
    }
  }
  if (rank < 2) result_of[rank] = median(rank == 0 ? computed : waited, turns);
  MPI_Bcast(&result_of[1], 1, MPI_DOUBLE, 1, MPI_COMM_WORLD);
  return result_of[1] / result_of[0];
}

void overlap_of_exchanges(int count, char** sizes) {
  for (int i = 0; i < count; ++i) {
    Work work = {1000000};
    size_t bytes = strtoul(sizes[i], NULL, 10);
    Exchange x = {buffer_of(bytes), buffer_of(bytes), bytes, 0, 0, &work, 0};
    double per_turn = measure(compute_alone, &x) / (double)work.turns;
    work.turns = 0;
    double transfer = measure(exchange, &x);
    work.turns = (long)(transfer / per_turn);
    MPI_Bcast(&work.turns, 1, MPI_LONG, 0, MPI_COMM_WORLD);
    double computing = measure(compute_alone, &x);
    double total = measure(exchange, &x);
    print_cell("overlap", "", bytes, total / (computing > transfer ? computing : transfer));
    work.turns *= 10;
    print_cell("overlap", "/peer", bytes, wait_for_computing(&x, 0));
    print_cell("overlap", "/sender", bytes, wait_for_computing(&x, 1));
    free(x.out);
    free(x.in);
  }
}
