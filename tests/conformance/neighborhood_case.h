/* One neighborhood collective with its buffers and what they should hold afterwards: prepare,
 * (fill, begin, end) some times, release. What all ranks have to agree on comes from the case's
 * key; the shapes and places of blocks are each rank's own. */
#ifndef NEIGHBORHOOD_CASE_H
#define NEIGHBORHOOD_CASE_H

#include "any_memory.h"
#include "collectives_call.h"
#include "neighborhood_topology.h"

enum { units_max = 5 };

/* For other MPIs: without what only Baton promises. */
static int ordinary;
static MPI_Datatype gappy; /* two ints with a gap behind each */

/* One of the two buffers. A block is so many units of two ints, with gaps among them or not. */
typedef struct {
  int blocks, units[degree_max], gaps[degree_max];
  long base[degree_max], length; /* in ints */
  int* taken;                    /* of any memory */
  int *memory, *wanted;
} Side;

typedef struct {
  const Topology* topology;
  Form form;
  uint64_t key;
  int round;
  Call call;
  MPI_Request request;
  MPI_Datatype gappy; /* its own, so that it can be freed under way */
  Side out, in;
} Case;

static inline int is_uneven(Collective what) {
  return what == allgatherv || what == alltoallv || what == alltoallw;
}
static inline int is_gather(Collective what) {
  return what == allgather || what == allgatherv;
}

/* Of the block that `from` sends as its `place`-th; every seventh case is long. */
static inline int units_of(const Case* c, int from, int place) {
  uint64_t r = mix(c->key, is_uneven(c->call.what) ? (uint64_t)from + 1 : 0,
                   c->call.what >= alltoallv ? (uint64_t)place + 1 : 0);
  return (int)(r % units_max) * (c->key % 7 == 3 ? 3000 : 1);
}
static inline int value_of(const Case* c, int from, int place, long element) {
  return (int)(mix(c->key * 4 + (uint64_t)c->round, (uint64_t)from * 100 + (uint64_t)place,
                   (uint64_t)element));
}
static inline long place_in(const Side* s, int block, long element) {
  return s->base[block] + (s->gaps[block] ? 2 * element : element);
}

/* Uneven blocks lie out of order with holes between them, and on both sides of the address that the
 * call is given. */
static inline void lay_out(Case* c, Side* s, Argument* a, int uneven, uint64_t own) {
  size_t n = (size_t)s->blocks + (s->blocks == 0);
  long at = uneven ? 4 : 0, origin = 0;
  for (int i = 0; i < s->blocks; ++i) {
    int b = !uneven ? i : own & 2 ? s->blocks - 1 - i : (i + 1) % s->blocks;
    s->gaps[b] = c->call.what == alltoallw ? (int)(own >> (b % 8)) & 1 : (int)own & 1;
    s->base[b] = at;
    at += s->units[b] * (s->gaps[b] ? 4 : 2);
    if (uneven) at = (at + 7) / 4 * 4;
  }
  s->length = at + 4;
  if (uneven && own & 4) origin = s->length / 8 * 4;
  s->taken = take_memory((size_t)s->length * sizeof(int));
  s->memory = seen(s->taken);
  s->wanted = malloc((size_t)s->length * sizeof(int));
  a->address = s->taken + origin;
  a->type = own & 1 ? c->gappy : MPI_INT;
  a->count = s->blocks ? s->units[0] * (own & 1 ? 1 : 2) : 0;
  a->counts = malloc(n * sizeof *a->counts);
  a->places = malloc(n * sizeof *a->places);
  a->types = malloc(n * sizeof *a->types);
  a->small_counts = malloc(n * sizeof *a->small_counts);
  a->small_places = malloc(n * sizeof *a->small_places);
  for (int b = 0; b < s->blocks; ++b) {
    long unit = s->gaps[b] ? 4 : 1, place = s->base[b] - origin;
    a->types[b] = s->gaps[b] ? c->gappy : MPI_INT;
    a->counts[b] = a->small_counts[b] = s->units[b] * (s->gaps[b] ? 1 : 2);
    a->places[b] = c->call.what == alltoallw ? place * (long)sizeof(int) : place / unit;
    a->small_places[b] = (int)a->places[b];
  }
}

static inline void free_arrays(Argument* a) {
  free(a->counts), free(a->places), free(a->types), free(a->small_counts), free(a->small_places);
  a->counts = NULL, a->places = NULL, a->types = NULL, a->small_counts = a->small_places = NULL;
}

/* Real programs reuse the arrays at once, though the standard forbids it until the call is
 * complete.
 */
static inline void spoil_arrays(Argument* a, int blocks) {
  if (ordinary) return;
  for (int b = 0; b < blocks; ++b) {
    a->counts[b] = a->small_counts[b] = b % 2 ? -3 : 0; /* one that is too long may pass */
    a->places[b] = a->small_places[b] = b % 2 ? -(1 << 30) : 1 << 30;
    a->types[b] = MPI_DATATYPE_NULL;
  }
  free_arrays(a);
}

static inline int make_neighbor_call(const Call* c, Form form, MPI_Request* request) {
  const Argument *s = &c->send, *r = &c->receive;
  int few_out = (int)s->count, few_in = (int)r->count;
  switch (c->what + (c->large ? collectives : 0)) {
    case allgather:
      SMALL(Neighbor_allgather, neighbor_allgather, s->address, few_out, s->type, r->address,
            few_in, r->type, c->comm);
    case allgatherv:
      SMALL(Neighbor_allgatherv, neighbor_allgatherv, s->address, few_out, s->type, r->address,
            r->small_counts, r->small_places, r->type, c->comm);
    case alltoall:
      SMALL(Neighbor_alltoall, neighbor_alltoall, s->address, few_out, s->type, r->address, few_in,
            r->type, c->comm);
    case alltoallv:
      SMALL(Neighbor_alltoallv, neighbor_alltoallv, s->address, s->small_counts, s->small_places,
            s->type, r->address, r->small_counts, r->small_places, r->type, c->comm);
    case alltoallw:
      SMALL(Neighbor_alltoallw, neighbor_alltoallw, s->address, s->small_counts, s->places,
            s->types, r->address, r->small_counts, r->places, r->types, c->comm);
    case allgather + collectives:
      LARGE(Neighbor_allgather, neighbor_allgather, s->address, s->count, s->type, r->address,
            r->count, r->type, c->comm);
    case allgatherv + collectives:
      LARGE(Neighbor_allgatherv, neighbor_allgatherv, s->address, s->count, s->type, r->address,
            r->counts, r->places, r->type, c->comm);
    case alltoall + collectives:
      LARGE(Neighbor_alltoall, neighbor_alltoall, s->address, s->count, s->type, r->address,
            r->count, r->type, c->comm);
    case alltoallv + collectives:
      LARGE(Neighbor_alltoallv, neighbor_alltoallv, s->address, s->counts, s->places, s->type,
            r->address, r->counts, r->places, r->type, c->comm);
    default:
      LARGE(Neighbor_alltoallw, neighbor_alltoallw, s->address, s->counts, s->places, s->types,
            r->address, r->counts, r->places, r->types, c->comm);
  }
}

/* After a call that has only begun or been prepared. */
static inline void spoil(Case* c) {
  spoil_arrays(&c->call.send, c->out.blocks);
  spoil_arrays(&c->call.receive, c->in.blocks);
  if (c->form == nonblocking || !ordinary) MPI_Type_free(&c->gappy);
}

static inline void prepare(Case* c, const Topology* t, Collective what, Form form, uint64_t key) {
  int own = t->rank;
  memset(c, 0, sizeof *c);
  c->topology = t, c->form = form, c->key = key, c->request = MPI_REQUEST_NULL;
  c->call = (Call){.what = what, .large = (int)(mix(key, 3, 3) & 1), .comm = t->comm};
  MPI_Type_dup(gappy, &c->gappy);
  c->out.blocks = is_gather(what) ? 1 : t->out_count[own];
  c->in.blocks = t->in_count[own];
  for (int b = 0; b < c->out.blocks; ++b) c->out.units[b] = units_of(c, own, b);
  for (int b = 0; b < c->in.blocks; ++b) {
    int source = t->in[own][b]; /* beyond the edge of a grid a count may be anything */
    c->in.units[b] =
        source == MPI_PROC_NULL ? units_of(c, own, b) : units_of(c, source, place_at_source(t, b));
  }
  lay_out(c, &c->out, &c->call.send, what >= alltoallv, mix(key, 7, (uint64_t)own));
  lay_out(c, &c->in, &c->call.receive, is_uneven(what), mix(key, 8, (uint64_t)own));
  /* An even call has one count, also where there is no block. */
  if (what == allgather || what == alltoall) {
    if (!c->in.blocks) c->call.receive.count = 2;
    if (!c->out.blocks) c->call.send.count = 2;
  }
  if (form != persistent) return;
  CHECK(make_neighbor_call(&c->call, form, &c->request) == MPI_SUCCESS);
  spoil(c);
}

static inline void fill(Case* c, int round) {
  const Topology* t = c->topology;
  c->round = round;
  for (int side = 0; side < 2; ++side) {
    Side* s = side ? &c->in : &c->out;
    for (long i = 0; i < s->length; ++i) s->memory[i] = s->wanted[i] = (int)(7 * i + side - 9999);
    for (int b = 0; b < s->blocks; ++b) {
      int from = side ? t->in[t->rank][b] : t->rank, place = b;
      if (from == MPI_PROC_NULL) continue;
      if (side) place = is_gather(c->call.what) ? 0 : place_at_source(t, b);
      for (long e = 0; e < 2L * s->units[b]; ++e)
        s->wanted[place_in(s, b, e)] = value_of(c, from, place, e);
    }
    if (side == 0) memcpy(s->memory, s->wanted, (size_t)s->length * sizeof(int));
  }
}

static inline void begin(Case* c) {
  if (c->form == persistent) {
    CHECK(MPI_Start(&c->request) == MPI_SUCCESS);
    return;
  }
  CHECK(make_neighbor_call(&c->call, c->form, &c->request) == MPI_SUCCESS);
  if (c->form == blocking) return;
  spoil(c);
}

static inline void end(Case* c) {
  int done = c->form == blocking;
  if (mix(c->key, 9, (uint64_t)rank) & 1)
    while (!done) MPI_Test(&c->request, &done, MPI_STATUS_IGNORE);
  if (!done) CHECK(MPI_Wait(&c->request, MPI_STATUS_IGNORE) == MPI_SUCCESS);
  for (int side = 0; side < 2; ++side) {
    const Side* s = side ? &c->in : &c->out;
    for (long i = 0; i < s->length; ++i) {
      if (s->memory[i] == s->wanted[i]) continue;
      fprintf(stderr,
              "rank %d of %d, %s of %d: %s %s%s number %llu, round %d: int %ld of %ld of the %s "
              "buffer is %d, not %d\n",
              c->topology->rank, c->topology->size, c->topology->name, c->topology->size,
              form_names[c->form], collective_names[c->call.what], c->call.large ? "_c" : "",
              (unsigned long long)c->key, c->round, i, s->length, side ? "receive" : "send",
              s->memory[i], s->wanted[i]);
      MPI_Abort(MPI_COMM_WORLD, 1);
    }
  }
}

static inline void release(Case* c) {
  if (c->form == persistent) MPI_Request_free(&c->request);
  if (c->gappy != MPI_DATATYPE_NULL) MPI_Type_free(&c->gappy);
  CHECK(c->request == MPI_REQUEST_NULL);
  give_back_memory(c->out.taken), give_back_memory(c->in.taken);
  free(c->out.wanted), free(c->in.wanted);
  free_arrays(&c->call.send);
  free_arrays(&c->call.receive);
}

#endif
