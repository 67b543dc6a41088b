// Reduce_scatter of longer vectors in a room: in each piece all write some of every rank's part and
// combine some of their own. In place that overwrites only what has been written to the room.
#include "collective/combine.hpp"
#include "collective/pieces.hpp"

namespace baton::collective {

namespace {

// Of every part the elements [begin, begin + step), as far as it has them.
void write_piece(const Visit& visit, const Vector& whole, const void* contribution,
                 const Blocks& in, std::int64_t begin, std::int64_t step) {
  const std::int64_t size = whole.type->size;
  std::int64_t part = 0;  // where it begins, in elements
  for (int r = 0; r < visit.ranks(); ++r) {
    const std::int64_t count = std::min(step, in.count(r) - begin);
    if (count > 0)
      visit.put_part(visit.rank(), r * step * size, contribution, *whole.type,
                     (part + begin) * size, count * size);
    part += in.count(r);
  }
}

}  // namespace

Task reduce_scatter_by_pieces_in_room(Run& run, MeetingRow row, Vector whole,
                                      const void* contribution, const Blocks& in) {
  const std::int64_t step = elements_in_piece(run.call.comm->size(), *whole.type);
  const std::uint64_t pieces = pieces_of(run.call);
  auto begin = [&](std::uint64_t piece) { return static_cast<std::int64_t>(piece) * step; };
  bool good;
  void* unpacked = memory_to_unpack(run, whole.part(step), &good);
  for (std::uint64_t i = 0; i < pieces + pieces_ahead; ++i) {
    if (i < pieces) {
      Visit visit(run, run.room().room.in_row(row, i));
      co_await visit.may_write();
      write_piece(visit, whole, contribution, in, begin(i), step);
      visit.publish_own();
    }
    if (i >= pieces_ahead) {
      const std::uint64_t combined = i - pieces_ahead;
      Visit visit(run, run.room().room.in_row(row, combined));
      co_await visit.all_arrived();
      const int rank = visit.rank();
      const std::int64_t count = std::min(step, in.count(rank) - begin(combined));
      if (good && count > 0)
        combine(visit, 0, visit.ranks(), whole.part(count), rank * step,
                whole.at(in.buffer, begin(combined)), unpacked);
      visit.finish_exchange();
    }
  }
}

}  // namespace baton::collective
