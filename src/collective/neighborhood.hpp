// These are the neighbors of a rank in neighborhood collectives: the communicator's topology, read
// as two lists.
// Invariant: the k-th edge from one rank to another is the same for both: receives are begun in the
// order in which their senders begin.
#pragma once

#include "world/communicator.hpp"

namespace baton::collective {

class Neighborhood {
 public:
  // The communicator must have a topology.
  explicit Neighborhood(const Communicator& comm) : topology_(*comm.topology), rank_(comm.rank()) {}

  int in_count() const;
  int out_count() const;
  // These return the rank of a neighbor; MPI_PROC_NULL beyond the edge of a grid.
  int in(int place) const;
  int out(int place) const;
  // Returns which of our receives is begun as the i-th. In a grid both neighbors of a dimension may
  // be the same rank; the data that it sends backwards then belongs to our front neighbor's
  // receive.
  int receive_order(int i) const;

 private:
  int grid_neighbor(int place) const;

  const Topology& topology_;
  int rank_;
};

}  // namespace baton::collective
