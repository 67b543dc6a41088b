/* This measures how long collectives take, with the algorithms with which the job was started. The
 * buffers do not change; roots take turns, so that nobody runs ahead of a root. */
#include "cli/measure/timing.h"

typedef struct {
  double *out, *in;
  int count; /* of doubles, in a block */
  int ranks, root;
} Buffers;

static int next_root(Buffers* b) {
  return b->root = (b->root + 1) % b->ranks;
}

static void barrier(void* state) {
  (void)state;
  MPI_Barrier(MPI_COMM_WORLD);
}
static void broadcast(void* state) {
  Buffers* b = state;
  MPI_Bcast(b->in, b->count, MPI_DOUBLE, next_root(b), MPI_COMM_WORLD);
}
static void gather(void* state) {
  Buffers* b = state;
  MPI_Gather(b->out, b->count, MPI_DOUBLE, b->in, b->count, MPI_DOUBLE, next_root(b),
             MPI_COMM_WORLD);
}
static void scatter(void* state) {
  Buffers* b = state;
  MPI_Scatter(b->out, b->count, MPI_DOUBLE, b->in, b->count, MPI_DOUBLE, next_root(b),
              MPI_COMM_WORLD);
}
static void allgather(void* state) {
  Buffers* b = state;
  MPI_Allgather(b->out, b->count, MPI_DOUBLE, b->in, b->count, MPI_DOUBLE, MPI_COMM_WORLD);
}
static void alltoall(void* state) {
  Buffers* b = state;
  MPI_Alltoall(b->out, b->count, MPI_DOUBLE, b->in, b->count, MPI_DOUBLE, MPI_COMM_WORLD);
}
static void reduce(void* state) {
  Buffers* b = state;
  MPI_Reduce(b->out, b->in, b->count, MPI_DOUBLE, MPI_SUM, next_root(b), MPI_COMM_WORLD);
}
static void allreduce(void* state) {
  Buffers* b = state;
  MPI_Allreduce(b->out, b->in, b->count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}
static void reduce_scatter(void* state) {
  Buffers* b = state;
  MPI_Reduce_scatter_block(b->out, b->in, b->count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}
static void scan(void* state) {
  Buffers* b = state;
  MPI_Scan(b->out, b->in, b->count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}
static void exscan(void* state) {
  Buffers* b = state;
  MPI_Exscan(b->out, b->in, b->count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

/* A rank's buffers have one block, or one for each rank. The last column says whether bytes are
 * those of all blocks. */
static const struct {
  const char* kind;
  Step* step;
  int out_each, in_each, bytes_of_all;
} rows[] = {{"barrier", barrier, 0, 0, 0},
            {"broadcast", broadcast, 0, 0, 0},
            {"gather", gather, 0, 1, 0},
            {"scatter", scatter, 1, 0, 0},
            {"allgather", allgather, 0, 1, 0},
            {"alltoall", alltoall, 1, 1, 1},
            {"reduce", reduce, 0, 0, 0},
            {"allreduce", allreduce, 0, 0, 0},
            {"reduce_scatter", reduce_scatter, 1, 0, 1},
            {"scan", scan, 0, 0, 0},
            {"exscan", exscan, 0, 0, 0}};

int measure_collective(const char* kind, size_t bytes, double budget_us) {
  size_t i = 0;
  while (i < sizeof rows / sizeof *rows && strcmp(rows[i].kind, kind) != 0) ++i;
  if (i == sizeof rows / sizeof *rows) return 0;
  Buffers b = {NULL, NULL, 0, 0, 0};
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &b.ranks);
  size_t ranks = (size_t)b.ranks, block = rows[i].bytes_of_all ? bytes / ranks : bytes;
  b.count = (int)(block / sizeof(double));
  b.out = buffer_of(block * (rows[i].out_each ? ranks : 1) + 1);
  b.in = buffer_of(block * (rows[i].in_each ? ranks : 1) + 1);
  double time = measure(rows[i].step, &b, budget_us);
  if (rank == 0) printf("cell %s warm %zu %.4f\n", kind, bytes, time);
  free(b.out);
  free(b.in);
  return 1;
}
