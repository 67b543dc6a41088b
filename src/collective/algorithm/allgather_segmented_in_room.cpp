// Allgather of longer blocks in a room: in each segment all write some of their block and read as
// much of all others.
#include "collective/algorithm.hpp"
#include "collective/room/segments.hpp"
#include "collective/room/visit.hpp"

namespace baton::collective {

Task allgather_segmented_in_room(Run& run, Rounds row) {
  const Call& call = run.call;
  const Blocks& mine = call.out;
  const Blocks& all = call.in;
  const int rank = run.call.comm->rank();
  const bool in_place = mine.in_place();
  const Blocks& given = in_place ? all : mine;
  const void* own = in_place ? all.place(rank) : mine.buffer;
  const Segments segments = segments_of(run.call);
  auto bytes = [&](const Blocks& side, std::uint64_t segment) {
    return std::min(segments.step, side.bytes(0) - segments.begin(segment));
  };
  if (!in_place)
    run.copy(mine.buffer, mine.uniform, *mine.type, all.place(rank), all.uniform, *all.type);
  for (std::uint64_t i = 0; i < segments.count + segments_ahead; ++i) {
    if (i < segments.count) {
      Visit visit(run, run.room().room.in_row(row, i));
      co_await visit.may_write();
      visit.put_part(rank, 0, own, *given.type, segments.begin(i), bytes(given, i));
      visit.publish_own();
    }
    if (i >= segments_ahead) {
      const std::uint64_t read = i - segments_ahead;
      Visit visit(run, run.room().room.in_row(row, read));
      co_await visit.all_arrived();
      for (int r = 0; r < visit.ranks(); ++r)
        if (r != rank)
          visit.take_part(r, 0, all.place(r), *all.type, segments.begin(read), bytes(all, read));
      visit.finish_exchange();
    }
  }
}

}  // namespace baton::collective
