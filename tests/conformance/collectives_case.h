/* One case: a collective call with buffers of its own and what they should hold afterwards. Each
 * rank works out the expectation alone. What all ranks have to agree on is in the Plan; what a rank
 * may choose alone (shapes of its data, where blocks lie) comes from its own random numbers. */
#ifndef COLLECTIVES_CASE_H
#define COLLECTIVES_CASE_H

#include "collectives_buffer.h"
#include "collectives_call.h"
#include "collectives_operation.h"

/* A communicator as one rank sees it; `side` and `peers` (the ranks of the other side) tell
 * something on an intercommunicator only. */
typedef struct {
  MPI_Comm comm;
  int rank, size, inter, side, peers;
} Group;

static inline Group group_of(MPI_Comm comm) {
  Group g = {comm, 0, 0, 0, 0, 0};
  MPI_Comm_rank(comm, &g.rank);
  MPI_Comm_size(comm, &g.size);
  g.peers = g.size;
  return g;
}
static inline Group group_between(MPI_Comm comm, int side) {
  Group g = group_of(comm);
  g.inter = 1;
  g.side = side;
  MPI_Comm_remote_size(comm, &g.peers);
  return g;
}

typedef struct {
  Collective what;
  Form form;
  int root, root_side; /* the side that has the root, of an intercommunicator */
  int in_place, large;
  int basic;     /* 0 to 3: bytes, shorts, ints, doubles */
  long elements; /* basic ones, or the operation's, of a block (the longest one) */
  uint64_t uneven;
  const Operation* operation;
  int plain; /* no shapes but basic types */
  int alike; /* all receive in the same shape */
} Plan;

/* One side of a call: blocks of elements, each at its base. */
typedef struct {
  Buffer buffer;
  Shape shape[2]; /* alltoallw takes turns */
  int blocks;
  long* elements;
  MPI_Aint* bases;
} Part;

typedef struct {
  Plan plan;
  Group group;
  Call call;
  MPI_Request request;
  Part out, in;
  int has_root, takes, gives; /* this rank */
  int bytes, round;
  long total, first, result; /* of a reduction: elements that go in, and which come out here */
} Case;

static inline void describe(const Case* c, const char* what) {
  const Plan* p = &c->plan;
  fprintf(stderr,
          "rank %d of %d%s (world rank %d of %d): %s %s%s: %s; round %d, root %d of side %d%s, %ld "
          "elements of %d bytes%s%s, uneven %llu\n",
          c->group.rank, c->group.size, c->group.inter ? " of one side" : "", rank, size,
          form_names[p->form], collective_names[p->what], p->large ? "_c" : "", what, c->round,
          p->root, p->root_side, p->in_place ? ", in place" : "", p->elements, c->bytes,
          p->operation ? ", operation " : "", p->operation ? p->operation->name : "",
          (unsigned long long)p->uneven);
}
/* Where a buffer differs from what it should be. */
static inline int is_right(const Buffer* b) {
  long at = first_wrong(b);
  if (at < 0) return 1;
  fprintf(stderr, "byte %ld of %ld, %ld behind the address given: %02x, not %02x\n", at,
          (long)b->bytes, at - (long)(b->origin - b->memory), b->memory[at], b->wanted[at]);
  return 0;
}
#define EXPECT(c, condition)              \
  do {                                    \
    if (!(condition)) {                   \
      describe(c, "not so: " #condition); \
      MPI_Abort(MPI_COMM_WORLD, 1);       \
    }                                     \
  } while (0)

/* Elements of the block that `from`, of side `side`, gives `to`. */
static inline long block_of(const Plan* p, int side, int from, int to) {
  int a = p->what == scatterv ? 0 : from, b = p->what == scatterv || p->what >= alltoallv ? to : 0;
  if (!has_receive_counts(p->what) && !has_send_counts(p->what)) return p->elements;
  if (p->in_place && a > b && p->what >= alltoallv) { /* what is exchanged has one length */
    int swap = a;
    a = b;
    b = swap;
  }
  uint64_t state = p->uneven + (uint64_t)side * 77777u + (uint64_t)a * 1013u + (uint64_t)b;
  long grain = p->elements % shape_grain ? 1 : shape_grain;
  switch (next_random(&state) % 4) {
    case 0:
      return 0;
    case 1:
      return p->elements;
    case 2:
      return p->elements / 2 / grain * grain;
    default:
      return p->elements ? grain : 0;
  }
}

/* The content of an element: who it comes from, for whom (-1: for all), and its number. */
static inline void put_element(unsigned char* place, int bytes, int side, int from, int to, long i,
                               int round) {
  uint64_t key =
      (uint64_t)(side * 1000 + from) * 65537u + (uint64_t)(to + 2) * 257u + (uint64_t)round;
  uint64_t value = (key * 0x100000001b3u + (uint64_t)i) * 0x9e3779b97f4a7c15u;
  value ^= value >> 29;
  memcpy(place, &value, (size_t)bytes);
}

static inline unsigned char* element_at(const Part* p, int block, long i) {
  return p->buffer.origin + p->bases[block] + place_of(&p->shape[block % 2], i);
}

static inline void make_part(Part* p, int blocks) {
  p->blocks = blocks;
  p->elements = calloc((size_t)blocks + 1, sizeof(long));
  p->bases = calloc((size_t)blocks + 1, sizeof(MPI_Aint));
}

static inline void make_arrays(Argument* a, int blocks) {
  size_t space = (size_t)blocks + 1;
  a->counts = calloc(space, sizeof *a->counts);
  a->places = calloc(space, sizeof *a->places);
  a->types = calloc(space, sizeof *a->types);
  a->small_counts = calloc(space, sizeof(int));
  a->small_places = calloc(space, sizeof(int));
}

/* Blocks one behind another, or with gaps and maybe the last first where places are given, counted
 * in extents or bytes. */
enum { in_a_row, with_gaps, by_bytes };
static inline void lay_out(Part* p, Argument* a, int bytes, int mode, uint64_t* own_random) {
  uint64_t random = next_random(own_random);
  MPI_Aint next = 0;
  make_arrays(a, p->blocks);
  for (int n = 0; n < p->blocks; ++n) {
    int i = random & 1 && mode != in_a_row ? p->blocks - 1 - n : n;
    Shape* s = &p->shape[i % 2];
    MPI_Aint count = p->elements[i] / s->elements, place = next;
    if (mode == by_bytes) {
      Buffer alone = {0};
      include(&alone, s, 0, p->elements[i], bytes);
      place = (next - alone.low + 15) / 16 * 16;
      next = place + alone.high + (MPI_Aint)(next_random(own_random) % 3 * 16);
    } else {
      next += count + (mode == with_gaps ? (MPI_Aint)(next_random(own_random) % 3) : 0);
    }
    p->bases[i] = mode == by_bytes ? place : place * s->extent;
    a->counts[i] = count;
    a->places[i] = place;
    a->types[i] = s->type;
    a->small_counts[i] = (int)count;
    a->small_places[i] = (int)place;
    include(&p->buffer, s, p->bases[i], p->elements[i], bytes);
  }
  allocate(&p->buffer);
  a->address = address_of(&p->buffer);
  a->type = p->shape[0].type;
  a->count = p->blocks ? p->elements[0] / p->shape[0].elements : 0;
}

static inline void free_part(Part* p, Argument* a) {
  for (int i = 0; i < 2; ++i) free_shape(&p->shape[i]);
  free_buffer(&p->buffer);
  free(p->elements);
  free(p->bases);
  free(a->counts);
  free(a->places);
  free(a->types);
  free(a->small_counts);
  free(a->small_places);
}

/* The root as this rank has to name it, and whether this rank gives and takes data. */
static inline void assign_roles(Case* c) {
  const Plan* p = &c->plan;
  const Group* g = &c->group;
  int at_root_side = !g->inter || g->side == p->root_side;
  c->has_root = is_rooted(p->what) && at_root_side && g->rank == p->root;
  c->call.root = p->root;
  if (g->inter && at_root_side) c->call.root = c->has_root ? MPI_ROOT : MPI_PROC_NULL;
  int gives_from_root = p->what == bcast || p->what == scatter || p->what == scatterv;
  c->gives = c->takes = 1;
  if (is_rooted(p->what)) {
    int at_the_others = g->inter ? !at_root_side : 1;
    c->gives = gives_from_root ? c->has_root : at_the_others;
    c->takes = gives_from_root ? at_the_others : c->has_root;
  }
  if (p->what == barrier) c->gives = c->takes = 0;
}

#endif
