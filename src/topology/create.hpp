// These make communicators with a topology. They are collective over `parent`, which has one group;
// each gives null where this process has no place in the new one. Arguments were checked above:
// grids and graphs have no more positions than the parent has ranks. Errors: MPI_ERR_NO_MEM and
// those of agreeing.
#pragma once

#include "topology/grid.hpp"
#include "world/communicator.hpp"

namespace baton::topology {

using Graph = world::Topology::Graph;

Error create_grid(Communicator& parent, const Grid& wanted, bool reorder, Communicator** made);
Error create_graph(Communicator& parent, const Graph& wanted, bool reorder, Communicator** made);
// Makes the part of a grid in which the coordinates of the dropped dimensions are our own.
Error keep_dimensions(Communicator& parent, const int* remain, Communicator** made);

// Returns the rank that this process would get; MPI_UNDEFINED: none. It is local.
int choose_rank(const Communicator& parent, const Grid& wanted);
int choose_rank(const Communicator& parent, const Graph& wanted);

// This is what a process contributes to a distributed graph. `problem` is an explained error of its
// arguments, with which no process gets a communicator. MPI_ERR_ARG where only some have weights.
struct Contribution {
  bool weighted = false;
  bool reorder = false;
  Error problem = MPI_SUCCESS;
};
// Makes a distributed graph of which each process gives the edges of its own rank.
Error create_adjacent(Communicator& parent, const world::Neighbors& in, const world::Neighbors& out,
                      const Contribution& mine, Communicator** made);
// These are edges of any ranks: for each of `sources`, the next `degrees` of `destinations`.
struct Fans {
  int count;
  const int* sources;
  const int* degrees;
  const int* destinations;
  const int* weights;  // null: none
};
Error create_distributed_graph(Communicator& parent, const Fans& fans, const Contribution& mine,
                               Communicator** made);

}  // namespace baton::topology
