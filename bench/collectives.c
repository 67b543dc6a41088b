/* Collectives, one after another. The root is another rank each time, so that none runs ahead of
 * the others for long. Bytes are those of the whole message, or of the block that a rank has for
 * each other one. */
#include <string.h>

#include "measure.h"

enum { buffer_bytes_max = 8 << 20 }; /* longer cells are left out */

typedef enum {
  bcast,
  reduce,
  allreduce,
  scatter,
  gather,
  allgather,
  alltoall,
  reduce_scatter_block,
  ibcast,
  iallreduce,
  bcast_init,
  allreduce_init,
  collectives
} Collective;

static const struct {
  const char* name;
  int blocks_out, blocks_in; /* a block for each rank, or one */
  int one_gives, one_takes;  /* the root */
} about[collectives] = {
    [bcast] = {"bcast", 0, 0, 1, 0},
    [reduce] = {"reduce", 0, 0, 0, 1},
    [allreduce] = {"allreduce", 0, 0, 0, 0},
    [scatter] = {"scatter", 1, 0, 1, 0},
    [gather] = {"gather", 0, 1, 0, 1},
    [allgather] = {"allgather", 0, 1, 0, 0},
    [alltoall] = {"alltoall", 1, 1, 0, 0},
    [reduce_scatter_block] = {"reduce_scatter_block", 1, 0, 0, 0},
    [ibcast] = {"ibcast", 0, 0, 1, 0},
    [iallreduce] = {"iallreduce", 0, 0, 0, 0},
    [bcast_init] = {"bcast_init", 0, 0, 1, 0},
    [allreduce_init] = {"allreduce_init", 0, 0, 0, 0},
};

typedef struct {
  Collective what;
  int root;
  size_t bytes_out, bytes_in;
  MPI_Request* prepared; /* persistent: one, or one for each root */
} Together;

static void call(Exchange* x, Together* t) {
  MPI_Comm comm = MPI_COMM_WORLD;
  MPI_Request request;
  int bytes = (int)x->bytes, doubles = (int)(x->bytes / sizeof(double));
  switch (t->what) {
    case bcast:
      MPI_Bcast(x->out, bytes, MPI_BYTE, t->root, comm);
      break;
    case reduce:
      MPI_Reduce(x->out, x->in, doubles, MPI_DOUBLE, MPI_SUM, t->root, comm);
      break;
    case allreduce:
      MPI_Allreduce(x->out, x->in, doubles, MPI_DOUBLE, MPI_SUM, comm);
      break;
    case scatter:
      MPI_Scatter(x->out, bytes, MPI_BYTE, x->in, bytes, MPI_BYTE, t->root, comm);
      break;
    case gather:
      MPI_Gather(x->out, bytes, MPI_BYTE, x->in, bytes, MPI_BYTE, t->root, comm);
      break;
    case allgather:
      MPI_Allgather(x->out, bytes, MPI_BYTE, x->in, bytes, MPI_BYTE, comm);
      break;
    case alltoall:
      MPI_Alltoall(x->out, bytes, MPI_BYTE, x->in, bytes, MPI_BYTE, comm);
      break;
    case reduce_scatter_block:
      MPI_Reduce_scatter_block(x->out, x->in, doubles, MPI_DOUBLE, MPI_SUM, comm);
      break;
    case ibcast:
      MPI_Ibcast(x->out, bytes, MPI_BYTE, t->root, comm, &request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      break;
    case iallreduce:
      MPI_Iallreduce(x->out, x->in, doubles, MPI_DOUBLE, MPI_SUM, comm, &request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      break;
    default: {
      MPI_Request* prepared = t->prepared + (t->what == bcast_init ? t->root : 0);
      MPI_Start(prepared);
      MPI_Wait(prepared, MPI_STATUS_IGNORE);
    }
  }
}

static void step(Exchange* x) {
  Together* t = x->more;
  int is_root = t->root == rank,
      in_one_buffer = t->what == bcast || t->what == ibcast || t->what == bcast_init;
  if (x->cold && (is_root || !about[t->what].one_gives))
    write_lines(x->out, t->bytes_out, ++x->turn);
  call(x, t);
  if (x->cold && (is_root || !about[t->what].one_takes))
    sink += read_lines(in_one_buffer ? x->out : x->in, t->bytes_in);
  t->root = t->root + 1 < ranks ? t->root + 1 : 0;
}

static void prepare(Exchange* x, Together* t) {
  t->prepared = buffer_of((size_t)ranks * sizeof(MPI_Request));
  if (t->what == allreduce_init)
    MPI_Allreduce_init(x->out, x->in, (int)(x->bytes / sizeof(double)), MPI_DOUBLE, MPI_SUM,
                       MPI_COMM_WORLD, MPI_INFO_NULL, t->prepared);
  for (int root = 0; root < ranks && t->what == bcast_init; ++root)
    MPI_Bcast_init(x->out, (int)x->bytes, MPI_BYTE, root, MPI_COMM_WORLD, MPI_INFO_NULL,
                   t->prepared + root);
}

static void forget(Together* t) {
  int prepared = t->what == allreduce_init ? 1 : t->what == bcast_init ? ranks : 0;
  for (int i = 0; i < prepared; ++i) MPI_Request_free(t->prepared + i);
  free(t->prepared);
}

int collective_of(const char* metric) {
  for (int what = 0; what < collectives; ++what)
    if (!strcmp(metric, about[what].name)) return what;
  return -1;
}

void collectives_of_sizes(int what, int count, char** sizes) {
  for (int i = 0; i < count; ++i)
    for (int cold = 0; cold < 2; ++cold) {
      Exchange x = {NULL, NULL, strtoul(sizes[i], NULL, 10), cold, 0, NULL, ranks};
      Together t = {(Collective)what, 0, x.bytes, x.bytes, NULL};
      if (about[what].blocks_out) t.bytes_out *= (size_t)ranks;
      if (about[what].blocks_in) t.bytes_in *= (size_t)ranks;
      if (t.bytes_out > buffer_bytes_max || t.bytes_in > buffer_bytes_max) continue;
      x.out = buffer_of(t.bytes_out);
      x.in = buffer_of(t.bytes_in);
      x.more = &t;
      prepare(&x, &t);
      double mine = measure(step, &x), value = 0; /* that of the slowest */
      MPI_Reduce(&mine, &value, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
      print_cell(about[what].name, cold ? "/cold" : "/warm", x.bytes, value);
      forget(&t);
      free(x.out);
      free(x.in);
    }
}
