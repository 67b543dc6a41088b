#include "tool/known_communicators.hpp"

#include <cstdlib>
#include <new>

#include "message/engine.hpp"

namespace baton::tool {

namespace {

constexpr unsigned bin_count = 256;
KnownCommunicator* bins[bin_count];
std::atomic<KnownCommunicator*> latest{nullptr};
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
  for (std::uint32_t rank = 0; rank < made->size; ++rank)
    made->world_ranks[rank] = static_cast<std::int32_t>(
        message::world_rank(context.process(static_cast<std::int32_t>(rank))));
  return made;
}

}  // namespace

KnownCommunicator* know(MPI_Comm handle) {
  // ORDER known.publish: acquire here, release below.
  KnownCommunicator* found = latest.load(std::memory_order_acquire);
  if (found && found->handle == handle) return found;
  const Communicator* communicator = world::communicators.find(handle);
  if (!communicator || communicator->pending) return nullptr;
  const unsigned bin = static_cast<unsigned>(world::CommunicatorTable::to_int(handle)) % bin_count;
  platform::Guard guard(lock);
  for (found = bins[bin]; found && found->handle != handle; found = found->next) {
  }
  if (!found) {
    found = make(handle, *communicator);
    if (!found) return nullptr;
    found->next = bins[bin];
    bins[bin] = found;
  }
  // ORDER known.publish: release here, acquire above.
  latest.store(found, std::memory_order_release);
  return found;
}

}  // namespace baton::tool
