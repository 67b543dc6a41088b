// Allreduce of longer vectors in a room: each rank combines a part. In each piece all write some of
// all others' parts, and in the meeting behind it what they have combined of their own.
#include "collective/algorithm.hpp"
#include "collective/room/combine.hpp"
#include "collective/room/pieces.hpp"

namespace baton::collective {

Task allreduce_by_pieces_in_room(Run& run, MeetingRow row) {
  const Call& call = run.call;
  const Vector vector = vector_of(call);
  const void* contribution = call.contribution();
  void* result = call.in.buffer;
  const Pieces pieces = pieces_of(run.call);
  const int rank = run.call.comm->rank(), ranks = run.call.comm->size();
  const std::int64_t size = vector.type->size;
  auto begin = [&](int part, std::uint64_t piece) {
    return vector.count * part / ranks + pieces.begin(piece);
  };
  auto count = [&](int part, std::uint64_t piece) {
    return std::clamp<std::int64_t>(vector.count * (part + 1) / ranks - begin(part, piece), 0,
                                    pieces.step);
  };
  // Behind what was written is combined the piece before, behind that the one before it is read.
  auto written = [&](std::uint64_t piece) { return run.room().room.in_row(row, 2 * piece); };
  auto combined = [&](std::uint64_t piece) { return run.room().room.in_row(row, 2 * piece + 1); };
  // Of our own part only what the result would overwrite.
  const bool in_place = contribution == result;
  bool good;
  void* unpacked = memory_to_unpack(run, vector.part(pieces.step), &good);
  for (std::uint64_t i = 0; i < pieces.count + 2; ++i) {
    if (i < pieces.count) {
      Visit visit(run, written(i));
      co_await visit.may_write();
      for (int r = 0; r < ranks; ++r)
        if (r != rank || in_place)
          visit.put_part(rank, pieces.slice(rank, r, i) * size, contribution, *vector.type,
                         begin(r, i) * size, count(r, i) * size);
      visit.publish_own();
    }
    if (i >= 1 && i <= pieces.count) {
      const std::uint64_t at = i - 1;
      Visit theirs(run, written(at)), ours(run, combined(at));
      co_await theirs.all_arrived();
      const Vector part = vector.part(count(rank, at));
      void* to = vector.at(result, begin(rank, at));
      auto slice_of = [&](int of) {
        return Source{of, pieces.slice(of, rank, at),
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
