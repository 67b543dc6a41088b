// This brings edges that any process may know to the processes that they touch. No process knows
// how many will come. Sends are synchronous, so when the sends of all processes are over, no
// message is under way (Hoefler, Siebert and Lumsdaine, "Scalable communication protocols for
// dynamic sparse data exchange"). Between two calls on one communicator its processes synchronize.
#pragma once

#include <cstdint>

#include "topology/pattern.hpp"
#include "world/communicator.hpp"

namespace baton::topology {

// This is a list of edges that grows. It is plain memory, so that it can grow in place.
class EdgeList {
 public:
  EdgeList() = default;
  ~EdgeList();
  EdgeList(const EdgeList&) = delete;
  EdgeList& operator=(const EdgeList&) = delete;

  // Makes space for `count` more, which are part of the list at once; null when memory is short.
  Edge* extend(std::int64_t count);
  // Sorts by the ranks at both ends, then by weight.
  void sort();
  const Edge* data() const { return edges_; }
  std::int64_t count() const { return count_; }

 private:
  Edge* edges_ = nullptr;
  std::int64_t count_ = 0;
  std::int64_t space_ = 0;
};

// `process_of[rank]` is the process of the communicator that an end's rank belongs to. It is
// collective; MPI_ERR_NO_MEM everywhere when one process has no memory.
Error route_edges(Communicator& comm, const Edge* edges, std::int64_t count,
                  const std::int32_t* process_of, EdgeList& received);

}  // namespace baton::topology
