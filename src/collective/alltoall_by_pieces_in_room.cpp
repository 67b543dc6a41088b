// Alltoall of longer blocks in a room: in each piece all write some of every block and read some of
// their own.
#include "collective/pieces.hpp"
#include "collective/visit.hpp"

namespace baton::collective {

namespace {

// Of each block the bytes [begin, begin + bytes).
void write_piece(const Visit& visit, const Blocks& given, std::int64_t begin, std::int64_t bytes) {
  for (int r = 0; r < visit.ranks(); ++r)
    if (r != visit.rank())
      visit.put_part(visit.rank(), r * bytes, given.place(r), *given.type, begin, bytes);
}
void read_piece(const Visit& visit, const Blocks& in, std::int64_t begin, std::int64_t bytes) {
  // Who expects less than the others give is wrong, and still gets no more than it has room for.
  const std::int64_t expected = std::min(bytes, in.bytes(0) - begin);
  for (int r = 0; r < visit.ranks(); ++r)
    if (r != visit.rank())
      visit.take_part(r, visit.rank() * bytes, in.place(r), *in.type, begin, expected);
}

}  // namespace

Task alltoall_by_pieces_in_room(Run& run, MeetingRow row, const Blocks& out, const Blocks& in) {
  const Blocks& given = out.in_place() ? in : out;
  const std::int64_t all = given.bytes(0), step = piece_bytes(run.call.comm->size());
  const std::uint64_t pieces = pieces_of(run.call);
  auto begin = [&](std::uint64_t piece) { return static_cast<std::int64_t>(piece) * step; };
  auto bytes = [&](std::uint64_t piece) { return std::min(step, all - begin(piece)); };
  if (!out.in_place()) {
    const int rank = run.call.comm->rank();
    run.copy(out.place(rank), out.uniform, *out.type, in.place(rank), in.uniform, *in.type);
  }
  for (std::uint64_t i = 0; i < pieces + pieces_ahead; ++i) {
    if (i < pieces) {
      Visit visit(run, run.room().room.in_row(row, i));
      co_await visit.may_write();
      write_piece(visit, given, begin(i), bytes(i));
      visit.publish_own();
    }
    if (i >= pieces_ahead) {
      const std::uint64_t read = i - pieces_ahead;
      Visit visit(run, run.room().room.in_row(row, read));
      co_await visit.all_arrived();
      read_piece(visit, in, begin(read), bytes(read));
      visit.finish_exchange();
    }
  }
}

}  // namespace baton::collective
