// Reduce_scatter of longer vectors in a room: in each segment all write some of every rank's part
// and combine some of their own. In place the result overwrites only what has been written to the
// room.
#include "collective/algorithm.hpp"
#include "collective/room/combine.hpp"
#include "collective/room/segments.hpp"

namespace baton::collective {

namespace {

// Writes the elements of a segment for each of its readers, as far as their parts have them; `own`:
// also for this rank. `part` is where the first reader's part begins in the whole vector, in
// elements.
void write_segment(const Visit& visit, const Segments& segments, std::uint64_t segment,
                   const Vector& whole, const void* contribution, const Blocks& in,
                   std::int64_t part, bool own) {
  const std::int64_t size = whole.type->size, begin = segments.begin(segment);
  for (int r = segments.first_reader(segment); r < segments.readers_end(segment, visit.ranks());
       ++r) {
    const std::int64_t count = std::min(segments.step, in.count(r) - begin);
    if (count > 0 && (own || r != visit.rank()))
      visit.put_part(visit.rank(), segments.slice(visit.rank(), r, segment) * size, contribution,
                     *whole.type, (part + begin) * size, count * size);
    part += in.count(r);
  }
}

}  // namespace

Task reduce_scatter_segmented_in_room(Run& run, Rounds row) {
  const Call& call = run.call;
  const Vector whole = whole_of(call);
  const void* contribution = call.contribution();
  const Blocks& in = call.in;
  const Segments segments = segments_of(run.call);
  const int rank = run.call.comm->rank();
  const bool in_place = contribution == in.buffer;
  std::int64_t first = 0;  // of our part
  for (int r = 0; r < rank; ++r) first += in.count(r);
  std::int64_t part = 0;
  bool good;
  void* unpacked = memory_to_unpack(run, whole.part(segments.step), &good);
  for (std::uint64_t i = 0; i < segments.count + segments_ahead; ++i) {
    if (i < segments.count) {
      Visit visit(run, run.room().room.in_row(row, i));
      co_await visit.may_write();
      if (segments.first_reader(i) == 0) part = 0;
      write_segment(visit, segments, i, whole, contribution, in, part, in_place);
      visit.publish_own();
      for (int r = segments.first_reader(i); r < segments.readers_end(i, visit.ranks()); ++r)
        part += in.count(r);
      if (!segments.is_read_by(rank, i)) visit.finish();
    }
    if (i >= segments_ahead && segments.is_read_by(rank, i - segments_ahead)) {
      const std::uint64_t read = i - segments_ahead;
      Visit visit(run, run.room().room.in_row(row, read));
      co_await visit.all_arrived();
      const std::int64_t begin = segments.begin(read);
      const std::int64_t count = std::min(segments.step, in.count(rank) - begin);
      auto slice_of = [&](int of) {
        const bool own = of == rank && !in_place;
        return Source{of, segments.slice(of, rank, read),
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
