// Scatter, v form included: the root sends to each rank directly, in the order that `order` says.
#include "collective/algorithm/scatter_linear.hpp"
#include "collective/serving.hpp"

namespace baton::collective {

Task scatter_linear(Run& run) {
  const Call& call = run.call;
  return scatter_from_root(run, call.comm->collective, call.out, call.in, call.root);
}

Task scatter_from_root(Run& run, const Context& context, const Blocks& all, const Blocks& mine,
                       int root) {
  if (context.rank != root) {
    tell_root(run, Kind::scatter, context, root);
    run.receive(context, mine.buffer, mine.count(0), *mine.type, root);
  } else {
    Serving serving(run, context, serving_order(run, Kind::scatter), 0, root);
    while (serving.more()) {
      co_await run.until_progress(
          [&] { return serving.may_begin(message::RequestKind::send, -1); });
      const int r = serving.next();
      run.send(context, all.place(r), all.count(r), *all.type, r);
    }
    if (!mine.in_place())
      run.copy(all.place(root), all.count(root), *all.type, mine.buffer, mine.count(0), *mine.type);
  }
  co_await run.all();
}

}  // namespace baton::collective
