/* Plans: what the ranks agree on about a case, chosen for a test or at random (the same numbers on
 * all ranks). */
#ifndef COLLECTIVES_PLAN_H
#define COLLECTIVES_PLAN_H

#include "collectives_case.h"
#include "collectives_move.h"
#include "collectives_operations.h"

/* Leaves out what some other MPIs get wrong: see collectives_test.c. */
static int ordinary;

static inline int tries_in_place(Collective what, const Group* g) {
  return !g->inter && what != barrier && what != bcast;
}

static inline const Operation* an_operation(uint64_t random) {
  return &operations[random % (uint64_t)operation_count];
}
static inline const Operation* plain_sum(void) {
  for (int i = 0; i < operation_count; ++i)
    if (operations[i].type == MPI_INT && operations[i].what == sum) return &operations[i];
  return NULL;
}

/* Large ones are the dearest where all ranks give a block to all. */
static inline long longest_bytes(Collective what, const Group* g) {
  int ranks = g->size > g->peers ? g->size : g->peers;
  int blocks = what >= allgather && what <= alltoallw;
  if (what == reduce_scatter || what == reduce_scatter_block) blocks = 1;
  if (g->inter && what == reduce_scatter_block) ranks *= ranks;
  return blocks ? 1200000 / ranks : ranks > 9 ? 80000 : 300 * 1024;
}

static inline int root_of(const Group* g, int root, int side) {
  int ranks = !g->inter || g->side == side ? g->size : g->peers;
  return root % ranks;
}

static inline Plan make_plan(Collective what, Form form, const Group* g, int root, int side,
                             long bytes) {
  Plan p = {what, form, 0, g->inter ? side : 0, 0, 0, 2, 0, 0, NULL, 1, ordinary};
  p.root = is_rooted(what) && !(ordinary && g->inter) ? root_of(g, root, p.root_side) : 0;
  if (is_reduction(what)) p.operation = plain_sum();
  if (bytes > longest_bytes(what, g)) bytes = longest_bytes(what, g);
  p.elements = (bytes + 3) / 4;
  return p;
}

static inline Plan random_plan(Collective what, Form form, const Group* g, uint64_t* random) {
  static const long bytes_max[] = {16, 64, 600, 5000, 5000, 20000, 80000, 300 * 1024};
  uint64_t r = next_random(random);
  Plan p = make_plan(what, form, g, (int)(r % 1000), (int)(r / 1000 % 2), 0);
  p.plain = ordinary && g->inter;
  p.in_place = tries_in_place(what, g) && r / 2000 % 3 == 0;
  p.large = r / 6000 % 4 == 0;
  p.basic = (int)(r / 24000 % basics_of_moves);
  p.uneven = next_random(random);
  if (p.operation) p.operation = an_operation(next_random(random));
  long limit = bytes_max[next_random(random) % 8];
  if (limit > longest_bytes(what, g)) limit = longest_bytes(what, g);
  limit /= p.operation ? p.operation->size : 1 << p.basic;
  p.elements = (long)(next_random(random) % (uint64_t)(limit + 1));
  if (p.uneven % 4) p.elements = p.elements / shape_grain * shape_grain;
  return p;
}

#endif
