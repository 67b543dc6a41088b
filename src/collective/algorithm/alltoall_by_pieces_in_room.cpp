// Alltoall of longer blocks in a room: in each piece all write some of every block and read some of
// their own.
#include "collective/algorithm.hpp"
#include "collective/room/pieces.hpp"
#include "collective/room/visit.hpp"

namespace baton::collective {

namespace {

// What is given in place, where pieces have not all readers: a copy of it. Null without memory.
void* put_aside(Run& run, const Blocks& data) {
  const int size = run.call.comm->size();
  const std::int64_t bytes = data.bytes(0);
  auto* aside = static_cast<char*>(run.take(static_cast<std::size_t>(size * bytes)));
  for (int r = 0; aside && r < size; ++r)
    datatype::pack(*data.type, data.place(r), 0, aside + r * bytes, bytes);
  return aside;
}

// Of the readers' blocks the bytes [begin, begin + bytes).
void write_piece(const Visit& visit, const Pieces& pieces, std::uint64_t piece, const Blocks& given,
                 std::int64_t bytes) {
  for (int r = pieces.first_reader(piece); r < pieces.readers_end(piece, visit.ranks()); ++r)
    if (r != visit.rank())
      visit.put_part(visit.rank(), pieces.slice(visit.rank(), r, piece), given.place(r),
                     *given.type, pieces.begin(piece), bytes);
}
void read_piece(const Visit& visit, const Pieces& pieces, std::uint64_t piece, const Blocks& in,
                std::int64_t bytes) {
  // Who expects less than the others give is wrong, and still gets no more than it has room for.
  const std::int64_t begin = pieces.begin(piece), expected = std::min(bytes, in.bytes(0) - begin);
  for (int r = 0; r < visit.ranks(); ++r)
    if (r != visit.rank())
      visit.take_part(r, pieces.slice(r, visit.rank(), piece), in.place(r), *in.type, begin,
                      expected);
}

}  // namespace

Task alltoall_by_pieces_in_room(Run& run, MeetingRow row) {
  const Call& call = run.call;
  const Blocks& out = call.out;
  const Blocks& in = call.in;
  Blocks given = out.in_place() ? in : out;
  const int rank = run.call.comm->rank();
  const Pieces pieces = pieces_of(run.call);
  if (out.in_place() && pieces.turns > 1) {
    void* aside = put_aside(run, in);
    if (!aside) co_return;
    given = {aside, datatype::datatypes.find(MPI_BYTE), in.bytes(0)};
  }
  auto bytes = [&](std::uint64_t piece) {
    return std::min(pieces.step, given.bytes(0) - pieces.begin(piece));
  };
  if (!out.in_place())
    run.copy(out.place(rank), out.uniform, *out.type, in.place(rank), in.uniform, *in.type);
  for (std::uint64_t i = 0; i < pieces.count + pieces_ahead; ++i) {
    if (i < pieces.count) {
      Visit visit(run, run.room().room.in_row(row, i));
      co_await visit.may_write();
      write_piece(visit, pieces, i, given, bytes(i));
      visit.publish_own();
      if (!pieces.is_read_by(rank, i)) visit.finish();
    }
    if (i >= pieces_ahead && pieces.is_read_by(rank, i - pieces_ahead)) {
      const std::uint64_t read = i - pieces_ahead;
      Visit visit(run, run.room().room.in_row(row, read));
      co_await visit.all_arrived();
      read_piece(visit, pieces, read, in, bytes(read));
      visit.finish_exchange();
    }
  }
}

}  // namespace baton::collective
