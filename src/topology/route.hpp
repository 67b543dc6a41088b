// Brings edges that any process may know to the processes that they touch. Nobody knows how many
// will come: whoever is told synchronously has been told, and when everybody's sends are over
// nothing is under way (Hoefler, Siebert and Lumsdaine, "Scalable communication protocols for
// dynamic sparse data exchange"). Between two calls on one communicator its processes meet.
#pragma once

#include <cstdint>

#include "topology/pattern.hpp"
#include "world/communicator.hpp"

namespace baton::topology {

// Edges, one more at a time. Plain memory, so that it can grow where it is.
class EdgeList {
 public:
  EdgeList() = default;
  ~EdgeList();
  EdgeList(const EdgeList&) = delete;
  EdgeList& operator=(const EdgeList&) = delete;

  // Room for `count` more, which are part of the list at once; null when memory is short.
  Edge* extend(std::int64_t count);
  // By the ranks at both ends, then by weight.
  void sort();
  const Edge* data() const { return edges_; }
  std::int64_t count() const { return count_; }

 private:
  Edge* edges_ = nullptr;
  std::int64_t count_ = 0;
  std::int64_t room_ = 0;
};

// `process_of[rank]` is the process of the communicator that an end's rank belongs to. Collective;
// MPI_ERR_NO_MEM everywhere when one has no memory.
Error route_edges(Communicator& comm, const Edge* edges, std::int64_t count,
                  const std::int32_t* process_of, EdgeList& received);

}  // namespace baton::topology
