// Gather, v form included: each rank sends to the root directly, which receives in the order that
// `order` says. A message that comes in one piece before its receive would be copied twice, so
// receives of such messages are not held back.
#include "base/settings.hpp"
#include "collective/algorithm.hpp"
#include "collective/serving.hpp"

namespace baton::collective {

namespace {

std::int64_t held_back_above(Order order) {
  return order == Order::blocking ? -1 : settings.early_bytes_max;
}

}  // namespace

Task gather_linear(Run& run) {
  const Call& call = run.call;
  const Context& context = call.comm->collective;
  const Blocks& mine = call.out;
  const Blocks& all = call.in;
  const int root = call.root;
  if (context.rank != root) {
    run.send(context, mine.buffer, mine.count(0), *mine.type, root);
  } else {
    const Order order = serving_order(run, Kind::gather);
    Serving serving(run, context, order, 0, root);
    while (serving.more()) {
      co_await run.until_progress(
          [&] { return serving.may_begin(message::RequestKind::receive, held_back_above(order)); });
      const int r = serving.next();
      run.receive(context, all.place(r), all.count(r), *all.type, r);
    }
    if (!mine.in_place())
      run.copy(mine.buffer, mine.count(0), *mine.type, all.place(root), all.count(root), *all.type);
  }
  co_await run.all();
}

}  // namespace baton::collective
