// Allgather in a room: everyone writes its block and reads all.
#include "collective/algorithm.hpp"
#include "collective/room/visit.hpp"

namespace baton::collective {

Task allgather_in_room(Run& run, Round round) {
  const Call& call = run.call;
  const Blocks& mine = call.out;
  const Blocks& all = call.in;
  Visit visit(run, round);
  const int rank = visit.rank();
  co_await visit.may_write();
  if (mine.in_place())
    visit.put(rank, all.place(rank), all.uniform, *all.type);
  else
    visit.put(rank, mine.buffer, mine.uniform, *mine.type);
  visit.publish_own();
  if (!mine.in_place())
    run.copy(mine.buffer, mine.uniform, *mine.type, all.place(rank), all.uniform, *all.type);
  co_await visit.all_met();
  for (int r = 0; r < visit.ranks(); ++r)
    if (r != rank) visit.take(r, all.place(r), all.uniform, *all.type);
  visit.finish_exchange();
}

}  // namespace baton::collective
