/* Topologies of every kind, with the neighbors of all ranks as the rules of MPI 5.0 have them, not
 * as the library tells: of it is asked only the order of neighbors where MPI_Dist_graph_create
 * leaves it free. */
#ifndef NEIGHBORHOOD_TOPOLOGY_H
#define NEIGHBORHOOD_TOPOLOGY_H

#include "conformance.h"

enum { ranks_max = 12, degree_max = 64, topologies_max = 32 };

/* Everybody's neighbors, as ranks of `comm`. */
typedef struct {
  const char* name;
  MPI_Comm comm;
  int grid, rank, size;
  int in_count[ranks_max], out_count[ranks_max];
  int in[ranks_max][degree_max], out[ranks_max][degree_max];
} Topology;

static Topology topologies[topologies_max];
static int topology_count;

static inline uint64_t mix(uint64_t a, uint64_t b, uint64_t c) {
  uint64_t state = (a << 40) ^ (b << 20) ^ c;
  return next_random(&state) >> 16;
}

/* Ranks that are left out keep an entry too, so that all count alike; they get NULL. */
static inline Topology* keep_topology(const char* name, MPI_Comm comm) {
  CHECK(topology_count < topologies_max);
  Topology* t = &topologies[topology_count++];
  memset(t, 0, sizeof *t);
  t->name = name;
  t->comm = comm;
  if (comm == MPI_COMM_NULL) return NULL;
  MPI_Comm_rank(comm, &t->rank);
  MPI_Comm_size(comm, &t->size);
  CHECK(t->size <= ranks_max);
  return t;
}

static inline void add_in(Topology* t, int to, int from) {
  CHECK(t->in_count[to] < degree_max);
  t->in[to][t->in_count[to]++] = from;
}
static inline void add_out(Topology* t, int from, int to) {
  CHECK(t->out_count[from] < degree_max);
  t->out[from][t->out_count[from]++] = to;
}

/* For each dimension the neighbor before, then the one behind; ranks count in row-major order. */
static inline void add_grid_neighbors(Topology* t, int n, const int* dims, const int* periods) {
  for (int r = 0; r < t->size; ++r) {
    int stride = t->size;
    for (int d = 0; d < n; ++d) {
      stride /= dims[d];
      int own = r / stride % dims[d];
      for (int step = -1; step <= 1; step += 2) {
        int at = own + step, inside = at >= 0 && at < dims[d];
        int other = r + ((at + dims[d]) % dims[d] - own) * stride;
        if (!inside && !periods[d]) other = MPI_PROC_NULL;
        add_in(t, r, other);
        add_out(t, r, other);
      }
    }
  }
}

/* An extent of 0 takes the ranks that are left. */
static inline void make_grids(MPI_Comm base) {
  static const struct {
    const char* name;
    int n, dims[3], periods[3];
  } grids[] = {{"grid without dimensions", 0, {0}, {0}},
               {"1 periodic", 1, {1}, {1}},
               {"1", 1, {1}, {0}},
               {"2 periodic", 1, {2}, {1}},
               {"2", 1, {2}, {0}},
               {"3 periodic", 1, {3}, {1}},
               {"all periodic", 1, {0}, {1}},
               {"all", 1, {0}, {0}},
               {"1 periodic x all", 2, {1, 0}, {1, 0}},
               {"2 x all periodic", 2, {2, 0}, {0, 1}},
               {"2 periodic x all periodic", 2, {2, 0}, {1, 1}},
               {"3 periodic x 2 periodic", 2, {3, 2}, {1, 1}},
               {"1 periodic x 2 periodic x all", 3, {1, 2, 0}, {1, 1, 0}},
               {"2 periodic x 1 x all periodic", 3, {2, 1, 0}, {1, 0, 1}}};
  for (size_t g = 0; g < sizeof grids / sizeof grids[0]; ++g) {
    int dims[3], n = grids[g].n, product = 1;
    MPI_Comm comm;
    for (int d = 0; d < n; ++d)
      if (grids[g].dims[d]) product *= grids[g].dims[d];
    if (product > size) continue;
    for (int d = 0; d < n; ++d) dims[d] = grids[g].dims[d] ? grids[g].dims[d] : size / product;
    CHECK(MPI_Cart_create(base, n, dims, grids[g].periods, g % 2, &comm) == MPI_SUCCESS);
    Topology* t = keep_topology(grids[g].name, comm);
    if (!t) continue;
    t->grid = 1;
    add_grid_neighbors(t, n, dims, grids[g].periods);
  }
}

/* Edges that all ranks draw alike. Of the kinds: 0 has none, 1 any, 2 leads from the first half of
 * the ranks to the second, 3 is many times the same edge and some loops. */
enum { edge_kinds = 4 };
static inline int draw_edges(int kind, int (*edges)[2]) {
  int count = kind == 0 ? 0 : kind == 3 ? 6 : 3 * size;
  for (int i = 0; i < count; ++i) {
    int a = (int)(mix(1, (uint64_t)kind, (uint64_t)i) % (uint64_t)size);
    int b = (int)(mix(2, (uint64_t)kind, (uint64_t)i) % (uint64_t)size);
    if (kind == 2) a /= 2, b = size - 1 - b / 2;
    if (kind == 3) a = i < 4 ? 0 : size - 1, b = size - 1;
    edges[i][0] = a;
    edges[i][1] = b;
  }
  return count;
}

/* MPI 5.0 wants as many edges back as forth for collectives; nodes list them in different orders.
 */
static inline void make_graph(MPI_Comm base, int kind) {
  int edges[degree_max][2], count = draw_edges(kind, edges), total = 0;
  int index[ranks_max], flat[2 * degree_max];
  for (int r = 0; r < size; ++r) {
    for (int i = 0; i < count; ++i) {
      const int* edge = edges[r % 2 ? i : count - 1 - i];
      if (edge[0] == r) flat[total++] = edge[1];
      if (edge[1] == r && edge[0] != r) flat[total++] = edge[0];
    }
    index[r] = total;
  }
  MPI_Comm comm;
  CHECK(MPI_Graph_create(base, size, index, flat, kind % 2, &comm) == MPI_SUCCESS);
  Topology* t = keep_topology("graph", comm);
  for (int r = 0; r < size; ++r)
    for (int i = r ? index[r - 1] : 0; i < index[r]; ++i) {
      add_in(t, r, flat[i]);
      add_out(t, r, flat[i]);
    }
}

/* Neighbors are in the order in which each rank gives them: those it hears from in another than
 * those it sends to. */
static inline void make_adjacent(MPI_Comm base, int kind) {
  int edges[degree_max][2], count = draw_edges(kind, edges), own;
  Topology* wanted = calloc(1, sizeof *wanted);
  MPI_Comm comm;
  for (int i = 0; i < count; ++i) {
    add_out(wanted, edges[i][0], edges[i][1]);
    add_in(wanted, edges[count - 1 - i][1], edges[count - 1 - i][0]);
  }
  MPI_Comm_rank(base, &own);
  CHECK(MPI_Dist_graph_create_adjacent(base, wanted->in_count[own], wanted->in[own], MPI_UNWEIGHTED,
                                       wanted->out_count[own], wanted->out[own], MPI_UNWEIGHTED,
                                       MPI_INFO_NULL, kind % 2, &comm) == MPI_SUCCESS);
  Topology* t = keep_topology("adjacent graph", comm);
  memcpy(t->in_count, wanted->in_count,
         sizeof *wanted - (size_t)((char*)wanted->in_count - (char*)wanted));
  free(wanted);
}

/* The same ranks, each as many times. */
static inline void check_alike(int count, const int* ranks, int wanted_count, const int* wanted) {
  int times[ranks_max] = {0};
  CHECK(count == wanted_count);
  for (int i = 0; i < count; ++i) {
    CHECK(ranks[i] >= 0 && ranks[i] < size);
    ++times[ranks[i]];
    --times[wanted[i]];
  }
  for (int r = 0; r < size; ++r) CHECK(times[r] == 0);
}

/* Ranks tell edges of others, in turns; in which order neighbors come is the library's choice. */
static inline void make_told(MPI_Comm base, int kind) {
  int edges[degree_max][2], count = draw_edges(kind, edges), own, n = 0, told[3][degree_max];
  MPI_Comm comm;
  MPI_Comm_rank(base, &own);
  for (int i = 0; i < count; ++i)
    if (i % size == own) {
      told[0][n] = edges[i][0];
      told[1][n] = 1;
      told[2][n++] = edges[i][1];
    }
  CHECK(MPI_Dist_graph_create(base, n, told[0], told[1], told[2], MPI_UNWEIGHTED, MPI_INFO_NULL,
                              kind % 2, &comm) == MPI_SUCCESS);
  Topology* t = keep_topology("told graph", comm);
  int in = 0, out = 0, weighted, from[degree_max], to[degree_max];
  for (int i = 0; i < count; ++i) {
    if (edges[i][1] == t->rank) from[in++] = edges[i][0];
    if (edges[i][0] == t->rank) to[out++] = edges[i][1];
  }
  int *its_in = t->in[t->rank], *its_out = t->out[t->rank];
  MPI_Dist_graph_neighbors_count(comm, &t->in_count[t->rank], &t->out_count[t->rank], &weighted);
  CHECK(t->in_count[t->rank] == in && t->out_count[t->rank] == out);
  CHECK(MPI_Dist_graph_neighbors(comm, in, its_in, MPI_UNWEIGHTED, out, its_out, MPI_UNWEIGHTED) ==
        MPI_SUCCESS);
  check_alike(in, its_in, in, from);
  check_alike(out, its_out, out, to);
  MPI_Allgather(MPI_IN_PLACE, 0, MPI_INT, t->in_count, 1, MPI_INT, comm);
  MPI_Allgather(MPI_IN_PLACE, 0, MPI_INT, t->out_count, 1, MPI_INT, comm);
  MPI_Allgather(MPI_IN_PLACE, 0, MPI_INT, t->in, degree_max, MPI_INT, comm);
  MPI_Allgather(MPI_IN_PLACE, 0, MPI_INT, t->out, degree_max, MPI_INT, comm);
}

/* Which of the source's blocks arrives as our block `place`. In a grid what left forward comes from
 * behind, also where both neighbors are the same rank. Elsewhere messages between two ranks keep
 * their order: the k-th edge to us is the k-th from there. */
static inline int place_at_source(const Topology* t, int place) {
  if (t->grid) return place ^ 1;
  int source = t->in[t->rank][place], k = 0, at = 0;
  for (int i = 0; i < place; ++i) k += t->in[t->rank][i] == source;
  for (;; ++at) {
    CHECK(at < t->out_count[source]);
    if (t->out[source][at] == t->rank && k-- == 0) return at;
  }
}

static inline void make_topologies(MPI_Comm base) {
  topology_count = 0;
  make_grids(base);
  for (int kind = 0; kind < edge_kinds; ++kind) {
    make_graph(base, kind);
    make_adjacent(base, kind);
    make_told(base, kind);
  }
}

static inline void free_topologies(void) {
  for (int i = 0; i < topology_count; ++i)
    if (topologies[i].comm != MPI_COMM_NULL) MPI_Comm_free(&topologies[i].comm);
}

#endif
