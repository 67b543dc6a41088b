/* Cases of the collectives that reduce. */
#ifndef COLLECTIVES_REDUCE_H
#define COLLECTIVES_REDUCE_H

#include "collectives_case.h"

/* How many elements come out at rank `at` of a side of `own` ranks, the other one having `others`;
 * both sides have to take as many in all. */
static inline long result_of(const Plan* p, int at, int own, int others) {
  if (p->what == reduce_scatter_block) return own == others ? p->elements : p->elements * others;
  if (p->what != reduce_scatter) return p->elements;
  long all = p->elements * (own > others ? own : others), before = 0;
  for (int r = 0; r < own; ++r) {
    uint64_t state = p->uneven + (uint64_t)r;
    uint64_t choice = next_random(&state) % 3;
    long some = choice == 0 ? 0 : choice == 1 ? p->elements : p->elements / 3;
    if (own != others && r == own - 1) some = all - before;
    if (r == at) return some;
    before += some;
  }
  return before; /* of all, for `at` beyond the last */
}

static inline long total_of(const Plan* p, const Group* g) {
  if (p->what == reduce_scatter) {
    long total = 0;
    for (int r = 0; r < g->size; ++r) total += result_of(p, r, g->size, g->peers);
    return total;
  }
  return p->what == reduce_scatter_block ? result_of(p, 0, g->size, g->peers) * g->size
                                         : p->elements;
}

static inline void prepare_part(Case* c, Part* part, Argument* a, long elements,
                                uint64_t* own_random) {
  const Operation* o = c->plan.operation;
  make_part(part, 1);
  part->shape[0] = (Shape){o->type, 1, {o->shift}, o->extent, 0};
  part->elements[0] = elements;
  lay_out(part, a, o->size, in_a_row, own_random);
}

static inline void prepare_reduction(Case* c, uint64_t* own_random) {
  const Plan* p = &c->plan;
  const Group* g = &c->group;
  int in_place = p->in_place && (p->what != reduce || c->has_root);
  c->bytes = p->operation->size;
  c->total = total_of(p, g);
  c->result = result_of(p, g->rank, g->size, g->peers);
  c->call.op = p->operation->op;
  c->call.send.type = c->call.receive.type = p->operation->type;
  c->call.send.count = c->total;
  if (p->what == reduce_scatter || p->what == reduce_scatter_block)
    for (int r = 0; r < g->rank; ++r) c->first += result_of(p, r, g->size, g->peers);
  if (in_place) c->gives = 0;
  if (c->gives) prepare_part(c, &c->out, &c->call.send, c->total, own_random);
  if (c->takes)
    prepare_part(c, &c->in, &c->call.receive, in_place ? c->total : c->result, own_random);
  if (in_place) {
    c->call.send.address = MPI_IN_PLACE;
    c->call.send.count = c->total;
  }
  Argument* a = &c->call.receive;
  a->count = c->result;
  if (p->what != reduce_scatter) return;
  free(a->counts), free(a->places), free(a->types), free(a->small_counts), free(a->small_places);
  make_arrays(a, g->size);
  for (int r = 0; r < g->size; ++r) {
    a->counts[r] = result_of(p, r, g->size, g->peers);
    a->small_counts[r] = (int)a->counts[r];
  }
}

/* Ranks first to last, in this order. */
static inline void expect_result(Case* c, unsigned char* to, long i, int last) {
  const Operation* o = c->plan.operation;
  int other_side = c->group.inter ? (1 - c->group.side) * 1000 : 0;
  _Alignas(16) unsigned char next[64] = {0};
  give(o, other_side + last, i, c->round, to);
  for (int r = last - 1; r >= 0; --r) {
    give(o, other_side + r, i, c->round, next);
    combine(o, next, to);
  }
}

static inline int last_rank_of(const Case* c) {
  if (c->plan.what == scan) return c->group.rank;
  if (c->plan.what == exscan) return c->group.rank - 1;
  return c->group.peers - 1;
}

static inline void fill_reduction(Case* c) {
  const Operation* o = c->plan.operation;
  int in_place = c->takes && !c->gives && !c->group.inter;
  Part* from = in_place ? &c->in : &c->out;
  if (c->gives) clear(&c->out.buffer);
  if (c->takes) clear(&c->in.buffer);
  if (c->gives || in_place)
    for (long i = 0; i < c->total; ++i) {
      unsigned char* place = element_at(from, 0, i);
      give(o, c->group.side * 1000 + c->group.rank, i, c->round, place);
      memcpy(wanted_at(&from->buffer, place), place, (size_t)c->bytes);
    }
  if (!c->takes || last_rank_of(c) < 0) return;
  for (long i = 0; i < c->result; ++i)
    expect_result(c, wanted_at(&c->in.buffer, element_at(&c->in, 0, i)), c->first + i,
                  last_rank_of(c));
}

static inline void check_reduction(Case* c) {
  if (c->gives) EXPECT(c, is_right(&c->out.buffer));
  if (!c->takes) return;
  int defined = last_rank_of(c) >= 0;
  for (long i = 0; i < c->in.elements[0]; ++i) {
    unsigned char* got = element_at(&c->in, 0, i);
    unsigned char* wanted = wanted_at(&c->in.buffer, got);
    if (defined && i < c->result && !same(c->plan.operation, got, wanted)) {
      fprintf(stderr, "element %ld of %ld\n", i, c->result);
      EXPECT(c, same(c->plan.operation, got, wanted));
    }
    /* Padding, and what is left of the input behind a result, may be anything. */
    if (c->plan.operation->kind != affine || i >= c->result || !defined)
      memcpy(wanted, got, (size_t)c->bytes);
  }
  EXPECT(c, is_right(&c->in.buffer));
}

#endif
