// Allgather of longer blocks in a room: in each piece all write some of their block and read as
// much of all others.
#include "collective/algorithm.hpp"
#include "collective/room/pieces.hpp"
#include "collective/room/visit.hpp"

namespace baton::collective {

Task allgather_by_pieces_in_room(Run& run, MeetingRow row) {
  const Call& call = run.call;
  const Blocks& mine = call.out;
  const Blocks& all = call.in;
  const int rank = run.call.comm->rank();
  const bool in_place = mine.in_place();
  const Blocks& given = in_place ? all : mine;
  const void* own = in_place ? all.place(rank) : mine.buffer;
  const Pieces pieces = pieces_of(run.call);
  auto bytes = [&](const Blocks& side, std::uint64_t piece) {
    return std::min(pieces.step, side.bytes(0) - pieces.begin(piece));
  };
  if (!in_place)
    run.copy(mine.buffer, mine.uniform, *mine.type, all.place(rank), all.uniform, *all.type);
  for (std::uint64_t i = 0; i < pieces.count + pieces_ahead; ++i) {
    if (i < pieces.count) {
      Visit visit(run, run.room().room.in_row(row, i));
      co_await visit.may_write();
      visit.put_part(rank, 0, own, *given.type, pieces.begin(i), bytes(given, i));
      visit.publish_own();
    }
    if (i >= pieces_ahead) {
      const std::uint64_t read = i - pieces_ahead;
      Visit visit(run, run.room().room.in_row(row, read));
      co_await visit.all_arrived();
      for (int r = 0; r < visit.ranks(); ++r)
        if (r != rank)
          visit.take_part(r, 0, all.place(r), *all.type, pieces.begin(read), bytes(all, read));
      visit.finish_exchange();
    }
  }
}

}  // namespace baton::collective
