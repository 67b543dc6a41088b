// Reduce_scatter in a room: everyone writes its vector and combines its own part of all of them.
#include "collective/algorithm.hpp"
#include "collective/room/combine.hpp"

namespace baton::collective {

Task reduce_scatter_in_room(Run& run, Round round) {
  const Call& call = run.call;
  const Vector whole = whole_of(call);
  const void* contribution = call.contribution();
  const Blocks& in = call.in;
  Visit visit(run, round);
  co_await visit.may_write();
  visit.put(visit.rank(), contribution, whole.count, *whole.type);
  visit.publish_own();
  std::int64_t first = 0;
  for (int r = 0; r < visit.rank(); ++r) first += in.count(r);
  const Vector part = whole.part(in.count(visit.rank()));
  bool good;
  void* unpacked = memory_to_unpack(run, part, &good);
  co_await visit.all_met();
  if (good) combine(visit, 0, visit.ranks(), part, first, in.buffer, unpacked);
  visit.finish_exchange();
}

}  // namespace baton::collective
