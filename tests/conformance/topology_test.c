/* Grids, graphs and distributed graphs, on the world and on a communicator with other ranks, with
 * and without reordering. What a topology says is compared with what was asked for, and messages go
 * along its edges. */
#include <unistd.h>

#include "conformance.h"

#define UNTOUCHED (-77)

static uint64_t seed = 5;        /* the same numbers on all ranks */
static MPI_Comm base;            /* what topologies are made from */
static int base_rank, base_size; /* in it */
/* For another MPI that refuses to give the first neighbors only, and that has no order among
 * several edges between two ranks, of which the standard says nothing. */
static int lenient;

static int below(int limit) {
  return (int)(next_random(&seed) % (uint64_t)limit);
}

static int topology_of(MPI_Comm comm) {
  int kind = UNTOUCHED;
  MPI_Topo_test(comm, &kind);
  return kind;
}

static int rank_in(MPI_Comm comm) {
  int its = UNTOUCHED;
  MPI_Comm_rank(comm, &its);
  return its;
}

static int size_of(MPI_Comm comm) {
  int its = 0;
  if (comm != MPI_COMM_NULL) MPI_Comm_size(comm, &its);
  return its;
}

/* As many as were asked for have a communicator; without reordering they are the first, with the
 * ranks they had. */
static void check_members(MPI_Comm comm, int wanted, int reorder) {
  int mine = comm != MPI_COMM_NULL, all = 0;
  MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_SUM, base);
  CHECK(all == wanted);
  if (!mine) return;
  CHECK(size_of(comm) == wanted);
  if (!reorder) CHECK(rank_in(comm) == base_rank);
}

/* ---- grids ---- */

static void check_coordinates(MPI_Comm comm, int n, const int* dims, const int* periods) {
  int count = size_of(comm), at[8], back, got[8];
  for (int r = 0; r < count; ++r) {
    int rest = r;
    for (int i = 0; i < 8; ++i) got[i] = UNTOUCHED;
    CHECK(MPI_Cart_coords(comm, r, n + 1, got) == MPI_SUCCESS && got[n] == UNTOUCHED);
    for (int i = n - 1; i >= 0; --i) {
      at[i] = rest % dims[i];
      rest /= dims[i];
      CHECK(got[i] == at[i]);
    }
    CHECK(MPI_Cart_rank(comm, at, &back) == MPI_SUCCESS && back == r);
    for (int i = 0; i < n; ++i)
      if (periods[i]) at[i] += dims[i] * (below(7) - 3);
    CHECK(MPI_Cart_rank(comm, at, &back) == MPI_SUCCESS && back == r);
  }
}

/* By the coordinates of the rank itself, and by a message each way. */
static void check_shifts(MPI_Comm comm, int n, const int* dims, const int* periods,
                         const int* own) {
  for (int i = 0; i < n; ++i)
    for (int step = -dims[i] - 1; step <= dims[i] + 1; ++step) {
      int source, destination, expected[2], at[8];
      CHECK(MPI_Cart_shift(comm, i, step, &source, &destination) == MPI_SUCCESS);
      for (int side = 0; side < 2; ++side) {
        memcpy(at, own, sizeof at);
        at[i] += side ? step : -step;
        if (!periods[i] && (at[i] < 0 || at[i] >= dims[i]))
          expected[side] = MPI_PROC_NULL;
        else
          MPI_Cart_rank(comm, at, &expected[side]);
      }
      CHECK(source == expected[0] && destination == expected[1]);
      int mine = rank_in(comm), heard = MPI_PROC_NULL;
      MPI_Sendrecv(&mine, 1, MPI_INT, destination, step + 50, &heard, 1, MPI_INT, source, step + 50,
                   comm, MPI_STATUS_IGNORE);
      CHECK(heard == source);
    }
}

static void check_grid(MPI_Comm comm, int n, const int* dims, const int* periods) {
  int count = UNTOUCHED, d[8], p[8], own[8] = {0}, expected[8];
  CHECK(topology_of(comm) == MPI_CART);
  CHECK(MPI_Cartdim_get(comm, &count) == MPI_SUCCESS && count == n);
  d[n] = p[n] = own[n] = UNTOUCHED;
  CHECK(MPI_Cart_get(comm, n + 1, d, p, own) == MPI_SUCCESS);
  CHECK(d[n] == UNTOUCHED && p[n] == UNTOUCHED && own[n] == UNTOUCHED);
  MPI_Cart_coords(comm, rank_in(comm), n, expected);
  for (int i = 0; i < n; ++i) {
    CHECK(d[i] == dims[i] && !p[i] == !periods[i] && own[i] == expected[i]);
  }
  check_coordinates(comm, n, dims, periods);
  check_shifts(comm, n, dims, periods, own);
}

/* Every choice of dimensions to keep: ranks with the same coordinates elsewhere are together. */
static void check_parts(MPI_Comm comm, int n, const int* dims, const int* periods) {
  int own[8];
  MPI_Cart_coords(comm, rank_in(comm), n, own);
  for (int choice = 0; choice < 1 << n; ++choice) {
    int remain[8], d[8], p[8], kept = 0, expected[8], got[8], mine[2] = {0, 0}, least[2];
    MPI_Comm part;
    for (int i = 0; i < n; ++i) {
      remain[i] = choice >> i & 1 ? 3 : 0;
      if (!remain[i]) mine[0] = mine[0] * dims[i] + own[i];
      if (!remain[i]) continue;
      d[kept] = dims[i];
      p[kept] = periods[i];
      expected[kept++] = own[i];
    }
    CHECK(MPI_Cart_sub(comm, remain, &part) == MPI_SUCCESS);
    check_grid(part, kept, d, p);
    MPI_Cart_coords(part, rank_in(part), kept, got);
    for (int i = 0; i < kept; ++i) CHECK(got[i] == expected[i]);
    MPI_Allreduce(mine, least, 1, MPI_INT, MPI_MIN, part);
    MPI_Allreduce(mine, &least[1], 1, MPI_INT, MPI_MAX, part);
    CHECK(least[0] == mine[0] && least[1] == mine[0]);
    MPI_Comm_free(&part);
  }
}

/* Of Cart_map and Graph_map: everybody another place. */
static void check_map(int new_rank, int wanted) {
  int* all = malloc(sizeof(int) * (size_t)base_size);
  char* seen = calloc((size_t)wanted + 1, 1);
  int placed = 0;
  MPI_Allgather(&new_rank, 1, MPI_INT, all, 1, MPI_INT, base);
  for (int r = 0; r < base_size; ++r) {
    if (all[r] == MPI_UNDEFINED) continue;
    CHECK(all[r] >= 0 && all[r] < wanted && !seen[all[r]]);
    seen[all[r]] = 1;
    ++placed;
  }
  CHECK(placed == wanted);
  free(all);
  free(seen);
}

static void grids_are_as_asked_for(void) {
  for (int wanted = base_size; wanted >= 1; wanted -= 1 + base_size / 6)
    for (int n = 1; n <= 3; ++n)
      for (int reorder = 0; reorder < 2; ++reorder) {
        int dims[8] = {0}, periods[8], new_rank = UNTOUCHED;
        MPI_Comm comm;
        MPI_Dims_create(wanted, n, dims);
        for (int i = 0; i < n; ++i) periods[i] = below(3);
        if (n > 1 && below(2)) {
          int first = dims[0];
          dims[0] = dims[n - 1];
          dims[n - 1] = first;
        }
        CHECK(MPI_Cart_create(base, n, dims, periods, reorder, &comm) == MPI_SUCCESS);
        check_members(comm, wanted, reorder);
        CHECK(MPI_Cart_map(base, n, dims, periods, &new_rank) == MPI_SUCCESS);
        check_map(new_rank, wanted);
        uint64_t before = seed;
        if (comm != MPI_COMM_NULL) {
          check_grid(comm, n, dims, periods);
          check_parts(comm, n, dims, periods);
          MPI_Comm_free(&comm);
        }
        seed = before;
      }
}

static void a_grid_without_dimensions_is_one_process(void) {
  MPI_Comm comm, part, copy;
  int untouched = UNTOUCHED, its = UNTOUCHED;
  CHECK(MPI_Cart_create(base, 0, NULL, NULL, 1, &comm) == MPI_SUCCESS);
  check_members(comm, 1, 1);
  if (comm == MPI_COMM_NULL) return;
  CHECK(MPI_Cart_sub(comm, NULL, &part) == MPI_SUCCESS);
  MPI_Comm_dup(part, &copy);
  for (int i = 0; i < 3; ++i) {
    MPI_Comm one = i == 0 ? comm : i == 1 ? part : copy;
    CHECK(topology_of(one) == MPI_CART && size_of(one) == 1);
    CHECK(MPI_Cartdim_get(one, &its) == MPI_SUCCESS && its == 0);
    CHECK(MPI_Cart_get(one, 1, &untouched, &untouched, &untouched) == MPI_SUCCESS);
    CHECK(MPI_Cart_coords(one, 0, 1, &untouched) == MPI_SUCCESS && untouched == UNTOUCHED);
    its = UNTOUCHED;
    CHECK(MPI_Cart_rank(one, &untouched, &its) == MPI_SUCCESS && its == 0);
  }
  MPI_Comm_free(&comm);
  MPI_Comm_free(&part);
  MPI_Comm_free(&copy);
}

/* ---- graphs ---- */

static void check_graph(MPI_Comm comm, int nodes, const int* index, const int* edges) {
  int n = UNTOUCHED, e = UNTOUCHED, count = nodes ? index[nodes - 1] : 0;
  int* i2 = malloc(sizeof(int) * (size_t)(nodes + 1));
  int* e2 = malloc(sizeof(int) * (size_t)(count + 1));
  CHECK(topology_of(comm) == MPI_GRAPH);
  CHECK(MPI_Graphdims_get(comm, &n, &e) == MPI_SUCCESS && n == nodes && e == count);
  i2[nodes] = e2[count] = UNTOUCHED;
  CHECK(MPI_Graph_get(comm, nodes + 1, count + 1, i2, e2) == MPI_SUCCESS);
  CHECK(i2[nodes] == UNTOUCHED && e2[count] == UNTOUCHED);
  CHECK(memcmp(index, i2, sizeof(int) * (size_t)nodes) == 0);
  CHECK(memcmp(edges, e2, sizeof(int) * (size_t)count) == 0);
  for (int r = 0; r < nodes; ++r) {
    int first = r ? index[r - 1] : 0;
    CHECK(MPI_Graph_neighbors_count(comm, r, &n) == MPI_SUCCESS && n == index[r] - first);
    e2[n] = UNTOUCHED;
    CHECK(MPI_Graph_neighbors(comm, r, n + 1, e2) == MPI_SUCCESS && e2[n] == UNTOUCHED);
    CHECK(memcmp(e2, edges + first, sizeof(int) * (size_t)n) == 0);
  }
  free(i2);
  free(e2);
}

/* Any edges: several between two nodes, to oneself, one way only. */
static void graphs_are_as_asked_for(void) {
  int* index = malloc(sizeof(int) * (size_t)(base_size + 1));
  int* edges = malloc(sizeof(int) * (size_t)(base_size * 6 + 1));
  for (int nodes = base_size; nodes >= 0; nodes -= 1 + base_size / 6)
    for (int reorder = 0; reorder < 2; ++reorder) {
      int count = 0, new_rank = UNTOUCHED;
      MPI_Comm comm;
      for (int r = 0; r < nodes; ++r) {
        for (int k = below(7); k > 0; --k) edges[count++] = below(nodes);
        index[r] = count;
      }
      CHECK(MPI_Graph_create(base, nodes, index, edges, reorder, &comm) == MPI_SUCCESS);
      check_members(comm, nodes, reorder);
      if (nodes > 0) {
        CHECK(MPI_Graph_map(base, nodes, index, edges, &new_rank) == MPI_SUCCESS);
        check_map(new_rank, nodes);
      }
      if (comm == MPI_COMM_NULL) continue;
      check_graph(comm, nodes, index, edges);
      MPI_Comm_free(&comm);
    }
  free(index);
  free(edges);
}

/* ---- distributed graphs ---- */

struct edge {
  int from, to, weight;
};

static struct edge* all_edges;
static int edge_count;

/* One that all ranks know. */
static void draw_edges(int count) {
  edge_count = count;
  all_edges = realloc(all_edges, sizeof(struct edge) * (size_t)(count + 1));
  for (int i = 0; i < count; ++i)
    all_edges[i] = (struct edge){below(base_size), below(base_size), below(5)};
}

/* A process's edges in or out, as they were drawn. */
static int list_edges(int its, int out, int* ranks, int* weights) {
  int count = 0;
  for (int i = 0; i < edge_count; ++i) {
    const struct edge* edge = &all_edges[i];
    if ((out ? edge->from : edge->to) != its) continue;
    ranks[count] = out ? edge->to : edge->from;
    weights[count++] = edge->weight;
  }
  return count;
}

/* By neighbor, then by weight. */
static int compare_pairs(const void* a, const void* b) {
  const int *one = a, *other = b;
  return one[0] != other[0] ? one[0] - other[0] : one[1] - other[1];
}

static void check_list(int weighted, int ordered, int count, const int* ranks, const int* weights,
                       const int* wanted_ranks, const int* wanted_weights) {
  int* pairs[2];
  for (int k = 0; k < 2; ++k) {
    pairs[k] = malloc(sizeof(int) * (size_t)(2 * count + 1));
    for (int i = 0; i < count; ++i) {
      pairs[k][2 * i] = k ? wanted_ranks[i] : ranks[i];
      pairs[k][2 * i + 1] = !weighted ? 0 : k ? wanted_weights[i] : weights[i];
    }
    if (!ordered) qsort(pairs[k], (size_t)count, 2 * sizeof(int), compare_pairs);
  }
  CHECK(memcmp(pairs[0], pairs[1], sizeof(int) * 2 * (size_t)count) == 0);
  free(pairs[0]);
  free(pairs[1]);
}

/* One message an edge, in the order of the lists: it says its weight. */
static void talk(MPI_Comm comm, int in, const int* sources, const int* in_weights, int out,
                 const int* destinations, const int* out_weights, int weighted) {
  MPI_Request* requests = malloc(sizeof(MPI_Request) * (size_t)(in + out + 1));
  int* heard = malloc(sizeof(int) * (size_t)(in + 1));
  for (int i = 0; i < in; ++i) MPI_Irecv(&heard[i], 1, MPI_INT, sources[i], 3, comm, &requests[i]);
  for (int i = 0; i < out; ++i)
    MPI_Isend(&out_weights[i], 1, MPI_INT, destinations[i], 3, comm, &requests[in + i]);
  MPI_Waitall(in + out, requests, MPI_STATUSES_IGNORE);
  for (int i = 0; i < in && weighted; ++i) CHECK(heard[i] == in_weights[i]);
  free(requests);
  free(heard);
}

static void check_distributed(MPI_Comm comm, int weighted, int ordered) {
  size_t space = sizeof(int) * (size_t)(edge_count + 1);
  int *a[4], *b[4], *again[4], in = UNTOUCHED, out = UNTOUCHED, has_weights = UNTOUCHED;
  for (int k = 0; k < 4; ++k) {
    a[k] = malloc(space), b[k] = malloc(space), again[k] = malloc(space);
    for (int i = 0; i <= edge_count; ++i) a[k][i] = again[k][i] = UNTOUCHED;
  }
  int its = rank_in(comm);
  int wanted_in = list_edges(its, 0, b[0], b[1]), wanted_out = list_edges(its, 1, b[2], b[3]);
  CHECK(topology_of(comm) == MPI_DIST_GRAPH);
  CHECK(MPI_Dist_graph_neighbors_count(comm, &in, &out, &has_weights) == MPI_SUCCESS);
  CHECK(in == wanted_in && out == wanted_out && !has_weights == !weighted);
  CHECK(MPI_Dist_graph_neighbors(comm, in, a[0], a[1], out, a[2], a[3]) == MPI_SUCCESS);
  CHECK(a[0][in] == UNTOUCHED && a[1][in] == UNTOUCHED);
  CHECK(a[2][out] == UNTOUCHED && a[3][out] == UNTOUCHED);
  if (!weighted) CHECK(a[1][0] == UNTOUCHED && a[3][0] == UNTOUCHED);
  check_list(weighted, ordered, in, a[0], a[1], b[0], b[1]);
  check_list(weighted, ordered, out, a[2], a[3], b[2], b[3]);
  talk(comm, in, a[0], a[1], out, a[2], weighted ? a[3] : b[3], weighted && (ordered || !lenient));
  /* The first ones only; without weights. */
  int less_in = lenient ? in : in / 2, less_out = lenient ? out : out / 2;
  CHECK(MPI_Dist_graph_neighbors(comm, less_in, again[0], MPI_UNWEIGHTED, less_out, again[2],
                                 MPI_UNWEIGHTED) == MPI_SUCCESS);
  CHECK(memcmp(a[0], again[0], sizeof(int) * (size_t)less_in) == 0);
  CHECK(memcmp(a[2], again[2], sizeof(int) * (size_t)less_out) == 0);
  CHECK(again[0][less_in] == UNTOUCHED && again[2][less_out] == UNTOUCHED);
  for (int k = 0; k < 4; ++k) free(a[k]), free(b[k]), free(again[k]);
}

static void neighbors_are_as_each_says(void) {
  for (int round = 0; round < 12; ++round) {
    int weighted = round % 3 != 0, reorder = round % 2;
    draw_edges(round < 2 ? 0 : below(4 * base_size + 1));
    size_t space = sizeof(int) * (size_t)(edge_count + 1);
    int *sources = malloc(space), *in_weights = malloc(space);
    int *destinations = malloc(space), *out_weights = malloc(space);
    int in = list_edges(base_rank, 0, sources, in_weights);
    int out = list_edges(base_rank, 1, destinations, out_weights);
    MPI_Comm comm;
    MPI_Info info = MPI_INFO_NULL;
    if (round % 4 == 1) {
      MPI_Info_create(&info);
      MPI_Info_set(info, "nobody_knows_this", "true");
    }
    int* wi = !weighted ? MPI_UNWEIGHTED : in ? in_weights : MPI_WEIGHTS_EMPTY;
    int* wo = !weighted ? MPI_UNWEIGHTED : out ? out_weights : MPI_WEIGHTS_EMPTY;
    CHECK(MPI_Dist_graph_create_adjacent(base, in, sources, wi, out, destinations, wo, info,
                                         reorder, &comm) == MPI_SUCCESS);
    check_members(comm, base_size, reorder);
    check_distributed(comm, weighted, 1);
    if (info != MPI_INFO_NULL) MPI_Info_free(&info);
    MPI_Comm_free(&comm);
    free(sources), free(in_weights), free(destinations), free(out_weights);
  }
}

/* Every edge is told by some process, whoever it touches; sources may come several times, and
 * without edges. Some are late, so that messages of two graphs might meet. */
static void edges_may_be_told_by_anybody(void) {
  for (int round = 0; round < 16; ++round) {
    int weighted = round % 3 != 0, reorder = round % 2, n = 0, told = 0;
    int alone = round % 4 == 3 ? below(base_size) : -1; /* one tells all */
    draw_edges(round == 0 ? 0 : round == 1 ? 300 : below(6 * base_size + 1));
    size_t space = sizeof(int) * (size_t)(2 * edge_count + 2);
    int *sources = malloc(space), *degrees = malloc(space);
    int *destinations = malloc(space), *weights = malloc(space);
    for (int i = 0; i < edge_count; ++i) {
      int teller = alone >= 0 ? alone : below(base_size), apart = below(2);
      if (teller != base_rank) continue;
      if (n == 0 || sources[n - 1] != all_edges[i].from || apart) {
        if (apart) sources[n] = all_edges[i].to, degrees[n++] = 0;
        sources[n] = all_edges[i].from;
        degrees[n++] = 0;
      }
      ++degrees[n - 1];
      destinations[told] = all_edges[i].to;
      weights[told++] = all_edges[i].weight;
    }
    MPI_Comm comm;
    int* w = !weighted ? MPI_UNWEIGHTED : told ? weights : MPI_WEIGHTS_EMPTY;
    if (below(base_size) == base_rank) usleep(2000);
    CHECK(MPI_Dist_graph_create(base, n, sources, degrees, destinations, w, MPI_INFO_NULL, reorder,
                                &comm) == MPI_SUCCESS);
    check_members(comm, base_size, reorder);
    check_distributed(comm, weighted, 0);
    MPI_Comm_free(&comm);
    free(sources), free(degrees), free(destinations), free(weights);
  }
}

/* ---- what happens to them ---- */

static void duplicates_have_the_topology_and_parts_have_none(void) {
  int dims[2] = {0, 0}, periods[2] = {1, 0};
  MPI_Comm comm, copies[3], part;
  MPI_Request request;
  MPI_Dims_create(base_size, 2, dims);
  MPI_Cart_create(base, 2, dims, periods, 0, &comm);
  MPI_Comm_dup(comm, &copies[0]);
  MPI_Comm_idup(comm, &copies[1], &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Comm_dup_with_info(copies[0], MPI_INFO_NULL, &copies[2]);
  MPI_Comm_split(comm, 0, 0, &part);
  CHECK(topology_of(part) == MPI_UNDEFINED);
  MPI_Comm_free(&part);
  MPI_Group group;
  MPI_Comm_group(comm, &group);
  MPI_Comm_create(comm, group, &part);
  MPI_Group_free(&group);
  CHECK(topology_of(part) == MPI_UNDEFINED);
  MPI_Comm_free(&part);
  MPI_Comm_free(&comm);
  for (int i = 0; i < 3; ++i) {
    check_grid(copies[i], 2, dims, periods);
    MPI_Comm_free(&copies[i]);
  }
  draw_edges(3 * base_size);
  int n = 0, told[3 * 64], degree[3 * 64], to[3 * 64], weights[3 * 64];
  for (int i = 0; i < edge_count; ++i) {
    if (i % base_size != base_rank) continue;
    told[n] = all_edges[i].from, degree[n] = 1, to[n] = all_edges[i].to;
    weights[n++] = all_edges[i].weight;
  }
  MPI_Dist_graph_create(base, n, told, degree, to, weights, MPI_INFO_NULL, 0, &comm);
  MPI_Comm_dup(comm, &part);
  MPI_Comm_free(&comm);
  check_distributed(part, 1, 0);
  MPI_Comm_free(&part);
}

static void hundreds_come_and_go(void) {
  int dims[1] = {base_size}, periods[1] = {1};
  for (int i = 0; i < 600; ++i) {
    MPI_Comm comm;
    if (i % 2)
      MPI_Cart_create(base, 1, dims, periods, 1, &comm);
    else
      MPI_Dist_graph_create(base, 0, NULL, NULL, NULL, MPI_UNWEIGHTED, MPI_INFO_NULL, 1, &comm);
    MPI_Comm_free(&comm);
  }
}

static void all_on(MPI_Comm comm) {
  base = comm;
  base_rank = rank_in(comm);
  base_size = size_of(comm);
  CHECK(topology_of(base) == MPI_UNDEFINED);
  grids_are_as_asked_for();
  a_grid_without_dimensions_is_one_process();
  graphs_are_as_asked_for();
  neighbors_are_as_each_says();
  edges_may_be_told_by_anybody();
  duplicates_have_the_topology_and_parts_have_none();
}

int main(int argc, char** argv) {
  MPI_Comm reversed;
  start(&argc, &argv);
  lenient = argc > 1 && strcmp(argv[1], "lenient") == 0;
  all_on(MPI_COMM_WORLD);
  MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &reversed);
  all_on(reversed);
  hundreds_come_and_go();
  MPI_Comm_free(&reversed);
  free(all_edges);
  return finish();
}
