#include "collective/room.hpp"

#include "message/wait.hpp"
#include "platform/copy.hpp"

namespace baton::collective {

namespace {

using message::engine;

// Polls of the room before everything else is looked at, too.
constexpr int direct_polls = 256;  // guess

// After our arrival: whoever sleeps may be waiting for us. When we can see that others are missing
// still, the last one will do it; with fences on all sides somebody surely sees all.
void wake_members(Communicator& comm) {
  auto& room = comm.room;
  if (engine.senders_fence) {
    lockfree::Hardware::full_fence();
    if (room.first_missing(0) != room.ranks()) return;
  }
  for (int r = 0; r < comm.size(); ++r) {
    std::uint32_t job_rank = comm.collective.job_rank(r);
    if (job_rank == engine.rank) continue;
    if (lockfree::wants_attention(transport::arena.doorbell(job_rank)))
      message::wake_slow(job_rank);
  }
}

void wait_for_all(Communicator& comm) {
  auto& room = comm.room;
  std::uint32_t missing = 0;
  auto complete = [&] {
    missing = room.first_missing(missing);
    return missing == room.ranks();
  };
  int polls = engine.senders_fence ? 1 : direct_polls;
  for (; polls > 0; --polls) {
    if (complete()) return;
    platform::pause_cpu();
  }
  message::wait_until(complete);
}

void meet(Communicator& comm, const void* payload, std::size_t bytes) {
  comm.room.arrive(static_cast<std::uint32_t>(comm.rank()), payload, bytes);
  wake_members(comm);
  wait_for_all(comm);
  message::count(engine.counters.room_collectives);
}

}  // namespace

void barrier_in_room(Communicator& comm) {
  meet(comm, nullptr, 0);
}

void broadcast_in_room(Communicator& comm, void* buffer, std::int64_t bytes, int root) {
  auto length = static_cast<std::size_t>(bytes);
  bool am_root = comm.rank() == root;
  meet(comm, buffer, am_root ? length : 0);
  if (!am_root) comm.room.load(static_cast<std::uint32_t>(root), buffer, length);
}

void allreduce_in_room(Communicator& comm, const void* send, void* receive, std::int64_t count,
                       Datatype& type, Operation& operation) {
  auto bytes = static_cast<std::size_t>(count * type.size);
  meet(comm, send == MPI_IN_PLACE ? receive : send, bytes);
  // inout = in op inout folds from the last rank down, in rank order.
  std::uint32_t rank = comm.room.ranks() - 1;
  comm.room.load(rank, receive, bytes);
  while (rank-- > 0) datatype::reduce(operation, comm.room.view(rank, bytes), receive, count, type);
}

}  // namespace baton::collective
