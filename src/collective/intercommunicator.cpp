// Rooted collectives go straight to the ranks or through the first rank of the other group; within
// a group the usual algorithms serve.
#include "collective/intercommunicator.hpp"

#include "base/check.hpp"
#include "collective/algorithm/barrier_dissemination.hpp"
#include "collective/algorithm/broadcast_binomial.hpp"
#include "collective/algorithm/reduce_binomial.hpp"
#include "collective/algorithm/scatter_linear.hpp"
#include "collective/serving.hpp"

namespace baton::collective {

namespace {

// The root sends to the first rank of the other group, which passes the data on.
Task broadcast_across(Run& run, Communicator& comm, const Blocks& data, int root) {
  if (root == MPI_PROC_NULL) co_return;
  if (root == MPI_ROOT) {
    run.send(comm.collective, data.buffer, data.uniform, *data.type, 0);
    co_await run.all();
    co_return;
  }
  if (comm.rank() == 0) run.receive(comm.collective, data.buffer, data.uniform, *data.type, root);
  co_await run.all();
  // The other ranks wait for the data even when it was cut short.
  co_await broadcast_on_tree(run, comm.within, data.buffer, data.uniform, *data.type, 0);
}

Task gather_across(Run& run, Communicator& comm, const Blocks& mine, const Blocks& all, int root) {
  if (root == MPI_ROOT)
    for (int r = 0; r < comm.remote_size(); ++r)
      run.receive(comm.collective, all.place(r), all.count(r), *all.type, r);
  else if (root != MPI_PROC_NULL)
    run.send(comm.collective, mine.buffer, mine.count(0), *mine.type, root);
  co_await run.all();
}

Task scatter_across(Run& run, Communicator& comm, const Blocks& all, const Blocks& mine, int root) {
  if (root == MPI_ROOT) {
    Serving serving(run, comm.collective, serving_order(run, Kind::scatter), 0, -1);
    while (serving.more()) {
      co_await run.until_progress(
          [&] { return serving.may_begin(message::RequestKind::send, -1); });
      const int r = serving.next();
      run.send(comm.collective, all.place(r), all.count(r), *all.type, r);
    }
  } else if (root != MPI_PROC_NULL) {
    tell_root(run, Kind::scatter, comm.collective, root);
    run.receive(comm.collective, mine.buffer, mine.count(0), *mine.type, root);
  }
  co_await run.all();
}

// Each rank sends a block to each rank of the other side (in an allgather always the same block)
// and gets one from each. Each rank begins with another partner, so that not all send to the same
// one.
Task exchange_across(Run& run, Communicator& comm, const Blocks& out, const Blocks& in) {
  const int others = comm.remote_size();
  const bool same = run.call.kind == Kind::allgather;
  for (int i = 0; i < others; ++i) {
    int r = (comm.rank() + i) % others;
    run.receive(comm.collective, in.place(r), in.count(r), in.type_of(r), r);
  }
  for (int i = 0; i < others; ++i) {
    int r = (comm.rank() + i) % others, block = same ? 0 : r;
    run.send(comm.collective, out.place(block), out.count(block), out.type_of(block), r);
  }
  co_await run.all();
}

// The first rank of the contributing group reduces and sends the root the result.
Task reduce_across(Run& run, Communicator& comm, Vector vector, const void* contribution,
                   void* result, int root) {
  if (root == MPI_PROC_NULL) co_return;
  if (root == MPI_ROOT) {
    run.receive(comm.collective, result, vector.count, *vector.type, 0);
    co_await run.all();
    co_return;
  }
  const bool first = comm.rank() == 0;
  void* total = first ? run.scratch(vector.count, *vector.type) : nullptr;
  if (first && !total) co_return;
  co_await reduce_on_tree(run, comm.within, vector, contribution, total, 0);
  if (first) run.send(comm.collective, total, vector.count, *vector.type, root);
  co_await run.all();
}

// Each group reduces its own vectors; the first ranks exchange the results.
Task allreduce_across(Run& run, Communicator& comm, Vector vector, const void* contribution,
                      void* result) {
  const bool first = comm.rank() == 0;
  void* total = first ? run.scratch(vector.count, *vector.type) : nullptr;
  if (first && !total) co_return;
  co_await reduce_on_tree(run, comm.within, vector, contribution, total, 0);
  if (first) {
    run.receive(comm.collective, result, vector.count, *vector.type, 0);
    run.send(comm.collective, total, vector.count, *vector.type, 0);
    co_await run.all();
  }
  co_await broadcast_on_tree(run, comm.within, result, vector.count, *vector.type, 0);
}

// Reduces as allreduce_across does, but each rank gets its part of the other group's result.
Task reduce_scatter_across(Run& run, Communicator& comm, Vector whole, const void* contribution,
                           const Blocks& in) {
  const int size = comm.size(), rank = comm.rank();
  const bool first = rank == 0;
  void* total = first ? run.scratch(whole.count, *whole.type) : nullptr;
  Blocks all = in, mine = in;
  mine.uniform = in.count(rank);
  mine.counts = nullptr;
  if (first) {
    all.buffer = run.scratch(whole.count, *whole.type);
    const std::int64_t* begins = first_elements(run, in, size);
    if (!total || !all.buffer || !begins) co_return;
    all.displacements = begins;
    all.wide_displacements = true;
  }
  co_await reduce_on_tree(run, comm.within, whole, contribution, total, 0);
  if (first) {
    run.receive(comm.collective, all.buffer, whole.count, *whole.type, 0);
    run.send(comm.collective, total, whole.count, *whole.type, 0);
    co_await run.all();
  }
  co_await scatter_from_root(run, comm.within, all, mine, 0);
}

}  // namespace

Task begin_on_intercommunicator(Run& run) {
  const Call& call = run.call;
  Communicator& comm = *call.comm;
  switch (call.kind) {
    case Kind::barrier:
      return barrier_dissemination(run);
    case Kind::broadcast:
      return broadcast_across(run, comm, call.in, call.root);
    case Kind::gather:
      return gather_across(run, comm, call.out, call.in, call.root);
    case Kind::scatter:
      return scatter_across(run, comm, call.out, call.in, call.root);
    case Kind::allgather:
    case Kind::alltoall:
      return exchange_across(run, comm, call.out, call.in);
    case Kind::reduce:
      return reduce_across(run, comm, vector_of(call), call.contribution(), call.in.buffer,
                           call.root);
    case Kind::allreduce:
      return allreduce_across(run, comm, vector_of(call), call.contribution(), call.in.buffer);
    case Kind::reduce_scatter:
      return reduce_scatter_across(run, comm, whole_of(call), call.contribution(), call.in);
    default:
      break;
  }
  invariant_broken("no such collective between groups", __FILE__, __LINE__);
}

}  // namespace baton::collective
