// Alltoall of longer blocks in a room: in each segment all write some of every block and read some
// of their own.
#include "collective/algorithm.hpp"
#include "collective/room/segments.hpp"
#include "collective/room/visit.hpp"

namespace baton::collective {

namespace {

// Copies data that is given in place, for segments that not all ranks read. Null without memory.
void* put_aside(Run& run, const Blocks& data) {
  const int size = run.call.comm->size();
  const std::int64_t bytes = data.bytes(0);
  auto* aside = static_cast<char*>(run.take(static_cast<std::size_t>(size * bytes)));
  for (int r = 0; aside && r < size; ++r)
    datatype::pack(*data.type, data.place(r), 0, aside + r * bytes, bytes, run.is_host());
  return aside;
}

// Writes the bytes [begin, begin + bytes) of the blocks of the segment's readers.
void write_segment(const Visit& visit, const Segments& segments, std::uint64_t segment,
                   const Blocks& given, std::int64_t bytes) {
  for (int r = segments.first_reader(segment); r < segments.readers_end(segment, visit.ranks());
       ++r)
    if (r != visit.rank())
      visit.put_part(visit.rank(), segments.slice(visit.rank(), r, segment), given.place(r),
                     *given.type, segments.begin(segment), bytes);
}
void read_segment(const Visit& visit, const Segments& segments, std::uint64_t segment,
                  const Blocks& in, std::int64_t bytes) {
  // A rank that expects less than the others give is in error, and still gets no more than it has
  // space for.
  const std::int64_t begin = segments.begin(segment),
                     expected = std::min(bytes, in.bytes(0) - begin);
  for (int r = 0; r < visit.ranks(); ++r)
    if (r != visit.rank())
      visit.take_part(r, segments.slice(r, visit.rank(), segment), in.place(r), *in.type, begin,
                      expected);
}

}  // namespace

Task alltoall_segmented_in_room(Run& run, Rounds row) {
  const Call& call = run.call;
  const Blocks& out = call.out;
  const Blocks& in = call.in;
  Blocks given = out.in_place() ? in : out;
  const int rank = run.call.comm->rank();
  const Segments segments = segments_of(run.call);
  if (out.in_place() && segments.turns > 1) {
    void* aside = put_aside(run, in);
    if (!aside) co_return;
    given = {aside, datatype::datatypes.find(MPI_BYTE), in.bytes(0)};
  }
  auto bytes = [&](std::uint64_t segment) {
    return std::min(segments.step, given.bytes(0) - segments.begin(segment));
  };
  if (!out.in_place())
    run.copy(out.place(rank), out.uniform, *out.type, in.place(rank), in.uniform, *in.type);
  for (std::uint64_t i = 0; i < segments.count + segments_ahead; ++i) {
    if (i < segments.count) {
      Visit visit(run, run.room().room.in_row(row, i));
      co_await visit.may_write();
      write_segment(visit, segments, i, given, bytes(i));
      visit.publish_own();
      if (!segments.is_read_by(rank, i)) visit.finish();
    }
    if (i >= segments_ahead && segments.is_read_by(rank, i - segments_ahead)) {
      const std::uint64_t read = i - segments_ahead;
      Visit visit(run, run.room().room.in_row(row, read));
      co_await visit.all_arrived();
      read_segment(visit, segments, read, in, bytes(read));
      visit.finish_exchange();
    }
  }
}

}  // namespace baton::collective
