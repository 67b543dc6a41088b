#include "api/timed.hpp"

#include <cstdlib>
#include <cstring>

#include "window/window.hpp"

namespace baton::api::timed {

std::uint64_t ranks_of(MPI_Comm comm) {
  const Communicator* communicator = world::communicators.find(comm);
  return communicator ? static_cast<std::uint64_t>(communicator->remote_size()) : 0;
}

std::uint64_t members_of(MPI_Comm comm) {
  const Communicator* communicator = world::communicators.find(comm);
  return communicator ? static_cast<std::uint64_t>(communicator->size()) : 0;
}

std::uint64_t targets_of(MPI_Comm comm) {
  const Communicator* communicator = world::communicators.find(comm);
  if (!communicator || !communicator->topology) return 0;
  const Topology& topology = *communicator->topology;
  const int rank = communicator->rank();
  switch (topology.kind) {
    case world::TopologyKind::cartesian:
      return 2 * static_cast<std::uint64_t>(topology.grid.dimensions);
    case world::TopologyKind::graph:
      return static_cast<std::uint64_t>(topology.graph.index[rank] - topology.graph.first(rank));
    default:
      return static_cast<std::uint64_t>(topology.local.out.count);
  }
}

MPI_Comm communicator_of(MPI_Win win) {
  const Window* window = window::windows.find(win);
  return window ? window->comm->handle : MPI_COMM_NULL;
}

// Without memory the call is timed, but the requests that it completes are not seen.
Completions::Completions(CallTimer& timer, int count, const MPI_Request* requests) : timer_(timer) {
  if (count <= 0 || !requests) return;
  const auto bytes = static_cast<std::size_t>(count) * sizeof(MPI_Request);
  if (count > few) requests_ = static_cast<MPI_Request*>(std::malloc(bytes));
  if (!requests_) return;
  count_ = count;
  std::memcpy(requests_, requests, bytes);
  if (count == 1) timer.waits_for(requests_[0]);
}

Completions::~Completions() {
  if (requests_ != here_) std::free(requests_);
  std::free(statuses_);
}

MPI_Status* Completions::statuses(MPI_Status* wanted) {
  if (wanted != MPI_STATUSES_IGNORE || count_ == 0) return wanted;
  statuses_ =
      static_cast<MPI_Status*>(std::malloc(static_cast<std::size_t>(count_) * sizeof(MPI_Status)));
  if (!statuses_) count_ = 0;
  return statuses_;
}

void Completions::one(int index, const MPI_Status& status) const {
  if (index < count_) timer_.completed(requests_[index], status);
}

namespace {

// Returns whether the message has come. One that is too long for its receive has come all the same.
bool has_come(const MPI_Status& status, bool failed) {
  return !failed || status.MPI_ERROR == MPI_SUCCESS || status.MPI_ERROR == MPI_ERR_TRUNCATE;
}

}  // namespace

void Completions::all(const MPI_Status* statuses, bool failed) const {
  for (int i = 0; i < count_; ++i)
    if (has_come(statuses[i], failed)) one(i, statuses[i]);
}

void Completions::some(int count, const int* indices, const MPI_Status* statuses,
                       bool failed) const {
  for (int i = 0; count != MPI_UNDEFINED && i < count; ++i)
    if (count_ > 0 && has_come(statuses[i], failed)) one(indices[i], statuses[i]);
}

}  // namespace baton::api::timed
