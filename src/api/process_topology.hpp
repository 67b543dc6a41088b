// These are the bodies of the procedures about process topologies.
#pragma once

#include "world/communicator.hpp"
#include "world/info.hpp"

namespace baton::api {

Error topo_test(Communicator& comm, int* status);

// Fills the dimensions that are 0 so that the product of all is `nodes`: the new ones are as near
// to each other as can be, in descending order. Error: MPI_ERR_DIMS when the given ones allow none.
Error dims_create(int nodes, int count, int* dims);

Error cart_create(Communicator& comm, int count, const int* dims, const int* periods, int reorder,
                  MPI_Comm* made);
Error cart_map(Communicator& comm, int count, const int* dims, const int* periods, int* rank);
Error cart_sub(Communicator& comm, const int* remain, MPI_Comm* made);
Error cartdim_get(Communicator& comm, int* count);
Error cart_get(Communicator& comm, int space, int* dims, int* periods, int* coordinates);
Error cart_rank(Communicator& comm, const int* coordinates, int* rank);
Error cart_coords(Communicator& comm, int rank, int space, int* coordinates);
Error cart_shift(Communicator& comm, int direction, int displacement, int* source,
                 int* destination);

Error graph_create(Communicator& comm, int nodes, const int* index, const int* edges, int reorder,
                   MPI_Comm* made);
Error graph_map(Communicator& comm, int nodes, const int* index, const int* edges, int* rank);
Error graphdims_get(Communicator& comm, int* nodes, int* edges);
Error graph_get(Communicator& comm, int index_space, int edges_space, int* index, int* edges);
Error graph_neighbors_count(Communicator& comm, int rank, int* count);
Error graph_neighbors(Communicator& comm, int rank, int space, int* neighbors);

// These are in distributed_graph.cpp. An error in one process's arguments is an error on all.
Error dist_graph_create(Communicator& comm, int count, const int* sources, const int* degrees,
                        const int* destinations, const int* weights, const Info* info, int reorder,
                        MPI_Comm* made);
Error dist_graph_create_adjacent(Communicator& comm, int in, const int* sources,
                                 const int* source_weights, int out, const int* destinations,
                                 const int* destination_weights, const Info* info, int reorder,
                                 MPI_Comm* made);
Error dist_graph_neighbors_count(Communicator& comm, int* in, int* out, int* weighted);
Error dist_graph_neighbors(Communicator& comm, int in_room, int* sources, int* source_weights,
                           int out_space, int* destinations, int* destination_weights);

// Finds the topology of this kind. Error: MPI_ERR_TOPOLOGY.
Error find_topology(const Communicator& comm, world::TopologyKind kind, const Topology** found);
// Checks that a communicator can get a topology: it has one group, and is ready.
Error check_parent(const Communicator& comm);

}  // namespace baton::api
