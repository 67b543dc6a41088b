// Reduce: by a binomial tree where the operation commutes, else in rank order at the root.
#include "collective/between.hpp"
#include "collective/parts.hpp"
#include "collective/select.hpp"

namespace baton::collective {

namespace {

// Everyone's partial result climbs the tree; `total` starts as our contribution.
Error reduce_binomial(const message::Context& context, void* total, std::int64_t count,
                      Datatype& type, Operation& operation, int root) {
  const int size = context.size;
  const int from_root = (context.rank - root + size) % size;
  Scratch incoming(count, type);
  if (!incoming) return no_scratch();
  for (int mask = 1; mask < size; mask <<= 1) {
    if (from_root & mask) {
      int parent = (from_root - mask + root) % size;
      return message::send(context, total, count, type, parent, reduce_tag);
    }
    if (from_root + mask >= size) continue;
    int child = (from_root + mask + root) % size;
    Error error =
        message::receive(context, incoming.get(), count, type, child, reduce_tag, nullptr);
    if (error) return error;
    datatype::reduce(operation, incoming.get(), total, count, type);
  }
  return MPI_SUCCESS;
}

// The root receives from the last rank down and puts each before what it has.
Error reduce_in_order(const message::Context& context, const void* mine, void* total,
                      std::int64_t count, Datatype& type, Operation& operation, int root) {
  if (context.rank != root) return message::send(context, mine, count, type, root, reduce_tag);
  const int last = context.size - 1;
  Scratch incoming(count, type), own(count, type);
  if (!incoming || !own) return no_scratch();
  // `total` may be our own contribution (in place): keep that first.
  if (Error error = copy_local(mine, count, type, own.get(), count, type)) return error;
  for (int rank = last; rank >= 0; --rank) {
    void* next = rank == root ? own.get() : rank == last ? total : incoming.get();
    if (rank != root) {
      Error error = message::receive(context, next, count, type, rank, reduce_tag, nullptr);
      if (error) return error;
    } else if (rank == last) {
      if (Error error = copy_local(next, count, type, total, count, type)) return error;
    }
    if (rank != last) datatype::reduce(operation, next, total, count, type);
  }
  return MPI_SUCCESS;
}

}  // namespace

Error reduce_within(const message::Context& context, const void* send, void* receive,
                    std::int64_t count, Datatype& type, Operation& operation, int root) {
  const bool am_root = context.rank == root;
  const void* mine = send == MPI_IN_PLACE ? receive : send;
  if (select_reduce(operation) == Reduction::in_order)
    return reduce_in_order(context, mine, receive, count, type, operation, root);
  if (am_root) {
    if (send != MPI_IN_PLACE)
      if (Error error = copy_local(send, count, type, receive, count, type)) return error;
    return reduce_binomial(context, receive, count, type, operation, root);
  }
  Scratch total(count, type);
  if (!total) return no_scratch();
  if (Error error = copy_local(mine, count, type, total.get(), count, type)) return error;
  return reduce_binomial(context, total.get(), count, type, operation, root);
}

Error reduce(Communicator& comm, const void* send, void* receive, std::int64_t count,
             Datatype& type, Operation& operation, int root) {
  if (BATON_UNLIKELY(comm.is_inter()))
    return between::reduce(comm, send, receive, count, type, operation, root);
  return reduce_within(comm.collective, send, receive, count, type, operation, root);
}

}  // namespace baton::collective
