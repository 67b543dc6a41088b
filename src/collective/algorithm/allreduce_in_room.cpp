// Allreduce in a room: everyone writes its vector and combines all of them.
#include "collective/algorithm.hpp"
#include "collective/room/combine.hpp"

namespace baton::collective {

Task allreduce_in_room(Run& run, Round round) {
  const Call& call = run.call;
  const Vector vector = vector_of(call);
  const void* contribution = call.contribution();
  void* result = call.in.buffer;
  Visit visit(run, round);
  co_await visit.may_write();
  visit.put(visit.rank(), contribution, vector.count, *vector.type);
  visit.publish_own();
  bool good;
  void* unpacked = memory_to_unpack(run, vector, &good);
  co_await visit.all_met();
  if (good) combine(visit, 0, visit.ranks(), vector, 0, result, unpacked);
  visit.finish_exchange();
}

}  // namespace baton::collective
