/* The ground in slabs, one a thread of a rank: pressure moves on by a scheme of fourth order in
 * space and second in time. */
#include <stdlib.h>
#include <string.h>

#include "seismic.h"

enum { frame = 2 };           /* cells that the scheme reaches beyond its own */
enum { upper, lower, edges }; /* of a slab */

/* Parts differ by one row at most. */
void rows_of(int down, int workers, int worker, int* first, int* count) {
  *first = (int)((long long)down * worker / workers);
  *count = (int)((long long)down * (worker + 1) / workers) - *first;
}

Team new_team(int rank, int ranks, int threads, int across) {
  Team team = {.rank = rank, .ranks = ranks, .threads = threads};
  team.edge = frame * ((size_t)across + 2 * frame);
  for (int i = 0; i < 2; ++i)
    team.out[i] = memory_for(edges * (size_t)threads * team.edge, sizeof(double));
  team.in = memory_for(edges * team.edge, sizeof(double));
  return team;
}

void free_team(Team* team) {
  free(team->out[0]);
  free(team->out[1]);
  free(team->in);
}

/* Called by the thread that will work on it, so that it lies near that one. */
Slab new_slab(const Team* team, int thread, const Model* m, const Survey* s) {
  Slab slab = {.pitch = (size_t)m->across + 2 * frame};
  rows_of(m->down, team->ranks * team->threads, team->rank * team->threads + thread, &slab.first,
          &slab.rows);
  size_t count = slab.pitch * ((size_t)slab.rows + 2 * frame);
  double* all = memory_for(3 * count, sizeof *all);
  slab.now = all;
  slab.before = all + count;
  slab.factor = all + 2 * count;
  for (int y = 0; y < slab.rows; ++y) {
    const float* speeds = speeds_of_row(m, slab.first + y);
    for (int x = 0; x < m->across; ++x) {
      double courant = speeds[x] * s->timestep / m->spacing;
      slab.factor[(size_t)(y + frame) * slab.pitch + (size_t)(x + frame)] = courant * courant;
    }
  }
  return slab;
}

void free_slab(Slab* slab) {
  free(slab->now < slab->before ? slab->now : slab->before);
}

const double* pressure_row(const Slab* slab, int y) {
  return slab->now + (size_t)(y + frame) * slab->pitch + frame;
}

static double* out_edge(const Team* team, int step, int thread, int side) {
  return team->out[step % 2] + (size_t)(edges * thread + side) * team->edge;
}

/* The uppermost and the lowermost edge of my rank to its neighbors, and theirs to `in`. */
static void exchange_with_ranks(const Team* team, int step) {
  const int above = team->rank > 0 ? team->rank - 1 : MPI_PROC_NULL;
  const int below = team->rank + 1 < team->ranks ? team->rank + 1 : MPI_PROC_NULL;
  const int count = (int)team->edge;
  MPI_Request requests[4];
  MPI_Irecv(team->in, count, MPI_DOUBLE, above, lower, MPI_COMM_WORLD, &requests[0]);
  MPI_Irecv(team->in + team->edge, count, MPI_DOUBLE, below, upper, MPI_COMM_WORLD, &requests[1]);
  MPI_Isend(out_edge(team, step, 0, upper), count, MPI_DOUBLE, above, upper, MPI_COMM_WORLD,
            &requests[2]);
  MPI_Isend(out_edge(team, step, team->threads - 1, lower), count, MPI_DOUBLE, below, lower,
            MPI_COMM_WORLD, &requests[3]);
  MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
}

/* Fills my frame above and below. There is silence beyond the ground. */
void exchange_edges(const Team* team, int thread, int step, Slab* slab) {
  const size_t bytes = team->edge * sizeof(double);
  double* first = slab->now + team->edge;
  double* after = first + (size_t)slab->rows * slab->pitch;
  memcpy(out_edge(team, step, thread, upper), first, bytes);
  memcpy(out_edge(team, step, thread, lower), after - team->edge, bytes);
  BARRIER_OF_THREADS
  if (team->ranks > 1) {
    if (thread == 0) exchange_with_ranks(team, step);
    BARRIER_OF_THREADS
  }
  const double *above = team->in, *below = team->in + team->edge;
  if (thread > 0) above = out_edge(team, step, thread - 1, lower);
  if (thread + 1 < team->threads) below = out_edge(team, step, thread + 1, upper);
  memcpy(slab->now, above, bytes);
  memcpy(after, below, bytes);
}

/* `before` becomes the row after `now`. The sponge takes from both: what was before has been
 * through it once more since. */
static void advance_row(int across, size_t pitch, double taper_y, const double* taper_x,
                        const double* factor, const double* now, double* restrict before) {
  for (int x = 0; x < across; ++x) {
    const double* p = now + x;
    double near = (p[-1] + p[1]) + (*(p - pitch) + p[pitch]);
    double far = (p[-2] + p[2]) + (*(p - 2 * pitch) + p[2 * pitch]);
    double curvature = 4.0 / 3 * near - 1.0 / 12 * far - 5 * *p;
    double taper = taper_x[x] * taper_y;
    before[x] = taper * (2 * *p - taper * before[x] + factor[x] * curvature);
  }
}

void advance(Slab* slab, const Model* m, const Survey* s, double time) {
  for (int y = 0; y < slab->rows; ++y) {
    size_t at = (size_t)(y + frame) * slab->pitch + frame;
    advance_row(m->across, slab->pitch, s->taper_y[slab->first + y], s->taper_x, slab->factor + at,
                slab->now + at, slab->before + at);
  }
  int y = s->source_y - slab->first;
  if (y >= 0 && y < slab->rows) {
    size_t at = (size_t)(y + frame) * slab->pitch + (size_t)(s->source_x + frame);
    slab->before[at] += slab->factor[at] * ricker(s, time);
  }
  double* old = slab->before;
  slab->before = slab->now;
  slab->now = old;
}
