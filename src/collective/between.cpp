#include "collective/between.hpp"

#include "collective/parts.hpp"

namespace baton::collective::between {

namespace {

Error no_place() {
  return fail(MPI_ERR_BUFFER,
              "MPI_IN_PLACE is for communicators of one group: between groups nobody keeps its own "
              "part");
}

// Everybody sends a block to each rank of the other side and gets one from each.
Error cross(Communicator& comm, const Blocks& out, bool same_block, const Blocks& in, Tag tag) {
  const int others = comm.remote_size();
  Requests receives(others), sends(others);
  if (!receives || !sends) return no_scratch();
  // Each begins with another one, so that not all go to the same.
  const int first = comm.rank() % others;
  for (int i = 0; i < others; ++i) {
    int r = (first + i) % others;
    message::begin_receive(comm.collective, in.place(r), in.count(r), *in.type, r, tag,
                           receives.next());
  }
  for (int i = 0; i < others; ++i) {
    int r = (first + i) % others, block = same_block ? 0 : r;
    message::begin_send(comm.collective, out.place(block), out.count(block), *out.type, r, tag,
                        false, sends.next());
  }
  Error received = receives.wait(), sent = sends.wait();
  return received ? received : sent;
}

}  // namespace

// Both groups by dissemination, as if they were one.
Error barrier(Communicator& comm) {
  Datatype& type = *datatype::datatypes.find(MPI_BYTE);
  const world::Members members = comm.members(barrier_tag);
  const int size = members.count, own = members.position;
  for (int distance = 1; distance < size; distance *= 2) {
    Error error =
        exchange(*members.context, nullptr, 0, type, members.rank_at((own + distance) % size),
                 nullptr, 0, type, members.rank_at((own - distance + size) % size), barrier_tag);
    if (error) return error;
  }
  return MPI_SUCCESS;
}

// The root tells the first of the other group, which passes it on.
Error broadcast(Communicator& comm, void* buffer, std::int64_t count, Datatype& type, int root) {
  if (root == MPI_PROC_NULL) return MPI_SUCCESS;
  if (root == MPI_ROOT)
    return message::send(comm.collective, buffer, count, type, 0, broadcast_tag);
  Error error = MPI_SUCCESS;
  if (comm.rank() == 0)
    error = message::receive(comm.collective, buffer, count, type, root, broadcast_tag, nullptr);
  // The others wait for it even when it was cut short.
  Error passed = broadcast_within(comm.within, buffer, count, type, 0);
  return error ? error : passed;
}

// The first of the contributing group collects and tells the root.
Error reduce(Communicator& comm, const void* send, void* receive, std::int64_t count,
             Datatype& type, Operation& operation, int root) {
  if (root == MPI_PROC_NULL) return MPI_SUCCESS;
  if (root == MPI_ROOT)
    return message::receive(comm.collective, receive, count, type, 0, reduce_tag, nullptr);
  if (send == MPI_IN_PLACE) return no_place();
  if (comm.rank() != 0) return reduce_within(comm.within, send, nullptr, count, type, operation, 0);
  Scratch total(count, type);
  if (!total) return no_scratch();
  Error error = reduce_within(comm.within, send, total.get(), count, type, operation, 0);
  if (error) return error;
  return message::send(comm.collective, total.get(), count, type, root, reduce_tag);
}

// Each group collects its own; the first ones exchange.
Error allreduce(Communicator& comm, const void* send, void* receive, std::int64_t count,
                Datatype& type, Operation& operation) {
  if (send == MPI_IN_PLACE) return no_place();
  const bool first = comm.rank() == 0;
  Scratch total(first ? count : 0, type);
  if (!total) return no_scratch();
  void* collected = first ? total.get() : nullptr;
  Error error = reduce_within(comm.within, send, collected, count, type, operation, 0);
  if (!error && first)
    error = exchange(comm.collective, collected, count, type, 0, receive, count, type, 0,
                     allreduce_tag);
  Error passed = broadcast_within(comm.within, receive, count, type, 0);
  return error ? error : passed;
}

Error gather(Communicator& comm, const Blocks& mine, const Blocks& all, int root) {
  if (root == MPI_PROC_NULL) return MPI_SUCCESS;
  if (root != MPI_ROOT)
    return message::send(comm.collective, mine.buffer, mine.count(0), *mine.type, root, gather_tag);
  const int others = comm.remote_size();
  Requests receives(others);
  if (!receives) return no_scratch();
  for (int r = 0; r < others; ++r)
    message::begin_receive(comm.collective, all.place(r), all.count(r), *all.type, r, gather_tag,
                           receives.next());
  return receives.wait();
}

Error scatter(Communicator& comm, const Blocks& all, const Blocks& mine, int root) {
  if (root == MPI_PROC_NULL) return MPI_SUCCESS;
  if (root != MPI_ROOT)
    return message::receive(comm.collective, mine.buffer, mine.count(0), *mine.type, root,
                            scatter_tag, nullptr);
  const int others = comm.remote_size();
  Requests sends(others);
  if (!sends) return no_scratch();
  for (int r = 0; r < others; ++r)
    message::begin_send(comm.collective, all.place(r), all.count(r), *all.type, r, scatter_tag,
                        false, sends.next());
  return sends.wait();
}

Error allgather(Communicator& comm, const Blocks& mine, const Blocks& all) {
  if (mine.buffer == MPI_IN_PLACE) return no_place();
  return cross(comm, mine, true, all, allgather_tag);
}

Error alltoall(Communicator& comm, const Blocks& out, const Blocks& in) {
  if (out.buffer == MPI_IN_PLACE) return no_place();
  return cross(comm, out, false, in, alltoall_tag);
}

}  // namespace baton::collective::between
