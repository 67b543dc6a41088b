#include "collective/fold.hpp"

namespace baton::collective {

Task fold_in(Run& run, const Context& context, const Fold& fold, Vector vector, void* total,
             void* incoming) {
  if (!fold.paired) co_return;
  if (!fold.speaks) {
    run.send(context, total, vector.count, *vector.type, context.rank + 1);
    co_await run.all();
    run.receive(context, total, vector.count, *vector.type, context.rank + 1);
    co_await run.all();
    co_return;
  }
  run.receive(context, incoming, vector.count, *vector.type, context.rank - 1);
  co_await run.all();
  vector.reduce(run, incoming, total);
}

Task fold_out(Run& run, const Context& context, const Fold& fold, Vector vector,
              const void* total) {
  if (fold.paired) run.send(context, total, vector.count, *vector.type, context.rank - 1);
  co_await run.all();
}

}  // namespace baton::collective
