// Alltoall in a room: everyone writes a block for each rank, one after the other, and reads its own
// from everyone's slot. In place all is written before anything is read.
#include "collective/algorithm.hpp"
#include "collective/room/visit.hpp"

namespace baton::collective {

Task alltoall_in_room(Run& run, Round round) {
  const Call& call = run.call;
  const Blocks& out = call.out;
  const Blocks& in = call.in;
  Visit visit(run, round);
  const int rank = visit.rank(), ranks = visit.ranks();
  const Blocks& given = out.in_place() ? in : out;
  const std::int64_t bytes = given.bytes(0);
  auto offset = [&](int writer, int reader) { return (writer + reader) % ranks * bytes; };
  co_await visit.may_write();
  for (int r = 0; r < ranks; ++r)
    if (r != rank) visit.put(rank, given.place(r), given.uniform, *given.type, offset(rank, r));
  visit.publish_own();
  if (!out.in_place())
    run.copy(out.place(rank), out.uniform, *out.type, in.place(rank), in.uniform, *in.type);
  co_await visit.all_met();
  for (int r = 0; r < ranks; ++r)
    if (r != rank) visit.take(r, in.place(r), in.uniform, *in.type, offset(r, rank));
  visit.finish_exchange();
}

}  // namespace baton::collective
