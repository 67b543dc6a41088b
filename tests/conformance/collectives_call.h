/* A collective call as data: which one, in which form, with which arguments; and making it. So one
 * test body serves the blocking, the nonblocking and the persistent form, and both widths of
 * counts.
 */
#ifndef COLLECTIVES_CALL_H
#define COLLECTIVES_CALL_H

#include "conformance.h"

typedef enum {
  barrier,
  bcast,
  gather,
  gatherv,
  scatter,
  scatterv,
  allgather,
  allgatherv,
  alltoall,
  alltoallv,
  alltoallw,
  reduce,
  allreduce,
  reduce_scatter,
  reduce_scatter_block,
  scan,
  exscan,
  collectives
} Collective;

static const char* const collective_names[collectives] = {
    "barrier",   "bcast",     "gather",     "gatherv",        "scatter",
    "scatterv",  "allgather", "allgatherv", "alltoall",       "alltoallv",
    "alltoallw", "reduce",    "allreduce",  "reduce_scatter", "reduce_scatter_block",
    "scan",      "exscan"};

typedef enum { blocking, nonblocking, persistent, forms } Form;
static const char* const form_names[forms] = {"blocking", "nonblocking", "persistent"};

/* One buffer argument and what describes it; the arrays only where the collective has them. */
typedef struct {
  void* address;
  MPI_Count count;
  MPI_Datatype type;
  MPI_Count* counts;
  MPI_Aint* places;
  MPI_Datatype* types;
  int *small_counts, *small_places; /* the same as int */
} Argument;

typedef struct {
  Collective what;
  int large; /* the twin with large counts */
  Argument send, receive;
  MPI_Op op;
  int root;
  MPI_Comm comm;
} Call;

static inline int is_rooted(Collective what) {
  return what == bcast || what == reduce || (what >= gather && what <= scatterv);
}
static inline int is_reduction(Collective what) {
  return what >= reduce;
}
static inline int has_receive_counts(Collective what) {
  return what == gatherv || what == allgatherv || what == alltoallv || what == alltoallw;
}
static inline int has_send_counts(Collective what) {
  return what == scatterv || what == alltoallv || what == alltoallw;
}

#define IN_FORM(Name, name, twin, ...)                                     \
  do {                                                                     \
    if (form == blocking)                                                  \
      return MPI_##Name##twin(__VA_ARGS__);                                \
    else if (form == nonblocking)                                          \
      return MPI_I##name##twin(__VA_ARGS__, request);                      \
    else                                                                   \
      return MPI_##Name##_init##twin(__VA_ARGS__, MPI_INFO_NULL, request); \
  } while (0)
#define LARGE(Name, name, ...) IN_FORM(Name, name, _c, __VA_ARGS__)
#define SMALL(Name, name, ...) IN_FORM(Name, name, , __VA_ARGS__)
/* For those whose arguments are spelled the same in both widths. */
#define EITHER(Name, name, ...)       \
  do {                                \
    if (c->large)                     \
      LARGE(Name, name, __VA_ARGS__); \
    else                              \
      SMALL(Name, name, __VA_ARGS__); \
  } while (0)

/* Those with arrays of counts. */
static inline int make_large_uneven_call(const Call* c, Form form, MPI_Request* request) {
  const Argument *s = &c->send, *r = &c->receive;
  switch (c->what) {
    case gatherv:
      LARGE(Gatherv, gatherv, s->address, s->count, s->type, r->address, r->counts, r->places,
            r->type, c->root, c->comm);
    case scatterv:
      LARGE(Scatterv, scatterv, s->address, s->counts, s->places, s->type, r->address, r->count,
            r->type, c->root, c->comm);
    case allgatherv:
      LARGE(Allgatherv, allgatherv, s->address, s->count, s->type, r->address, r->counts, r->places,
            r->type, c->comm);
    case alltoallv:
      LARGE(Alltoallv, alltoallv, s->address, s->counts, s->places, s->type, r->address, r->counts,
            r->places, r->type, c->comm);
    case alltoallw:
      LARGE(Alltoallw, alltoallw, s->address, s->counts, s->places, s->types, r->address, r->counts,
            r->places, r->types, c->comm);
    default:
      LARGE(Reduce_scatter, reduce_scatter, s->address, r->address, r->counts, r->type, c->op,
            c->comm);
  }
}
static inline int make_small_uneven_call(const Call* c, Form form, MPI_Request* request) {
  const Argument *s = &c->send, *r = &c->receive;
  int few_out = (int)s->count, few_in = (int)r->count;
  switch (c->what) {
    case gatherv:
      SMALL(Gatherv, gatherv, s->address, few_out, s->type, r->address, r->small_counts,
            r->small_places, r->type, c->root, c->comm);
    case scatterv:
      SMALL(Scatterv, scatterv, s->address, s->small_counts, s->small_places, s->type, r->address,
            few_in, r->type, c->root, c->comm);
    case allgatherv:
      SMALL(Allgatherv, allgatherv, s->address, few_out, s->type, r->address, r->small_counts,
            r->small_places, r->type, c->comm);
    case alltoallv:
      SMALL(Alltoallv, alltoallv, s->address, s->small_counts, s->small_places, s->type, r->address,
            r->small_counts, r->small_places, r->type, c->comm);
    case alltoallw:
      SMALL(Alltoallw, alltoallw, s->address, s->small_counts, s->small_places, s->types,
            r->address, r->small_counts, r->small_places, r->types, c->comm);
    default:
      SMALL(Reduce_scatter, reduce_scatter, s->address, r->address, r->small_counts, r->type, c->op,
            c->comm);
  }
}

/* What a blocking call does, a nonblocking one starts and a persistent one prepares. */
static inline int make_call(const Call* c, Form form, MPI_Request* request) {
  const Argument *s = &c->send, *r = &c->receive;
  int count_out = (int)s->count, count_in = (int)r->count;
#define MOVE(Name, name, ...)                                                                     \
  if (c->large)                                                                                   \
    LARGE(Name, name, s->address, s->count, s->type, r->address, r->count, r->type, __VA_ARGS__); \
  else                                                                                            \
    SMALL(Name, name, s->address, count_out, s->type, r->address, count_in, r->type, __VA_ARGS__)
  switch (c->what) {
    case barrier:
      SMALL(Barrier, barrier, c->comm);
    case bcast:
      EITHER(Bcast, bcast, s->address, s->count, s->type, c->root, c->comm);
    case gather:
      MOVE(Gather, gather, c->root, c->comm);
    case scatter:
      MOVE(Scatter, scatter, c->root, c->comm);
    case allgather:
      MOVE(Allgather, allgather, c->comm);
    case alltoall:
      MOVE(Alltoall, alltoall, c->comm);
    case reduce:
      EITHER(Reduce, reduce, s->address, r->address, s->count, s->type, c->op, c->root, c->comm);
    case allreduce:
      EITHER(Allreduce, allreduce, s->address, r->address, s->count, s->type, c->op, c->comm);
    case scan:
      EITHER(Scan, scan, s->address, r->address, s->count, s->type, c->op, c->comm);
    case exscan:
      EITHER(Exscan, exscan, s->address, r->address, s->count, s->type, c->op, c->comm);
    case reduce_scatter_block:
      EITHER(Reduce_scatter_block, reduce_scatter_block, s->address, r->address, r->count, r->type,
             c->op, c->comm);
    default:
      return c->large ? make_large_uneven_call(c, form, request)
                      : make_small_uneven_call(c, form, request);
  }
#undef MOVE
}

#endif
