/* Typed data back and forth between two ranks, the same datatype at both ends. A case is a list of
 * blocks, from which the datatype is built and by which the program itself writes, reads and checks
 * the data. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "measure.h"

typedef struct {
  size_t offset, bytes;
} Block;

typedef struct {
  MPI_Datatype type;
  int count;     /* how many of the type are one message */
  size_t extent; /* of the memory that all of it spans */
  Block* blocks;
  size_t blocks_in_use, data_bytes;
} Case;

static void add(Case* c, size_t offset, size_t bytes) {
  c->blocks[c->blocks_in_use++] = (Block){offset, bytes};
  c->data_bytes += bytes;
  if (offset + bytes > c->extent) c->extent = offset + bytes;
}

static Case blank(size_t blocks) {
  Case c = {MPI_DATATYPE_NULL, 1, 0, buffer_of(blocks * sizeof(Block)), 0, 0};
  return c;
}

/* Blocks with gaps of the same size between them. */
static Case vector(size_t bytes, int doubles) {
  int count = (int)(bytes / sizeof(double)) / doubles;
  Case c = blank((size_t)count);
  for (int i = 0; i < count; ++i)
    add(&c, (size_t)(2 * i * doubles) * sizeof(double), (size_t)doubles * sizeof(double));
  MPI_Type_vector(count, doubles, 2 * doubles, MPI_DOUBLE, &c.type);
  return c;
}
static Case vector_8(size_t bytes) {
  return vector(bytes, 1);
}
static Case vector_512(size_t bytes) {
  return vector(bytes, 64);
}

/* A face of a cube of doubles: one plane of the given dimension, in C order. */
static Case face(size_t bytes, int dimension) {
  int n = (int)lround(sqrt((double)bytes / sizeof(double)));
  int sizes[3] = {n, n, n}, part[3] = {n, n, n}, start[3] = {0, 0, 0};
  part[dimension] = 1;
  start[dimension] = n - 1;
  Case c = blank((size_t)n * (size_t)n);
  for (int i = 0; i < n; ++i)
    for (int j = 0; dimension == 2 && j < n; ++j)
      add(&c, (size_t)((i * n + j) * n + n - 1) * sizeof(double), sizeof(double));
  for (int i = 0; dimension == 1 && i < n; ++i)
    add(&c, (size_t)((i * n + n - 1) * n) * sizeof(double), (size_t)n * sizeof(double));
  MPI_Type_create_subarray(3, sizes, part, start, MPI_ORDER_C, MPI_DOUBLE, &c.type);
  c.extent = (size_t)n * (size_t)n * (size_t)n * sizeof(double);
  return c;
}
static Case face_inner(size_t bytes) {
  return face(bytes, 2);
}
static Case face_middle(size_t bytes) {
  return face(bytes, 1);
}

/* Runs of one to four doubles with gaps of one to four between them. */
static Case indexed(size_t bytes) {
  int most = (int)(bytes / sizeof(double)), left = most, count = 0, at = 0;
  int *lengths = buffer_of((size_t)most * sizeof(int)),
      *places = buffer_of((size_t)most * sizeof(int));
  Case c = blank((size_t)most);
  for (uint32_t random = 1; left > 0; random = random * 1664525u + 1013904223u) {
    int length = 1 + (int)(random >> 30);
    lengths[count] = length < left ? length : left;
    places[count] = at;
    add(&c, (size_t)at * sizeof(double), (size_t)lengths[count] * sizeof(double));
    left -= lengths[count];
    at += lengths[count++] + 1 + (int)(random >> 20 & 3);
  }
  MPI_Type_indexed(count, lengths, places, MPI_DOUBLE, &c.type);
  free(lengths);
  free(places);
  return c;
}

/* An array of particles, of which all but the scratch is sent. */
typedef struct {
  double place[3];
  int id;
  double scratch[2];
  float weight;
  char kind;
} Particle;

static Case structs(size_t bytes) {
  enum { fields = 4 };
  int lengths[fields] = {3, 1, 1, 1};
  MPI_Aint places[fields] = {offsetof(Particle, place), offsetof(Particle, id),
                             offsetof(Particle, weight), offsetof(Particle, kind)};
  MPI_Datatype types[fields] = {MPI_DOUBLE, MPI_INT, MPI_FLOAT, MPI_CHAR}, packed;
  size_t each = 3 * sizeof(double) + sizeof(int) + sizeof(float) + 1, count = bytes / each;
  Case c = blank(2 * count);
  for (size_t i = 0; i < count; ++i) {
    add(&c, i * sizeof(Particle), offsetof(Particle, id) + sizeof(int));
    add(&c, i * sizeof(Particle) + offsetof(Particle, weight), sizeof(float) + 1);
  }
  MPI_Type_create_struct(fields, lengths, places, types, &packed);
  MPI_Type_create_resized(packed, 0, sizeof(Particle), &c.type);
  MPI_Type_free(&packed);
  c.count = (int)count;
  c.extent = count * sizeof(Particle);
  return c;
}

static void write_blocks(const Case* c, char* to, uint32_t value) {
  for (size_t i = 0; i < c->blocks_in_use; ++i)
    write_lines(to + c->blocks[i].offset, c->blocks[i].bytes, value);
}

static uint64_t read_blocks(const Case* c, const char* from) {
  uint64_t sum = 0;
  for (size_t i = 0; i < c->blocks_in_use; ++i)
    sum += read_lines(from + c->blocks[i].offset, c->blocks[i].bytes);
  return sum;
}

static void send_typed(Exchange* x, const Case* c) {
  if (x->cold) write_blocks(c, x->out, ++x->turn);
  MPI_Send(x->out, c->count, c->type, 1 - rank, 1, MPI_COMM_WORLD);
}

static void receive_typed(Exchange* x, const Case* c) {
  MPI_Recv(x->in, c->count, c->type, 1 - rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (x->cold) sink += read_blocks(c, x->in);
}

static void ping_pong(Exchange* x) {
  const Case* c = x->more;
  if (rank == 0) {
    send_typed(x, c);
    receive_typed(x, c);
  } else if (rank == 1) {
    receive_typed(x, c);
    send_typed(x, c);
  }
}

/* What was received is what the other sent, and nothing between the blocks was touched. */
static void check(Exchange* x, const Case* c, const char* name) {
  for (size_t i = 0; i < c->extent; ++i) x->out[i] = (char)(i * 7 + i / 251);
  memset(x->in, 0x55, c->extent);
  ping_pong(x);
  for (size_t i = 0; i < c->blocks_in_use; ++i) {
    const Block* b = &c->blocks[i];
    if (memcmp(x->in + b->offset, x->out + b->offset, b->bytes)) {
      fprintf(stderr, "mpi_bench: types/%s: block %zu arrived wrong\n", name, i);
      MPI_Abort(MPI_COMM_WORLD, 4);
    }
    memset(x->in + b->offset, 0x55, b->bytes);
  }
  for (size_t i = 0; i < c->extent; ++i)
    if (x->in[i] != 0x55) {
      fprintf(stderr, "mpi_bench: types/%s: byte %zu lies between blocks and was written\n", name,
              i);
      MPI_Abort(MPI_COMM_WORLD, 4);
    }
}

static void run_case(const char* name, Case c) {
  MPI_Type_commit(&c.type);
  for (int cold = 0; cold < 2 && rank < 2; ++cold) {
    char metric[64];
    Exchange x = {buffer_of(c.extent), buffer_of(c.extent), c.data_bytes, 0, 0, &c, 0};
    check(&x, &c, name);
    x.cold = cold;
    snprintf(metric, sizeof metric, "types/%s", name);
    print_cell(metric, cold ? "/cold" : "/warm", c.data_bytes, measure(ping_pong, &x) / 2);
    free(x.out);
    free(x.in);
  }
  MPI_Type_free(&c.type);
  free(c.blocks);
}

void typed_messages(int count, char** sizes) {
  static const struct {
    const char* name;
    Case (*make)(size_t);
    size_t bytes_max; /* a face's cube would not fit into memory */
  } cases[] = {
      {"vector8", vector_8, SIZE_MAX},     {"vector512", vector_512, SIZE_MAX},
      {"face-inner", face_inner, 1 << 18}, {"face-middle", face_middle, 1 << 18},
      {"indexed", indexed, SIZE_MAX},      {"struct", structs, SIZE_MAX},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i)
    for (int s = 0; s < count; ++s) {
      size_t bytes = strtoul(sizes[s], NULL, 10);
      if (bytes <= cases[i].bytes_max) run_case(cases[i].name, cases[i].make(bytes));
    }
}
