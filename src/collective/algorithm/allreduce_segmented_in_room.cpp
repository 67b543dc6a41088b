// Allreduce of longer vectors in a room: each rank combines a part. In each segment all write some
// of the others' parts, and in the round behind it the result for some of their own part.
#include "collective/algorithm.hpp"
#include "collective/room/combine.hpp"
#include "collective/room/segments.hpp"

namespace baton::collective {

Task allreduce_segmented_in_room(Run& run, Rounds row) {
  const Call& call = run.call;
  const Vector vector = vector_of(call);
  const void* contribution = call.contribution();
  void* result = call.in.buffer;
  const Segments segments = segments_of(run.call);
  const int rank = run.call.comm->rank(), ranks = run.call.comm->size();
  const std::int64_t size = vector.type->size;
  auto begin = [&](int part, std::uint64_t segment) {
    return vector.count * part / ranks + segments.begin(segment);
  };
  auto count = [&](int part, std::uint64_t segment) {
    return std::clamp<std::int64_t>(vector.count * (part + 1) / ranks - begin(part, segment), 0,
                                    segments.step);
  };
  // Behind the segment that is written, the one before it is combined, and behind that the one
  // before is read.
  auto written = [&](std::uint64_t segment) { return run.room().room.in_row(row, 2 * segment); };
  auto combined = [&](std::uint64_t segment) {
    return run.room().room.in_row(row, 2 * segment + 1);
  };
  // Only those bytes of our own part are written that the result would overwrite.
  const bool in_place = contribution == result;
  bool good;
  void* unpacked = memory_to_unpack(run, vector.part(segments.step), &good);
  for (std::uint64_t i = 0; i < segments.count + 2; ++i) {
    if (i < segments.count) {
      Visit visit(run, written(i));
      co_await visit.may_write();
      for (int r = 0; r < ranks; ++r)
        if (r != rank || in_place)
          visit.put_part(rank, segments.slice(rank, r, i) * size, contribution, *vector.type,
                         begin(r, i) * size, count(r, i) * size);
      visit.publish_own();
    }
    if (i >= 1 && i <= segments.count) {
      const std::uint64_t at = i - 1;
      Visit theirs(run, written(at)), ours(run, combined(at));
      co_await theirs.all_arrived();
      const Vector part = vector.part(count(rank, at));
      void* to = vector.at(result, begin(rank, at));
      auto slice_of = [&](int of) {
        return Source{of, segments.slice(of, rank, at),
                      of == rank && !in_place ? vector.at(contribution, begin(rank, at)) : nullptr};
      };
      if (good && part.count > 0) combine_at(theirs, ranks, slice_of, part, to, unpacked);
      theirs.finish_exchange();
      co_await ours.may_write();
      ours.put(rank, to, part.count, *part.type);
      ours.publish_own();
    }
    if (i >= 2) {
      const std::uint64_t at = i - 2;
      Visit visit(run, combined(at));
      co_await visit.all_arrived();
      for (int r = 0; r < ranks; ++r)
        if (r != rank) visit.take(r, vector.at(result, begin(r, at)), count(r, at), *vector.type);
      visit.finish_exchange();
    }
  }
}

}  // namespace baton::collective
