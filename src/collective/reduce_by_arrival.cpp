// What the children of a node of a binomial tree send is combined as it comes, not in their order:
// for operations that commute, where the program asked for it (order=status), since the last bits
// of floating-point results then vary from call to call.
#include "collective/algorithms.hpp"

namespace baton::collective {

Task combine_by_arrival(Run& run, const Context& context, Vector vector, void* own, int from_top,
                        int top) {
  struct Child {
    const message::Request* request;
    void* data;
  };
  Child children[32];
  int count = 0;
  for (int mask = 1; mask < context.size && !(from_top & mask); mask <<= 1) {
    if (from_top + mask >= context.size) continue;
    children[count] = {nullptr, run.scratch(vector.count, *vector.type)};
    if (!children[count++].data) co_return;
  }
  for (int child = 0; child < count; ++child) {
    const int rank = (from_top + (1 << child) + top) % context.size;
    children[child].request =
        run.receive(context, children[child].data, vector.count, *vector.type, rank);
    if (!children[child].request) count = child;  // the run has the error
  }
  while (count > 0) {
    int arrived = 0;
    co_await run.until([&] {
      for (arrived = 0; arrived < count; ++arrived)
        if (message::is_complete(*children[arrived].request)) return true;
      return false;
    });
    vector.reduce(children[arrived].data, own);
    children[arrived] = children[--count];
  }
  co_await run.all();
}

}  // namespace baton::collective
