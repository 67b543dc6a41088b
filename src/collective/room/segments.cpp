#include "collective/room/segments.hpp"

#include "collective/call.hpp"

namespace baton::collective {

Segments segments_of(const Call& call) {
  const int ranks = call.comm->size();
  if (call.kind == Kind::alltoall) {
    // In place, data that is read overwrites data for others, too: that must be written by then, or
    // put aside.
    const bool in_place = call.out.in_place();
    const std::int64_t bytes = (in_place ? call.in : call.out).bytes(0);
    const Segments segments = divide_into_segments(ranks, bytes, 1, in_place);
    return segments.count > 0 ? segments : divide_into_segments(ranks, bytes, 1, false);
  }
  if (call.kind == Kind::allgather || call.kind == Kind::broadcast)
    return same_for_all(ranks, call.in.bytes(0));
  if (call.kind == Kind::allreduce) {
    // A part is divided in two unless it is short: one half is combined while the other is written.
    constexpr std::int64_t short_bytes = 4096;
    const std::int64_t part = (call.in.uniform + ranks - 1) / ranks, size = call.in.type->size;
    return divide_into_segments(ranks, part, size, true,
                                std::max(short_bytes, (part + 1) / 2 * size));
  }
  std::int64_t longest = 0;
  for (int r = 0; r < ranks; ++r) longest = std::max(longest, call.in.count(r));
  return divide_into_segments(ranks, longest, call.in.type->size, false);
}

}  // namespace baton::collective
