/* Wrong calls about topologies. What is wrong on one rank of a distributed graph only is an error
 * on all; nothing is left behind. */
#include "wrong.h"

#define WORLD MPI_COMM_WORLD

static MPI_Comm grid, graph, distributed;

static void prepare(void) {
  int dims[] = {size, 1}, periods[] = {0, 1}, zero = 0, one = 1;
  int* index = malloc(sizeof(int) * (size_t)size);
  for (int i = 0; i < size; ++i) index[i] = i == 0 ? 2 : 2;
  int edges[] = {0, 0};
  MPI_Cart_create(WORLD, 2, dims, periods, 0, &grid);
  MPI_Graph_create(WORLD, size, index, edges, 0, &graph);
  MPI_Dist_graph_create(WORLD, 1, &zero, &one, &zero, &one, MPI_INFO_NULL, 0, &distributed);
  free(index);
}

static void dimensions(void) {
  int dims[] = {4, 0}, minus[] = {-1, 0}, both[] = {3, 3}, five[] = {5};
  WRONG(MPI_Dims_create(6, 2, dims), MPI_ERR_DIMS, "element 0 is 4");
  WRONG(MPI_Dims_create(6, 2, minus), MPI_ERR_DIMS, "element 0 is -1");
  WRONG(MPI_Dims_create(18, 2, both), MPI_ERR_DIMS, "not nnodes (18)");
  WRONG(MPI_Dims_create(6, 1, five), MPI_ERR_DIMS, "argument 3 (dims)");
  WRONG(MPI_Dims_create(0, 2, dims), MPI_ERR_ARG, "argument 1 (nnodes)");
  WRONG(MPI_Dims_create(6, -1, dims), MPI_ERR_DIMS, "argument 2 (ndims)");
  WRONG(MPI_Dims_create(6, 0, dims), MPI_ERR_DIMS, "not nnodes (6)");
  WRONG(MPI_Dims_create(6, 2, NULL), MPI_ERR_ARG, "argument 3 (dims)");
}

static void grids(void) {
  int dims[] = {size, 2}, below[] = {0, -1}, periods[] = {0, 0}, wide[4] = {65536, 65536, 1, 1}, n;
  MPI_Comm made;
  WRONG(MPI_Cart_create(WORLD, 2, dims, periods, 0, &made), MPI_ERR_DIMS, "positions");
  WRONG(MPI_Cart_create(WORLD, 4, wide, wide, 1, &made), MPI_ERR_DIMS, "more positions than any");
  WRONG(MPI_Cart_create(WORLD, 2, below, periods, 0, &made), MPI_ERR_DIMS, "element 1 is -1");
  WRONG(MPI_Cart_map(WORLD, 2, below, periods, &n), MPI_ERR_DIMS, "element 1 is -1");
  WRONG(MPI_Cart_create(WORLD, -1, dims, periods, 0, &made), MPI_ERR_DIMS, "argument 2 (ndims)");
  WRONG(MPI_Cart_create(WORLD, 1, NULL, periods, 0, &made), MPI_ERR_ARG, "argument 3 (dims)");
  WRONG(MPI_Cart_create(WORLD, 1, dims, NULL, 0, &made), MPI_ERR_ARG, "argument 4 (periods)");
  WRONG(MPI_Cart_create(WORLD, 1, dims, periods, 0, NULL), MPI_ERR_ARG, "argument 6 (comm_cart)");
  WRONG(MPI_Cart_map(WORLD, 2, dims, periods, &n), MPI_ERR_DIMS, "argument 3 (dims)");
  WRONG(MPI_Cart_map(WORLD, 1, dims, periods, NULL), MPI_ERR_ARG, "argument 5 (newrank)");
}

static void inquiries_of_grids(void) {
  int n, a[2], b[2], c[2], outside[] = {-1, 5}, beyond[] = {size, 0};
  MPI_Comm made;
  WRONG(MPI_Cartdim_get(WORLD, &n), MPI_ERR_TOPOLOGY, "no topology");
  WRONG(MPI_Cartdim_get(graph, &n), MPI_ERR_TOPOLOGY, "has a graph topology");
  WRONG(MPI_Cartdim_get(grid, NULL), MPI_ERR_ARG, "argument 2 (ndims)");
  WRONG(MPI_Cart_get(distributed, 2, a, b, c), MPI_ERR_TOPOLOGY, "a distributed graph topology");
  WRONG(MPI_Cart_get(grid, 1, a, b, c), MPI_ERR_ARG, "argument 2 (maxdims)");
  WRONG(MPI_Cart_get(grid, -1, a, b, c), MPI_ERR_ARG, "argument 2 (maxdims)");
  WRONG(MPI_Cart_get(grid, 2, NULL, b, c), MPI_ERR_ARG, "argument 3 (dims)");
  WRONG(MPI_Cart_rank(WORLD, a, &n), MPI_ERR_TOPOLOGY, "MPI_Cart_create");
  WRONG(MPI_Cart_rank(grid, outside, &n), MPI_ERR_ARG, "element 0 is -1");
  WRONG(MPI_Cart_rank(grid, beyond, &n), MPI_ERR_ARG, "not periodic");
  WRONG(MPI_Cart_rank(grid, NULL, &n), MPI_ERR_ARG, "argument 2 (coords)");
  WRONG(MPI_Cart_coords(WORLD, 0, 2, a), MPI_ERR_TOPOLOGY, "no topology");
  WRONG(MPI_Cart_coords(grid, size, 2, a), MPI_ERR_RANK, "argument 2 (rank)");
  WRONG(MPI_Cart_coords(grid, -1, 2, a), MPI_ERR_RANK, "argument 2 (rank)");
  WRONG(MPI_Cart_coords(grid, MPI_PROC_NULL, 2, a), MPI_ERR_RANK, "argument 2 (rank)");
  WRONG(MPI_Cart_coords(grid, 0, 1, a), MPI_ERR_ARG, "argument 3 (maxdims)");
  WRONG(MPI_Cart_shift(WORLD, 0, 1, a, b), MPI_ERR_TOPOLOGY, "no topology");
  WRONG(MPI_Cart_shift(grid, 2, 1, a, b), MPI_ERR_DIMS, "argument 2 (direction)");
  WRONG(MPI_Cart_shift(grid, -1, 1, a, b), MPI_ERR_DIMS, "argument 2 (direction)");
  WRONG(MPI_Cart_shift(grid, 0, 1, a, NULL), MPI_ERR_ARG, "argument 5 (rank_dest)");
  WRONG(MPI_Cart_sub(WORLD, a, &made), MPI_ERR_TOPOLOGY, "no topology");
  WRONG(MPI_Cart_sub(grid, NULL, &made), MPI_ERR_ARG, "argument 2 (remain_dims)");
}

/* Without dimensions there is no direction. */
static void a_point(void) {
  int a, b;
  MPI_Comm point;
  MPI_Cart_create(MPI_COMM_SELF, 0, NULL, NULL, 0, &point);
  WRONG(MPI_Cart_shift(point, 0, 1, &a, &b), MPI_ERR_DIMS, "0 dimensions");
  WRONG(MPI_Cart_coords(point, 1, 0, NULL), MPI_ERR_RANK, "rank 1");
  MPI_Comm_free(&point);
}

static void graphs(void) {
  int index[] = {2}, falling[] = {1, 0, 0}, minus[] = {-1}, edges[] = {0, 1}, n, a[2];
  int* many = calloc((size_t)size + 1, sizeof(int));
  MPI_Comm made;
  WRONG(MPI_Graph_create(WORLD, size + 1, many, edges, 0, &made), MPI_ERR_ARG, "(nnodes)");
  WRONG(MPI_Graph_create(WORLD, -1, many, edges, 0, &made), MPI_ERR_ARG, "(nnodes)");
  WRONG(MPI_Graph_create(WORLD, 1, index, edges, 0, &made), MPI_ERR_RANK, "element 1 is 1");
  WRONG(MPI_Graph_create(WORLD, 1, minus, edges, 0, &made), MPI_ERR_ARG, "argument 3 (index)");
  WRONG(MPI_Graph_create(WORLD, 1, index, NULL, 0, &made), MPI_ERR_ARG, "argument 4 (edges)");
  WRONG(MPI_Graph_create(WORLD, 1, NULL, edges, 0, &made), MPI_ERR_ARG, "argument 3 (index)");
  if (size > 1)
    WRONG(MPI_Graph_create(WORLD, 2, falling, edges, 0, &made), MPI_ERR_ARG, "element 1 is 0");
  WRONG(MPI_Graph_map(WORLD, 1, index, edges, &n), MPI_ERR_RANK, "argument 4 (edges)");
  WRONG(MPI_Graph_map(WORLD, -1, index, edges, &n), MPI_ERR_ARG, "argument 2 (nnodes)");
  WRONG(MPI_Graphdims_get(grid, &n, &n), MPI_ERR_TOPOLOGY, "has a cartesian topology");
  WRONG(MPI_Graph_get(WORLD, 1, 1, a, a), MPI_ERR_TOPOLOGY, "MPI_Graph_create");
  WRONG(MPI_Graph_get(graph, size - 1, 2, many, a), MPI_ERR_ARG, "argument 2 (maxindex)");
  WRONG(MPI_Graph_get(graph, size, 1, many, a), MPI_ERR_ARG, "argument 3 (maxedges)");
  WRONG(MPI_Graph_neighbors_count(grid, 0, &n), MPI_ERR_TOPOLOGY, "cartesian");
  WRONG(MPI_Graph_neighbors_count(graph, size, &n), MPI_ERR_RANK, "argument 2 (rank)");
  WRONG(MPI_Graph_neighbors(graph, -1, 2, a), MPI_ERR_RANK, "argument 2 (rank)");
  WRONG(MPI_Graph_neighbors(graph, 0, 1, a), MPI_ERR_ARG, "argument 3 (maxneighbors)");
  WRONG(MPI_Graph_neighbors(distributed, 0, 2, a), MPI_ERR_TOPOLOGY, "distributed");
  free(many);
}

/* The last rank's arguments are wrong; it hears why, the others that it was this rank. */
#define WRONG_AT_LAST(wrong_call, good_call, error_class, word)                          \
  do {                                                                                   \
    char others[32];                                                                     \
    snprintf(others, sizeof others, "that rank %d gives", size - 1);                     \
    judge(__LINE__, #wrong_call, rank == size - 1 ? wrong_call : good_call, error_class, \
          rank == size - 1 ? word : others);                                             \
  } while (0)

static void distributed_graphs(void) {
  int far[] = {size}, minus[] = {-1}, zero[] = {0}, one[] = {1}, n;
  MPI_Comm made;
  MPI_Info no = MPI_INFO_NULL;
#define CREATE(n, sources, degrees, destinations, weights) \
  MPI_Dist_graph_create(WORLD, n, sources, degrees, destinations, weights, no, 0, &made)
#define GOOD CREATE(1, zero, one, zero, one)
  WRONG_AT_LAST(CREATE(1, far, one, zero, one), GOOD, MPI_ERR_RANK, "argument 3 (sources)");
  WRONG_AT_LAST(CREATE(1, minus, one, zero, one), GOOD, MPI_ERR_RANK, "element 0 is -1");
  WRONG_AT_LAST(CREATE(1, zero, one, far, one), GOOD, MPI_ERR_RANK, "argument 5 (destinations)");
  WRONG_AT_LAST(CREATE(1, zero, minus, zero, one), GOOD, MPI_ERR_ARG, "argument 4 (degrees)");
  WRONG_AT_LAST(CREATE(1, zero, one, zero, minus), GOOD, MPI_ERR_ARG, "argument 6 (weights)");
  WRONG_AT_LAST(CREATE(-1, zero, one, zero, one), GOOD, MPI_ERR_ARG, "argument 2 (n)");
  WRONG_AT_LAST(CREATE(1, NULL, one, zero, one), GOOD, MPI_ERR_ARG, "(sources) is a null");
  WRONG_AT_LAST(CREATE(1, zero, NULL, zero, one), GOOD, MPI_ERR_ARG, "(degrees) is a null");
  WRONG_AT_LAST(CREATE(1, zero, one, NULL, one), GOOD, MPI_ERR_ARG, "(destinations) is a null");
  WRONG_AT_LAST(CREATE(1, zero, one, zero, NULL), GOOD, MPI_ERR_ARG, "(weights) is a null");
  WRONG_AT_LAST(CREATE(1, zero, one, zero, MPI_WEIGHTS_EMPTY), GOOD, MPI_ERR_ARG,
                "MPI_WEIGHTS_EMPTY");
  if (size > 1)
    WRONG(CREATE(1, zero, one, zero, rank ? one : MPI_UNWEIGHTED), MPI_ERR_ARG,
          "rank 0 gives MPI_UNWEIGHTED");
#undef CREATE
#undef GOOD
#define CREATE(in, sources, in_weights, out, destinations, out_weights)                          \
  MPI_Dist_graph_create_adjacent(WORLD, in, sources, in_weights, out, destinations, out_weights, \
                                 no, 1, &made)
#define GOOD CREATE(0, NULL, MPI_WEIGHTS_EMPTY, 0, NULL, MPI_WEIGHTS_EMPTY)
  WRONG_AT_LAST(CREATE(1, far, one, 0, zero, one), GOOD, MPI_ERR_RANK, "argument 3 (sources)");
  WRONG_AT_LAST(CREATE(0, zero, one, 1, far, one), GOOD, MPI_ERR_RANK, "argument 6 (destinations)");
  WRONG_AT_LAST(CREATE(-1, zero, one, 0, far, one), GOOD, MPI_ERR_ARG, "argument 2 (indegree)");
  WRONG_AT_LAST(CREATE(0, zero, one, -1, far, one), GOOD, MPI_ERR_ARG, "argument 5 (outdegree)");
  WRONG_AT_LAST(CREATE(1, zero, minus, 0, far, one), GOOD, MPI_ERR_ARG, "(sourceweights)");
  WRONG_AT_LAST(CREATE(1, zero, one, 1, zero, NULL), GOOD, MPI_ERR_ARG, "(destweights)");
  WRONG_AT_LAST(CREATE(1, zero, one, 1, zero, MPI_UNWEIGHTED), GOOD, MPI_ERR_ARG,
                "one is MPI_UNWEIGHTED");
  WRONG(CREATE(0, zero, one, 0, zero, MPI_UNWEIGHTED), MPI_ERR_ARG, "one is MPI_UNWEIGHTED");
  WRONG(MPI_Dist_graph_neighbors_count(graph, &n, &n, &n), MPI_ERR_TOPOLOGY, "a graph topology");
  WRONG(MPI_Dist_graph_neighbors_count(distributed, &n, &n, NULL), MPI_ERR_ARG, "(weighted)");
  WRONG(MPI_Dist_graph_neighbors(WORLD, 0, zero, one, 0, zero, one), MPI_ERR_TOPOLOGY, "no topol");
  WRONG(MPI_Dist_graph_neighbors(distributed, -1, zero, one, 0, zero, one), MPI_ERR_ARG,
        "argument 2 (maxindegree)");
  if (rank == 0)
    WRONG(MPI_Dist_graph_neighbors(distributed, 1, zero, NULL, 1, zero, one), MPI_ERR_ARG,
          "(sourceweights)");
}

static void intercommunicators(void) {
  if (size < 2) return;
  MPI_Comm half, inter, made;
  int one[] = {1}, zero[] = {0}, n, kind = -1;
  MPI_Comm_split(WORLD, rank % 2, 0, &half);
  MPI_Intercomm_create(half, 0, WORLD, 1 - rank % 2, 7, &inter);
  MPI_Comm_set_errhandler(inter, MPI_ERRORS_RETURN);
  MPI_Topo_test(inter, &kind);
  CHECK(kind == MPI_UNDEFINED);
  WRONG(MPI_Cart_create(inter, 1, one, one, 0, &made), MPI_ERR_COMM, "intercommunicator");
  WRONG(MPI_Cart_map(inter, 1, one, one, &n), MPI_ERR_COMM, "intercommunicator");
  WRONG(MPI_Graph_create(inter, 1, zero, zero, 0, &made), MPI_ERR_COMM, "intercommunicator");
  WRONG(MPI_Graph_map(inter, 1, zero, zero, &n), MPI_ERR_COMM, "intercommunicator");
  WRONG(MPI_Dist_graph_create(inter, 0, zero, one, zero, one, MPI_INFO_NULL, 0, &made),
        MPI_ERR_COMM, "intercommunicator");
  WRONG(MPI_Dist_graph_create_adjacent(inter, 0, zero, one, 0, zero, one, MPI_INFO_NULL, 0, &made),
        MPI_ERR_COMM, "intercommunicator");
  WRONG(MPI_Cart_sub(inter, one, &made), MPI_ERR_TOPOLOGY, "no topology");
  MPI_Comm_free(&inter);
  MPI_Comm_free(&half);
}

/* A new communicator has the error handler of the one that it was made from. */
static void handlers_are_inherited(void) {
  MPI_Errhandler handler;
  MPI_Comm_get_errhandler(distributed, &handler);
  CHECK(handler == MPI_ERRORS_RETURN);
  MPI_Errhandler_free(&handler);
}

int main(int argc, char** argv) {
  start_wrong(&argc, &argv);
  prepare();
  handlers_are_inherited();
  dimensions();
  grids();
  inquiries_of_grids();
  a_point();
  graphs();
  distributed_graphs();
  intercommunicators();
  MPI_Comm_free(&grid);
  MPI_Comm_free(&graph);
  MPI_Comm_free(&distributed);
  return finish_wrong(80);
}
