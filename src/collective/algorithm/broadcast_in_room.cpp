// Broadcast in a room: the root writes, the others read, and nobody waits for a slow one until the
// banks are used up.
#include "collective/algorithm.hpp"
#include "collective/room/visit.hpp"

namespace baton::collective {

Task broadcast_in_room(Run& run, Round round) {
  const Call& call = run.call;
  const Blocks& data = call.in;
  const int root = call.root;
  Visit visit(run, round);
  if (visit.rank() == root) {
    co_await visit.may_write();
    visit.put(root, data.buffer, data.uniform, *data.type);
    visit.publish(root, data.uniform, *data.type);
    visit.wake_all();
  } else {
    co_await visit.arrived(root, root + 1);
    if (visit.has_length(root, data.uniform, *data.type))
      visit.take(root, data.buffer, data.uniform, *data.type);
  }
  visit.finish();
}

}  // namespace baton::collective
