// Allreduce of longer vectors in a room: everyone writes its vector, combines one part of all, and
// reads the parts that the others have combined.
#include "collective/algorithm.hpp"
#include "collective/room/combine.hpp"

namespace baton::collective {

Task allreduce_by_parts_in_room(Run& run, Round contributing, Round combining) {
  const Call& call = run.call;
  const Vector vector = vector_of(call);
  const void* contribution = call.contribution();
  void* result = call.in.buffer;
  Visit given(run, contributing), combined(run, combining);
  const int rank = given.rank(), ranks = given.ranks();
  auto begin = [&](int part) { return vector.count * part / ranks; };
  co_await given.may_write();
  given.put(rank, contribution, vector.count, *vector.type);
  given.publish_own();
  const Vector own = vector.part(begin(rank + 1) - begin(rank));
  void* mine = vector.at(result, begin(rank));
  bool good;
  void* unpacked = memory_to_unpack(run, own, &good);
  co_await given.all_met();
  if (good && own.count > 0) combine(given, 0, ranks, own, begin(rank), mine, unpacked);
  given.finish_exchange();
  co_await combined.may_write();
  combined.put(rank, mine, own.count, *own.type);
  combined.publish_own();
  co_await combined.all_met();
  for (int r = 0; r < ranks; ++r)
    if (r != rank)
      combined.take(r, vector.at(result, begin(r)), begin(r + 1) - begin(r), *vector.type);
  combined.finish_exchange();
}

}  // namespace baton::collective
