/* What applications do between their computing: halo exchanges on grids of two and three
 * dimensions, a matrix transposed, an iteration of conjugate gradients, a master with a queue of
 * work. One step is one iteration of all ranks; what is sent has just been written, what came is
 * read. Each kernel is checked once, before it is measured. */
#include <stdio.h>
#include <string.h>

#include "measure.h"

static void require(int good, const char* what) {
  if (good) return;
  fprintf(stderr, "mpi_bench: rank %d: wrong result of %s\n", rank, what);
  MPI_Abort(MPI_COMM_WORLD, 3);
}

static double* doubles(size_t count) {
  double* all = buffer_of(count * sizeof *all);
  for (size_t i = 0; i < count; ++i) all[i] = 0;
  return all;
}

/* --- halos: a periodic grid of ranks, and in each rank a grid of n^dims cells of several values,
 * with one layer of cells around. Faces of the first dimension are contiguous but for that layer,
 * those of the last a cell here and there. */
enum { values = 8 };
typedef struct {
  MPI_Comm comm;
  int dims, n, neighbors[6];
  double* cells;
  MPI_Datatype out[6], in[6]; /* what is sent to and comes from each neighbor */
  MPI_Request requests[12];
} Halo;

static size_t place_of(const Halo* h, const int* at) {
  size_t place = 0;
  for (int d = 0; d < h->dims; ++d) place = place * (size_t)(h->n + 2) + (size_t)at[d];
  return place * values;
}

static size_t values_of(const Halo* h) {
  size_t all = values;
  for (int d = 0; d < h->dims; ++d) all *= (size_t)(h->n + 2);
  return all;
}

/* The layer at a side: of the grid itself (to be sent) or around it. */
static MPI_Datatype layer(const Halo* h, int dim, int at) {
  int sizes[4], parts[4], starts[4];
  for (int d = 0; d < h->dims; ++d) {
    sizes[d] = h->n + 2;
    parts[d] = d == dim ? 1 : h->n;
    starts[d] = d == dim ? at : 1;
  }
  MPI_Datatype type;
  sizes[h->dims] = parts[h->dims] = values;
  starts[h->dims] = 0;
  MPI_Type_create_subarray(h->dims + 1, sizes, parts, starts, MPI_ORDER_C, MPI_DOUBLE, &type);
  MPI_Type_commit(&type);
  return type;
}

static void exchange_halo(Halo* h) {
  int sides = 2 * h->dims;
  for (int s = 0; s < sides; ++s)
    MPI_Irecv(h->cells, 1, h->in[s], h->neighbors[s], s ^ 1, h->comm, &h->requests[s]);
  for (int s = 0; s < sides; ++s)
    MPI_Isend(h->cells, 1, h->out[s], h->neighbors[s], s, h->comm, &h->requests[sides + s]);
  MPI_Waitall(2 * sides, h->requests, MPI_STATUSES_IGNORE);
}

/* Each cell of a face becomes the mean of itself and the one beside it in the layer around. */
static void relax_face(Halo* h, int dim, int inner, int outer) {
  int at[3] = {1, 1, 1}, beside[3];
  int across = dim == 0 ? 1 : 0, last = h->dims - 1 == dim ? h->dims - 2 : h->dims - 1;
  for (int i = 1; i <= (h->dims == 3 ? h->n : 1); ++i)
    for (int j = 1; j <= h->n; ++j) {
      if (h->dims == 3) at[across] = i;
      at[last] = j;
      at[dim] = inner;
      memcpy(beside, at, sizeof at);
      beside[dim] = outer;
      double *cell = h->cells + place_of(h, at), *other = h->cells + place_of(h, beside);
      for (int v = 0; v < values; ++v) cell[v] = (cell[v] + other[v]) / 2;
    }
}

static void halo_step(Exchange* x) {
  Halo* h = x->more;
  for (int d = 0; d < h->dims; ++d) {
    relax_face(h, d, 1, 0);
    relax_face(h, d, h->n, h->n + 1);
  }
  exchange_halo(h);
}

static void check_halo(Halo* h) {
  for (size_t i = 0; i < values_of(h); ++i) h->cells[i] = rank;
  exchange_halo(h);
  for (int s = 0; s < 2 * h->dims; ++s) {
    int at[3] = {1, 1, 1};
    at[s / 2] = s % 2 ? h->n + 1 : 0;
    require(h->cells[place_of(h, at) + values - 1] == h->neighbors[s], "a halo exchange");
  }
}

static void halo_of(const char* metric, int dims, size_t bytes) {
  const int in_face = (int)(bytes / (values * sizeof(double)));
  Halo h = {.dims = dims, .n = in_face};
  while (dims == 3 && h.n * h.n > in_face) --h.n;
  int sides[3] = {0, 0, 0}, wraps[3] = {1, 1, 1};
  MPI_Dims_create(ranks, dims, sides);
  MPI_Cart_create(MPI_COMM_WORLD, dims, sides, wraps, 0, &h.comm);
  h.cells = doubles(values_of(&h));
  for (int d = 0; d < dims; ++d) {
    MPI_Cart_shift(h.comm, d, 1, &h.neighbors[2 * d], &h.neighbors[2 * d + 1]);
    h.out[2 * d] = layer(&h, d, 1);
    h.in[2 * d] = layer(&h, d, 0);
    h.out[2 * d + 1] = layer(&h, d, h.n);
    h.in[2 * d + 1] = layer(&h, d, h.n + 1);
  }
  check_halo(&h);
  Exchange x = {.bytes = bytes, .more = &h};
  print_cell(metric, "", bytes, measure(halo_step, &x));
  for (int s = 0; s < 2 * dims; ++s) {
    MPI_Type_free(&h.out[s]);
    MPI_Type_free(&h.in[s]);
  }
  MPI_Comm_free(&h.comm);
  free(h.cells);
}

/* --- transpose: a square matrix of doubles by rows, of which each rank has some; block by block,
 * by alltoall or by messages. */
typedef struct {
  int width, rows; /* of the matrix; of a rank */
  double *mine, *out, *in;
  MPI_Request* requests;
  int by_messages;
} Transpose;

static void swap_blocks(Transpose* t) {
  int count = t->rows * t->rows;
  if (!t->by_messages) {
    MPI_Alltoall(t->out, count, MPI_DOUBLE, t->in, count, MPI_DOUBLE, MPI_COMM_WORLD);
    return;
  }
  for (int r = 0; r < ranks; ++r)
    MPI_Irecv(t->in + (size_t)r * (size_t)count, count, MPI_DOUBLE, r, 6, MPI_COMM_WORLD,
              &t->requests[r]);
  for (int i = 0; i < ranks; ++i) {
    int r = (rank + i) % ranks;
    MPI_Isend(t->out + (size_t)r * (size_t)count, count, MPI_DOUBLE, r, 6, MPI_COMM_WORLD,
              &t->requests[ranks + i]);
  }
  MPI_Waitall(2 * ranks, t->requests, MPI_STATUSES_IGNORE);
}

/* Each block is transposed on its way out, so that what comes only has to be put beside the rest.
 */
static void transpose_step(Exchange* x) {
  Transpose* t = x->more;
  size_t rows = (size_t)t->rows, width = (size_t)t->width, block = rows * rows;
  for (size_t r = 0; r < (size_t)ranks; ++r)
    for (size_t i = 0; i < rows; ++i)
      for (size_t j = 0; j < rows; ++j)
        t->out[r * block + j * rows + i] = t->mine[i * width + r * rows + j];
  swap_blocks(t);
  for (size_t r = 0; r < (size_t)ranks; ++r)
    for (size_t i = 0; i < rows; ++i)
      memcpy(t->mine + i * width + r * rows, t->in + r * block + i * rows, rows * sizeof(double));
}

static void transpose_of(size_t bytes) {
  Transpose t = {0};
  while ((size_t)(t.rows + 1) * (size_t)(t.rows + 1) * (size_t)ranks * sizeof(double) <= bytes)
    ++t.rows;
  t.width = t.rows * ranks;
  size_t all = (size_t)t.rows * (size_t)t.width;
  t.mine = doubles(all);
  t.out = doubles(all);
  t.in = doubles(all);
  t.requests = buffer_of(2 * (size_t)ranks * sizeof *t.requests);
  for (t.by_messages = 0; t.by_messages < 2; ++t.by_messages) {
    Exchange x = {.bytes = bytes, .more = &t};
    for (size_t i = 0; i < all; ++i) t.mine[i] = (double)(all * (size_t)rank + i);
    transpose_step(&x);
    for (size_t i = 0; i < all; ++i) {
      size_t row = (size_t)rank * (size_t)t.rows + i / (size_t)t.width,
             column = i % (size_t)t.width;
      require(t.mine[i] == (double)(column * (size_t)t.width + row), "a transposition");
    }
    print_cell("transpose", t.by_messages ? "/messages" : "/alltoall", bytes,
               measure(transpose_step, &x));
  }
  free(t.mine);
  free(t.out);
  free(t.in);
  free(t.requests);
}

/* --- conjugate gradients for the five-point Laplacian and the identity (so that few iterations do)
 * on a grid of `width` columns, by strips of rows; the halo of a strip is a row to each side. */
enum { strip_rows = 16 };
typedef struct {
  int width, before, after;
  double *direction, *product, *residual, *solution; /* the first with a row around */
  double square;                                     /* of the residual, of all ranks */
} Gradients;

static double over_all(double mine) {
  double all;
  MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return all;
}

static void restart(Gradients* g) {
  size_t width = (size_t)g->width;
  double mine = 0;
  for (size_t i = 0; i < strip_rows * width; ++i) {
    g->solution[i] = 0;
    g->residual[i] = g->direction[width + i] = 1 + (double)(i % 7);
    mine += g->residual[i] * g->residual[i];
  }
  g->square = over_all(mine);
}

static double apply(Gradients* g) {
  size_t width = (size_t)g->width;
  double mine = 0;
  for (size_t i = 1; i <= strip_rows; ++i)
    for (size_t j = 0; j < width; ++j) {
      const double* p = g->direction + i * width + j;
      double sum = 5 * *p - p[-(ptrdiff_t)width] - p[width];
      if (j > 0) sum -= p[-1];
      if (j + 1 < width) sum -= p[1];
      g->product[(i - 1) * width + j] = sum;
      mine += *p * sum;
    }
  return mine;
}

static void gradients_step(Exchange* x) {
  Gradients* g = x->more;
  size_t width = (size_t)g->width, all = strip_rows * width;
  MPI_Request requests[4];
  double* rows = g->direction;
  MPI_Irecv(rows, g->width, MPI_DOUBLE, g->before, 7, MPI_COMM_WORLD, &requests[0]);
  MPI_Irecv(rows + (strip_rows + 1) * width, g->width, MPI_DOUBLE, g->after, 7, MPI_COMM_WORLD,
            &requests[1]);
  MPI_Isend(rows + width, g->width, MPI_DOUBLE, g->before, 7, MPI_COMM_WORLD, &requests[2]);
  MPI_Isend(rows + strip_rows * width, g->width, MPI_DOUBLE, g->after, 7, MPI_COMM_WORLD,
            &requests[3]);
  MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
  double step = g->square / over_all(apply(g)), mine = 0;
  for (size_t i = 0; i < all; ++i) {
    g->solution[i] += step * g->direction[width + i];
    g->residual[i] -= step * g->product[i];
    mine += g->residual[i] * g->residual[i];
  }
  double before = g->square;
  g->square = over_all(mine);
  if (g->square < 1e-6) return restart(g);
  for (size_t i = 0; i < all; ++i)
    g->direction[width + i] = g->residual[i] + g->square / before * g->direction[width + i];
}

static void gradients_of(size_t bytes) {
  Gradients g = {.width = (int)(bytes / sizeof(double))};
  size_t all = strip_rows * (size_t)g.width;
  g.before = rank > 0 ? rank - 1 : MPI_PROC_NULL;
  g.after = rank + 1 < ranks ? rank + 1 : MPI_PROC_NULL;
  g.direction = doubles(all + 2 * (size_t)g.width);
  g.product = doubles(all);
  g.residual = doubles(all);
  g.solution = doubles(all);
  restart(&g);
  Exchange x = {.bytes = bytes, .more = &g};
  double first = g.square;
  for (int i = 0; i < 16; ++i) gradients_step(&x);
  require(g.square < first / 1000, "conjugate gradients");
  print_cell("cg", "", bytes, measure(gradients_step, &x));
  free(g.direction);
  free(g.product);
  free(g.residual);
  free(g.solution);
}

/* --- a queue: workers ask the first rank for work, which it sends to whoever asks; each worker
 * asks `queue_rounds` times in a step. */
enum { queue_rounds = 16, ask_tag = 8, work_tag = 9 };

static void queue_step(Exchange* x) {
  int bytes = (int)x->bytes;
  if (rank == 0) {
    for (int i = 0; i < queue_rounds * (ranks - 1); ++i) {
      double found;
      MPI_Status status;
      MPI_Recv(&found, 1, MPI_DOUBLE, MPI_ANY_SOURCE, ask_tag, MPI_COMM_WORLD, &status);
      write_lines(x->out, x->bytes, ++x->turn);
      MPI_Send(x->out, bytes, MPI_BYTE, status.MPI_SOURCE, work_tag, MPI_COMM_WORLD);
    }
    return;
  }
  for (int i = 0; i < queue_rounds; ++i) {
    double found = (double)i;
    MPI_Send(&found, 1, MPI_DOUBLE, 0, ask_tag, MPI_COMM_WORLD);
    MPI_Recv(x->in, bytes, MPI_BYTE, 0, work_tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    sink += read_lines(x->in, x->bytes);
  }
}

static void queue_of(size_t bytes) {
  if (ranks < 2) return;
  Exchange x = {.out = buffer_of(bytes), .in = buffer_of(bytes), .bytes = bytes};
  memset(x.in, 0, bytes);
  MPI_Barrier(MPI_COMM_WORLD); /* who is ahead must not ask for a piece of the next size yet */
  queue_step(&x);
  require(rank == 0 || bytes < sizeof(uint32_t) || read_lines(x.in, bytes) > 0, "a queue");
  print_cell("queue", "", bytes, measure(queue_step, &x) / (queue_rounds * (ranks - 1)));
  free(x.out);
  free(x.in);
}

int kernels_of(const char* metric, int count, char** sizes) {
  static const char* const names[] = {"halo2d", "halo3d", "transpose", "cg", "queue"};
  int which = 0;
  while (which < 5 && strcmp(metric, names[which])) ++which;
  for (int i = 0; which < 5 && i < count; ++i) {
    size_t bytes = strtoul(sizes[i], NULL, 10);
    if (which < 2)
      halo_of(metric, which + 2, bytes);
    else if (which == 2)
      transpose_of(bytes);
    else if (which == 3)
      gradients_of(bytes);
    else
      queue_of(bytes);
  }
  return which < 5;
}
