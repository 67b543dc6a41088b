/* For a machine on which neighboring ranks were dealt to different NUMA nodes: with reordering a
 * line of all ranks leaves a node once, however it is asked for. */
#include "conformance.h"

static void a_line_leaves_each_node_once(void) {
  MPI_Info info;
  MPI_Comm node, line;
  int its = rank, nodes, first, dims[] = {size}, periods[] = {0}, away[2] = {0, 0};
  int *index = malloc(sizeof(int) * (size_t)size), *edges = malloc(sizeof(int) * (size_t)size);
  MPI_Info_create(&info);
  MPI_Info_set(info, "mpi_hw_resource_type", "hwloc://NUMANode");
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_HW_GUIDED, 0, info, &node);
  MPI_Info_free(&info);
  MPI_Bcast(&its, 1, MPI_INT, 0, node);
  first = its == rank;
  MPI_Allreduce(&first, &nodes, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Comm_free(&node);
  for (int i = 0; i < size; ++i) {
    index[i] = i + 1 < size ? i + 1 : i;
    edges[i] = i + 1;
  }
  for (int way = 0; way < 4; ++way) {
    int before = rank - 1, after = rank + 1, heard = its, has_one = rank > 0, one = 1;
    int has_next = after < size;
    if (way == 0) MPI_Cart_create(MPI_COMM_WORLD, 1, dims, periods, 1, &line);
    if (way == 1) MPI_Graph_create(MPI_COMM_WORLD, size, index, edges, 1, &line);
    if (way == 2)
      MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, has_one, &before, MPI_UNWEIGHTED, has_next,
                                     &after, MPI_UNWEIGHTED, MPI_INFO_NULL, 1, &line);
    if (way == 3)
      MPI_Dist_graph_create(MPI_COMM_WORLD, has_one, &rank, &one, &before, &size, MPI_INFO_NULL, 1,
                            &line);
    int now;
    MPI_Comm_rank(line, &now);
    MPI_Sendrecv(&its, 1, MPI_INT, now + 1 < size ? now + 1 : MPI_PROC_NULL, 0, &heard, 1, MPI_INT,
                 now ? now - 1 : MPI_PROC_NULL, 0, line, MPI_STATUS_IGNORE);
    away[0] = heard != its;
    MPI_Allreduce(away, &away[1], 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    CHECK(nodes > 1 && away[1] == nodes - 1);
    MPI_Comm_free(&line);
  }
  free(index);
  free(edges);
}

int main(int argc, char** argv) {
  start(&argc, &argv);
  a_line_leaves_each_node_once();
  return finish();
}
