#include "tool/known_communicators.hpp"

#include <cstdlib>
#include <new>

#include "message/core/engine.hpp"

namespace baton::tool {

namespace {

constexpr unsigned bin_count = 1024;
KnownCommunicator* bins[bin_count];
platform::Lock lock;

KnownCommunicator* make(MPI_Comm handle, const Communicator& communicator) {
  auto* made = new (std::nothrow) KnownCommunicator;
  if (!made) return nullptr;
  const message::Context& context = communicator.point_to_point;
  made->handle = handle;
  made->id = communicator.id;
  made->size = static_cast<std::uint32_t>(context.size);
  if (!context.processes) return made;
  made->world_ranks = static_cast<std::int32_t*>(std::malloc(made->size * sizeof(std::int32_t)));
  if (!made->world_ranks) {
    delete made;
    return nullptr;
  }
  for (std::uint32_t rank = 0; rank < made->size; ++rank) {
    const Process process = context.process(static_cast<std::int32_t>(rank));
    made->world_ranks[rank] = message::is_of_own_job(process)
                                  ? static_cast<std::int32_t>(message::world_rank(process))
                                  : rank_of_another_job;
  }
  return made;
}

KnownCommunicator** link_to(MPI_Comm handle) {
  const auto number = static_cast<unsigned>(world::CommunicatorTable::to_int(handle));
  KnownCommunicator** link = &bins[number % bin_count];
  while (*link && (*link)->handle != handle) link = &(*link)->next;
  return link;
}

void release_locked(KnownCommunicator& communicator) {
  if (--communicator.uses > 0) return;
  std::free(communicator.world_ranks);
  delete &communicator;
}

}  // namespace

KnownCommunicator* know(MPI_Comm handle) {
  const Communicator* communicator = world::communicators.find(handle);
  if (!communicator || communicator->pending) return nullptr;
  platform::Guard guard(lock);
  KnownCommunicator** link = link_to(handle);
  if (!*link) *link = make(handle, *communicator);
  if (*link) ++(*link)->uses;
  return *link;
}

void forget(MPI_Comm handle) {
  platform::Guard guard(lock);
  KnownCommunicator** link = link_to(handle);
  KnownCommunicator* found = *link;
  if (!found) return;
  *link = found->next;
  release_locked(*found);
}

void retain(KnownCommunicator& communicator) {
  platform::Guard guard(lock);
  ++communicator.uses;
}

void release(KnownCommunicator& communicator) {
  platform::Guard guard(lock);
  release_locked(communicator);
}

}  // namespace baton::tool
