// Alltoall, v and w forms included: a few exchanges with other ranks at a time, each rank beginning
// with its neighbor, so that not all send to the same one. With order=status all receives are begun
// first: only then may ranks have orders that do not fit each other.
#include "collective/algorithm.hpp"
#include "collective/serving.hpp"

namespace baton::collective {

namespace {

Task send_by_status(Run& run, const Context& context, const Blocks& out, const Blocks& in) {
  const int size = context.size, rank = context.rank;
  for (int step = 1; step < size; ++step) {
    const int from = (rank - step + size) % size;
    run.receive(context, in.place(from), in.count(from), in.type_of(from), from);
  }
  Serving serving(run, context, Order::status, (rank + 1) % size, rank);
  while (serving.more()) {
    co_await run.until_progress([&] { return serving.may_begin(message::RequestKind::send, -1); });
    const int to = serving.next();
    run.send(context, out.place(to), out.count(to), out.type_of(to), to);
  }
  co_await run.all();
}

}  // namespace

Task alltoall_pairwise(Run& run) {
  const Call& call = run.call;
  const Context& context = call.comm->collective;
  const Blocks& out = call.out;
  const Blocks& in = call.in;
  constexpr int at_once = 8;  // guess
  const int size = context.size, rank = context.rank;
  run.copy(out.place(rank), out.count(rank), out.type_of(rank), in.place(rank), in.count(rank),
           in.type_of(rank));
  if (serving_order(run, Kind::alltoall) == Order::status) {
    co_await send_by_status(run, context, out, in);
    co_return;
  }
  for (int step = 1; step < size; ++step) {
    int to = (rank + step) % size, from = (rank - step + size) % size;
    run.receive(context, in.place(from), in.count(from), in.type_of(from), from);
    run.send(context, out.place(to), out.count(to), out.type_of(to), to);
    if (step % at_once == 0) co_await run.all();
  }
  co_await run.all();
}

}  // namespace baton::collective
