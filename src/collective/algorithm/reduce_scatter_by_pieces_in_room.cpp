// Reduce_scatter of longer vectors in a room: in each piece all write some of every rank's part and
// combine some of their own. In place that overwrites only what has been written to the room.
#include "collective/algorithm.hpp"
#include "collective/room/combine.hpp"
#include "collective/room/pieces.hpp"

namespace baton::collective {

namespace {

// Of the readers' parts the elements of a piece, as far as they have them; `own`: also of ours.
// `part`: where the first reader's begins in the whole, in elements.
void write_piece(const Visit& visit, const Pieces& pieces, std::uint64_t piece, const Vector& whole,
                 const void* contribution, const Blocks& in, std::int64_t part, bool own) {
  const std::int64_t size = whole.type->size, begin = pieces.begin(piece);
  for (int r = pieces.first_reader(piece); r < pieces.readers_end(piece, visit.ranks()); ++r) {
    const std::int64_t count = std::min(pieces.step, in.count(r) - begin);
    if (count > 0 && (own || r != visit.rank()))
      visit.put_part(visit.rank(), pieces.slice(visit.rank(), r, piece) * size, contribution,
                     *whole.type, (part + begin) * size, count * size);
    part += in.count(r);
  }
}

}  // namespace

Task reduce_scatter_by_pieces_in_room(Run& run, MeetingRow row) {
  const Call& call = run.call;
  const Vector whole = whole_of(call);
  const void* contribution = call.contribution();
  const Blocks& in = call.in;
  const Pieces pieces = pieces_of(run.call);
  const int rank = run.call.comm->rank();
  const bool in_place = contribution == in.buffer;
  std::int64_t first = 0;  // of our part
  for (int r = 0; r < rank; ++r) first += in.count(r);
  std::int64_t part = 0;
  bool good;
  void* unpacked = memory_to_unpack(run, whole.part(pieces.step), &good);
  for (std::uint64_t i = 0; i < pieces.count + pieces_ahead; ++i) {
    if (i < pieces.count) {
      Visit visit(run, run.room().room.in_row(row, i));
      co_await visit.may_write();
      if (pieces.first_reader(i) == 0) part = 0;
      write_piece(visit, pieces, i, whole, contribution, in, part, in_place);
      visit.publish_own();
      for (int r = pieces.first_reader(i); r < pieces.readers_end(i, visit.ranks()); ++r)
        part += in.count(r);
      if (!pieces.is_read_by(rank, i)) visit.finish();
    }
    if (i >= pieces_ahead && pieces.is_read_by(rank, i - pieces_ahead)) {
      const std::uint64_t read = i - pieces_ahead;
      Visit visit(run, run.room().room.in_row(row, read));
      co_await visit.all_arrived();
      const std::int64_t begin = pieces.begin(read);
      const std::int64_t count = std::min(pieces.step, in.count(rank) - begin);
      auto slice_of = [&](int of) {
        const bool own = of == rank && !in_place;
        return Source{of, pieces.slice(of, rank, read),
                      own ? whole.at(contribution, first + begin) : nullptr};
      };
      if (good && count > 0)
        combine_at(visit, visit.ranks(), slice_of, whole.part(count), whole.at(in.buffer, begin),
                   unpacked);
      visit.finish_exchange();
    }
  }
}

}  // namespace baton::collective
