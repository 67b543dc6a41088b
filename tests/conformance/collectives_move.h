/* Cases of the collectives that move data. */
#ifndef COLLECTIVES_MOVE_H
#define COLLECTIVES_MOVE_H

#include "collectives_case.h"

enum { basics_of_moves = 4 };
static inline MPI_Datatype basic_type(int which, int* bytes) {
  const MPI_Datatype types[basics_of_moves] = {MPI_BYTE, MPI_SHORT, MPI_INT, MPI_DOUBLE};
  *bytes = 1 << which;
  return types[which];
}

static inline int sends_blocks(Collective what) {
  return what == scatter || what == scatterv || (what >= alltoall && what <= alltoallw);
}
static inline int receives_blocks(Collective what) {
  return what == gather || what == gatherv || (what >= allgather && what <= alltoallw);
}

static inline void choose_shapes(Case* c, Part* p, uint64_t* own_random) {
  int of = c->plan.elements % shape_grain ? shapes_of_one : shapes;
  MPI_Datatype basic = basic_type(c->plan.basic, &c->bytes);
  for (int i = 0; i < 2; ++i) {
    int which = c->plan.plain ? plain : (int)(next_random(own_random) % (uint64_t)of);
    p->shape[i] =
        i == 1 && c->plan.what != alltoallw ? p->shape[0] : make_shape(which, basic, c->bytes);
  }
  if (c->plan.what != alltoallw) p->shape[1].owned = 0;
}

/* Every third buffer that no place is taken from is named by absolute addresses. */
static inline void maybe_at_bottom(Case* c, Part* p, Argument* a, uint64_t* own_random) {
  if (c->plan.plain || c->plan.what == alltoallw || next_random(own_random) % 3) return;
  make_absolute(&p->shape[0], address_of(&p->buffer));
  p->shape[1].type = p->shape[0].type;
  a->type = p->shape[0].type;
  a->address = MPI_BOTTOM;
}

static inline void prepare_out(Case* c, uint64_t* own_random) {
  const Plan* p = &c->plan;
  const Group* g = &c->group;
  Part* out = &c->out;
  Argument* a = &c->call.send;
  int apart = sends_blocks(p->what);
  make_part(out, apart ? g->peers : 1);
  choose_shapes(c, out, own_random);
  for (int to = 0; to < out->blocks; ++to) out->elements[to] = block_of(p, g->side, g->rank, to);
  int mode = p->what == alltoallw ? by_bytes : has_send_counts(p->what) ? with_gaps : in_a_row;
  lay_out(out, a, c->bytes, mode, own_random);
  maybe_at_bottom(c, out, a, own_random);
}

static inline void prepare_in(Case* c, uint64_t* own_random) {
  const Plan* p = &c->plan;
  const Group* g = &c->group;
  Part* in = &c->in;
  Argument* a = &c->call.receive;
  int apart = receives_blocks(p->what);
  uint64_t same_everywhere = p->uneven;
  make_part(in, apart ? g->peers : 1);
  choose_shapes(c, in, p->alike ? &same_everywhere : own_random);
  for (int i = 0; i < in->blocks; ++i)
    in->elements[i] = block_of(p, g->inter ? 1 - g->side : 0, apart ? i : p->root, g->rank);
  int mode = p->what == alltoallw ? by_bytes : has_receive_counts(p->what) ? with_gaps : in_a_row;
  lay_out(in, a, c->bytes, mode, own_random);
  maybe_at_bottom(c, in, a, own_random);
}

/* What is not significant here is nothing that could be used. */
static inline void forget(Argument* a) {
  *a = (Argument){.address = NULL, .count = 0, .type = MPI_DATATYPE_NULL};
}

static inline void prepare_move(Case* c, uint64_t* own_random) {
  const Plan* p = &c->plan;
  int from_root = p->what == scatter || p->what == scatterv;
  forget(&c->call.send);
  forget(&c->call.receive);
  if (p->in_place) {
    if (from_root && c->has_root) c->takes = 0;
    if (!from_root && (c->has_root || !is_rooted(p->what))) c->gives = 0;
  }
  if (p->what == bcast && c->has_root) c->takes = 0;
  if (c->gives) prepare_out(c, own_random);
  if (c->takes) prepare_in(c, own_random);
  if (p->in_place && !c->gives && c->takes && !from_root && p->what != bcast)
    c->call.send.address = MPI_IN_PLACE;
  if (p->in_place && from_root && c->has_root) c->call.receive.address = MPI_IN_PLACE;
  if (p->what == bcast && !c->gives) {
    c->call.send = c->call.receive;
    forget(&c->call.receive);
  }
  /* Who neither gives nor takes names a type nevertheless: some look at it. */
  if (c->call.send.type == MPI_DATATYPE_NULL) c->call.send.type = MPI_BYTE;
  if (c->call.receive.type == MPI_DATATYPE_NULL) c->call.receive.type = MPI_BYTE;
  if (p->alike && !c->gives && !c->takes) {
    c->call.send.count = p->elements;
    c->call.send.address = c;
  }
}

static inline int in_place_here(const Case* c) {
  return c->call.send.address == MPI_IN_PLACE;
}

static inline void fill_move(Case* c) {
  const Group* g = &c->group;
  int round = c->round, apart = sends_blocks(c->plan.what);
  if (c->gives) clear(&c->out.buffer);
  if (c->takes) clear(&c->in.buffer);
  for (int to = 0; to < c->out.blocks; ++to)
    for (long i = 0; i < c->out.elements[to]; ++i) {
      unsigned char* place = element_at(&c->out, to, i);
      put_element(place, c->bytes, g->side, g->rank, apart ? to : -1, i, round);
      memcpy(wanted_at(&c->out.buffer, place), place, (size_t)c->bytes);
    }
  int from_side = g->inter ? 1 - g->side : 0, whole = receives_blocks(c->plan.what);
  for (int b = 0; b < c->in.blocks; ++b)
    for (long i = 0; i < c->in.elements[b]; ++i) {
      unsigned char* place = element_at(&c->in, b, i);
      int from = whole ? b : c->plan.root, to = apart ? g->rank : -1;
      put_element(wanted_at(&c->in.buffer, place), c->bytes, from_side, from, to, i, round);
      if (in_place_here(c) && (apart || b == g->rank))
        put_element(place, c->bytes, 0, g->rank, apart ? b : -1, i, round);
    }
}

static inline void check_move(Case* c) {
  if (c->gives) EXPECT(c, is_right(&c->out.buffer));
  if (c->takes) EXPECT(c, is_right(&c->in.buffer));
}

#endif
