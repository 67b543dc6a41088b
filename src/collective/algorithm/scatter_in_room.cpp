// Scatter in a room: the root writes to everyone's slot.
#include "collective/algorithm.hpp"
#include "collective/room/visit.hpp"

namespace baton::collective {

Task scatter_in_room(Run& run, Round round) {
  const Call& call = run.call;
  const Blocks& all = call.out;
  const Blocks& mine = call.in;
  const int root = call.root;
  Visit visit(run, round);
  if (visit.rank() == root) {
    co_await visit.may_write();
    for (int r = 0; r < visit.ranks(); ++r) {
      if (r == root) continue;
      visit.put(r, all.place(r), all.uniform, *all.type);
      visit.publish(r);
    }
    visit.wake_all();
    if (!mine.in_place())
      run.copy(all.place(root), all.uniform, *all.type, mine.buffer, mine.uniform, *mine.type);
  } else {
    co_await visit.arrived(visit.rank(), visit.rank() + 1);
    visit.take(visit.rank(), mine.buffer, mine.uniform, *mine.type);
  }
  visit.finish();
}

}  // namespace baton::collective
