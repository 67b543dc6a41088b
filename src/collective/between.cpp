// The collectives of intercommunicators: what one group gives, the other gets. Rooted ones go
// straight or by the first rank of the other group; within a group the usual algorithms serve.
#include "collective/algorithms.hpp"
#include "collective/serving.hpp"

namespace baton::collective {

// The root tells the first of the other group, which passes it on.
Task broadcast_between(Run& run, Communicator& comm, const Blocks& data, int root) {
  if (root == MPI_PROC_NULL) co_return;
  if (root == MPI_ROOT) {
    run.send(comm.collective, data.buffer, data.uniform, *data.type, 0);
    co_await run.all();
    co_return;
  }
  if (comm.rank() == 0) run.receive(comm.collective, data.buffer, data.uniform, *data.type, root);
  co_await run.all();
  // The others wait for it even when it was cut short.
  co_await broadcast_binomial(run, comm.within, data.buffer, data.uniform, *data.type, 0);
}

Task gather_between(Run& run, Communicator& comm, const Blocks& mine, const Blocks& all, int root) {
  if (root == MPI_ROOT)
    for (int r = 0; r < comm.remote_size(); ++r)
      run.receive(comm.collective, all.place(r), all.count(r), *all.type, r);
  else if (root != MPI_PROC_NULL)
    run.send(comm.collective, mine.buffer, mine.count(0), *mine.type, root);
  co_await run.all();
}

Task scatter_between(Run& run, Communicator& comm, const Blocks& all, const Blocks& mine,
                     int root) {
  if (root == MPI_ROOT) {
    Serving serving(run, comm.collective, serving_order(run, Kind::scatter), 0, -1);
    while (serving.more()) {
      co_await run.until([&] { return serving.may_begin(message::RequestKind::send, -1); });
      const int r = serving.next();
      run.send(comm.collective, all.place(r), all.count(r), *all.type, r);
    }
  } else if (root != MPI_PROC_NULL) {
    run.receive(comm.collective, mine.buffer, mine.count(0), *mine.type, root);
  }
  co_await run.all();
}

// Everybody sends a block to each rank of the other side (an allgather: its only one) and gets one
// from each, beginning with another one, so that not all go to the same.
Task exchange_between(Run& run, Communicator& comm, const Blocks& out, const Blocks& in) {
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

// The first of the contributing group collects and tells the root.
Task reduce_between(Run& run, Communicator& comm, Vector vector, const void* contribution,
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
  co_await reduce_binomial(run, comm.within, vector, contribution, total, 0);
  if (first) run.send(comm.collective, total, vector.count, *vector.type, root);
  co_await run.all();
}

// Each group collects its own; the first ones exchange.
Task allreduce_between(Run& run, Communicator& comm, Vector vector, const void* contribution,
                       void* result) {
  const bool first = comm.rank() == 0;
  void* total = first ? run.scratch(vector.count, *vector.type) : nullptr;
  if (first && !total) co_return;
  co_await reduce_binomial(run, comm.within, vector, contribution, total, 0);
  if (first) {
    run.receive(comm.collective, result, vector.count, *vector.type, 0);
    run.send(comm.collective, total, vector.count, *vector.type, 0);
    co_await run.all();
  }
  co_await broadcast_binomial(run, comm.within, result, vector.count, *vector.type, 0);
}

// The same, but each rank gets its part of what the other group has.
Task reduce_scatter_between(Run& run, Communicator& comm, Vector whole, const void* contribution,
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
  co_await reduce_binomial(run, comm.within, whole, contribution, total, 0);
  if (first) {
    run.receive(comm.collective, all.buffer, whole.count, *whole.type, 0);
    run.send(comm.collective, total, whole.count, *whole.type, 0);
    co_await run.all();
  }
  co_await scatter_linear(run, comm.within, all, mine, 0);
}

}  // namespace baton::collective
