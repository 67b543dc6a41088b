/* This measures how long messages take between two ranks, with the settings of the job, and how
 * long collectives take. Only `baton tune` starts it, many times.
 * usage: baton-measure MILLISECONDS PATTERN SIZE...
 * PATTERN: a collective's kind, pingpong, or window (some messages in flight in one direction, then
 * a short answer); the last two take two ranks.
 * PATTERN arrival takes the interface of each rank, and then sizes: over the raw provider
 * (arrival.c). Each size is measured warm (the same buffers, touched by nobody) and cold (the
 * sender has just written every line, the receiver reads every line). Writing and reading are part
 * of the time: a way of copying that leaves the data in the wrong cache pays for it there. Rank 0
 * prints "cell PATTERN DATA SIZE MICROSECONDS" for each. */
#include "cli/measure/timing.h"
#include "lab/deposit/raw.h"

enum { window_messages = 16 };

typedef struct {
  char *out, *in;
  size_t bytes;
  size_t stride; /* bytes between the messages of a window */
  int cold;
  uint32_t turn;
} Exchange;

static int rank;
static uint64_t sink; /* reads add to this, so that the compiler keeps them */

static void ping_pong(void* state) {
  Exchange* x = state;
  for (int side = 0; side < 2; ++side)
    if (side == rank) {
      if (x->cold) write_lines(x->out, x->bytes, ++x->turn);
      MPI_Send(x->out, (int)x->bytes, MPI_BYTE, 1 - rank, 1, MPI_COMM_WORLD);
    } else {
      MPI_Recv(x->in, (int)x->bytes, MPI_BYTE, 1 - rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      if (x->cold) sink += read_lines(x->in, x->bytes);
    }
}

static void window(void* state) {
  Exchange* x = state;
  MPI_Request requests[window_messages];
  char answer = 0;
  for (int i = 0; i < window_messages; ++i) {
    char* place = (rank == 0 ? x->out : x->in) + (size_t)i * x->stride;
    if (rank == 0 && x->cold) write_lines(place, x->bytes, ++x->turn);
    if (rank == 0)
      MPI_Isend(place, (int)x->bytes, MPI_BYTE, 1, 2, MPI_COMM_WORLD, &requests[i]);
    else
      MPI_Irecv(place, (int)x->bytes, MPI_BYTE, 0, 2, MPI_COMM_WORLD, &requests[i]);
  }
  MPI_Waitall(window_messages, requests, MPI_STATUSES_IGNORE);
  for (int i = 0; rank == 1 && x->cold && i < window_messages; ++i)
    sink += read_lines(x->in + (size_t)i * x->stride, x->bytes);
  if (rank == 0)
    MPI_Recv(&answer, 1, MPI_BYTE, 1, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  else
    MPI_Send(&answer, 1, MPI_BYTE, 0, 3, MPI_COMM_WORLD);
}

static void measure_size(const char* pattern, size_t bytes, double budget_us) {
  int windowed = !strcmp(pattern, "window");
  int messages = windowed ? window_messages : 1;
  size_t stride = (bytes + line_bytes - 1) / line_bytes * line_bytes;
  for (int cold = 0; cold < 2; ++cold) {
    Exchange x = {NULL, NULL, bytes, cold ? stride : 0, cold, 0};
    x.out = buffer_of(stride * (size_t)messages);
    x.in = buffer_of(stride * (size_t)messages);
    double time = measure(windowed ? window : ping_pong, &x, budget_us);
    if (rank == 0)
      printf("cell %s %s %zu %.4f\n", pattern, cold ? "cold" : "warm", bytes,
             time / (windowed ? window_messages : 2));
    free(x.out);
    free(x.in);
  }
}

int main(int count, char** words) {
  int ranks = 0;
  MPI_Init(&count, &words);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  int messages = count > 3 && (!strcmp(words[2], "pingpong") || !strcmp(words[2], "window"));
  int arrival = count > 5 && !strcmp(words[2], "arrival");
  int good = count > 3 && atof(words[1]) > 0 && ((!messages && !arrival) || ranks == 2);
  if (good && arrival)
    good = measure_arrival(rank, words[3 + rank], count - 5, words + 5, atof(words[1]) * 1000);
  int offers = count > 3 && !strcmp(words[2], "offers");
  if (good && offers && rank == 0) raw_print_offers();
  for (int i = 3; good && !arrival && !offers && i < count; ++i) {
    long bytes = atol(words[i]);
    if (messages && bytes > 0)
      measure_size(words[2], (size_t)bytes, atof(words[1]) * 1000);
    else if (!messages)
      good = measure_collective(words[2], (size_t)bytes, atof(words[1]) * 1000);
  }
  if (!good && rank == 0)
    fprintf(stderr,
            "usage: mpiexec -n 2 baton-measure MILLISECONDS pingpong|window|COLLECTIVE SIZE...\n"
            "       mpiexec -n 2 baton-measure MILLISECONDS arrival INTERFACE INTERFACE SIZE...\n"
            "`baton tune` runs it.\n");
  MPI_Finalize();
  return good ? 0 : 2;
}
