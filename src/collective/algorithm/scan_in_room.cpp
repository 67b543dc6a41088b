// Scan and exscan in a room: everyone writes its vector and combines those of the ranks before it.
#include "collective/algorithm.hpp"
#include "collective/room/combine.hpp"

namespace baton::collective {

Task scan_in_room(Run& run, Round round) {
  const Call& call = run.call;
  const Vector vector = vector_of(call);
  const void* contribution = call.contribution();
  void* result = call.in.buffer;
  const bool inclusive = call.kind == Kind::scan;
  Visit visit(run, round);
  const int end = visit.rank() + (inclusive ? 1 : 0);
  co_await visit.may_write();
  visit.put(visit.rank(), contribution, vector.count, *vector.type);
  visit.publish(visit.rank());
  visit.wake_all();
  bool good;
  void* unpacked = memory_to_unpack(run, vector, &good);
  co_await visit.arrived(0, end);
  if (good && end > 0) combine(visit, 0, end, vector, 0, result, unpacked);
  visit.finish();
}

Task exscan_in_room(Run& run, Round round) {
  return scan_in_room(run, round);
}

}  // namespace baton::collective
