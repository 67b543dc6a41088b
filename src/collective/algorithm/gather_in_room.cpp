// Gather in a room: everyone writes, the root reads.
#include "collective/algorithm.hpp"
#include "collective/room/visit.hpp"

namespace baton::collective {

Task gather_in_room(Run& run, Round round) {
  const Call& call = run.call;
  const Blocks& mine = call.out;
  const Blocks& all = call.in;
  const int root = call.root;
  Visit visit(run, round);
  co_await visit.may_write();
  if (visit.rank() != root) {
    visit.put(visit.rank(), mine.buffer, mine.uniform, *mine.type);
    visit.publish(visit.rank());
    if (!visit.others_missing()) visit.wake(root);
  } else {
    visit.publish(root);
    for (int r = 0; r < visit.ranks(); ++r) {
      if (r == root) continue;
      co_await visit.arrived(r, r + 1);
      visit.take(r, all.place(r), all.uniform, *all.type);
    }
    if (!mine.in_place())
      run.copy(mine.buffer, mine.uniform, *mine.type, all.place(root), all.uniform, *all.type);
  }
  visit.finish();
}

}  // namespace baton::collective
