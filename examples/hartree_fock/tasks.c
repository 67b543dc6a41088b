/* Tasks of equal cost, the same list on every rank.
 *
 * Pairs are sorted by falling Schwarz bound. So the quartets of a bra with itself and the pairs
 * before it that are not screened out are those with its first kets: a row. Rows differ in cost by
 * orders of magnitude and are cut into pieces that cost at most 1 / 4000 of all. These are sorted
 * by falling cost, which mixes the rows. Most tasks then cost nearly the same, so a chunk of a
 * share of the tasks has nearly that share of the work, which guided chunks rely on; and the
 * cheapest ones are last, when workers wait for each other. */
#include "tasks.h"

#include <stdlib.h>

#include "ranks.h"

/* Quartets whose integrals are all below this do not count. */
static const double smallest_integral = 1e-10;
static const double tasks_wanted = 4000;

/* Nanoseconds of one processor; only the ratios count. */
static double quartet_cost(const Pair* bra, const Pair* ket) {
  static const double of_primitives[3][3] = {{13, 21, 44}, {19, 34, 96}, {34, 65, 213}};
  static const double of_integral = 2;
  return of_primitives[bra->degree][ket->degree] * bra->primitives * ket->primitives +
         of_integral * pair_functions(bra) * pair_functions(ket);
}

/* How many of the first kets are not screened out. */
static long row_length(const Pairs* pairs, long bra) {
  long low = 0, high = bra + 1;
  while (low < high) {
    long middle = (low + high) / 2;
    if (pairs->pair[bra].bound * pairs->pair[middle].bound >= smallest_integral)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* Cuts a row into pieces that cost at most `limit`, or are one quartet. Returns their number, and
 * writes them unless `task` is NULL. */
static long cut(const Pairs* pairs, long bra, double limit, Task* task) {
  const long length = row_length(pairs, bra);
  long count = 0;
  Task piece = {.bra = bra};
  for (long ket = 0; ket < length; ++ket) {
    double cost = quartet_cost(&pairs->pair[bra], &pairs->pair[ket]);
    if (piece.kets > 0 && piece.cost + cost > limit) {
      if (task) task[count] = piece;
      ++count;
      piece = (Task){.bra = bra, .first_ket = ket};
    }
    ++piece.kets;
    piece.cost += cost;
  }
  if (piece.kets == 0) return count;
  if (task) task[count] = piece;
  return count + 1;
}

static int by_falling_cost(const void* one, const void* other) {
  const Task *p = one, *q = other;
  if (p->cost != q->cost) return p->cost > q->cost ? -1 : 1;
  if (p->bra != q->bra) return p->bra < q->bra ? -1 : 1;
  return (p->first_ket > q->first_ket) - (p->first_ket < q->first_ket);
}

Tasks tasks_of(const Pairs* pairs) {
  Tasks tasks = {0};
  double cost = 0;
  long space = 0;
  for (long bra = 0; bra < pairs->count; ++bra) {
    const long length = row_length(pairs, bra);
    tasks.quartets += (double)length;
    for (long ket = 0; ket < length; ++ket)
      cost += quartet_cost(&pairs->pair[bra], &pairs->pair[ket]);
  }
  const double all = (double)pairs->of_shells;
  tasks.screened = all * (all + 1) / 2 - tasks.quartets;
  for (long bra = 0; bra < pairs->count; ++bra) space += cut(pairs, bra, cost / tasks_wanted, NULL);
  tasks.task = ranks_memory((size_t)space, sizeof *tasks.task);
  for (long bra = 0; bra < pairs->count; ++bra)
    tasks.count += cut(pairs, bra, cost / tasks_wanted, tasks.task + tasks.count);
  qsort(tasks.task, (size_t)tasks.count, sizeof *tasks.task, by_falling_cost);
  return tasks;
}
