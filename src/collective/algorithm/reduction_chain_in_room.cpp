// Reductions along chains of ranks (chains.hpp): in a room's blocks the last rank of a chain writes
// its vector and the others combine theirs with it, segment by segment; a rank that needs a segment
// of the result reads it when the first rank of each chain has come. In place the result overwrites
// only what has been combined.
#include "collective/algorithm.hpp"
#include "collective/room/chains.hpp"
#include "collective/room/combine.hpp"

namespace baton::collective {

namespace {

// Replaces the sum in a slot by contribution op sum.
void add(const Visit& visit, int slot, Vector vector, const void* contribution, void* unpacked) {
  if (vector.type->contiguous) return vector.reduce(contribution, visit.payload(slot));
  if (!unpacked) return;
  visit.take(slot, unpacked, vector.count, *vector.type);
  vector.reduce(contribution, unpacked);
  visit.put(slot, unpacked, vector.count, *vector.type);
}

// This is the part of the result that a rank needs: elements [begin, end), and where they go.
struct Part {
  std::int64_t begin;
  std::int64_t end;
  void* result;
};

Task reduce_along_chains(Run& run, Rounds row, Vector whole, Part wanted) {
  const void* contribution = run.call.contribution();
  constexpr std::uint64_t ahead = lockfree::RoomSizes::block_banks / 2;
  const int rank = run.call.comm->rank(), ranks = run.call.comm->size();
  const Chains chains = chains_of(run.call);
  const int chain = chains.of(rank, ranks), first_rank = chains.begin(chain, ranks);
  const bool is_last = rank == chains.begin(chain + 1, ranks) - 1;
  auto place_of = [&](int of) { return of * chains.blocks; };
  auto begin = [&](std::uint64_t segment) {
    return static_cast<std::int64_t>(segment) * chains.step;
  };
  auto end = [&](std::uint64_t segment) { return std::min(whole.count, begin(segment + 1)); };
  auto is_wanted = [&](std::uint64_t segment) {
    return wanted.begin < end(segment) && begin(segment) < wanted.end;
  };
  bool good;
  void* unpacked = memory_to_unpack(run, whole.part(chains.step), &good);
  for (std::uint64_t i = 0; i < chains.segments + ahead; ++i) {
    if (i < chains.segments) {
      Visit visit(run, run.room().room.in_row(row, i));
      const Vector segment = whole.part(end(i) - begin(i));
      const void* mine = whole.at(contribution, begin(i));
      if (is_last) {
        co_await visit.may_write();
        visit.put(place_of(chain), mine, segment.count, *segment.type);
      } else {
        co_await visit.arrived(rank + 1, rank + 2);
        add(visit, place_of(chain), segment, mine, unpacked);
      }
      visit.publish(rank);
      if (rank > first_rank)
        visit.wake(rank - 1);
      else if (!visit.others_missing())
        visit.wake_all();
      if (!is_wanted(i)) visit.finish();
    }
    if (i >= ahead && is_wanted(i - ahead)) {
      const std::uint64_t read = i - ahead;
      Visit visit(run, run.room().room.in_row(row, read));
      co_await visit.all_arrived();
      const std::int64_t from = std::max(wanted.begin, begin(read));
      const Vector part = whole.part(std::min(wanted.end, end(read)) - from);
      auto sum = [&](int of) { return Source{place_of(of), from - begin(read)}; };
      if (good)
        combine_at(visit, chains.count, sum, part, whole.at(wanted.result, from - wanted.begin),
                   unpacked);
      visit.finish_exchange();
    }
  }
}

// Reduces for two ranks: the root combines what the other one writes, and no sum goes back to the
// room. The tiles stay in the first cache.
Task reduce_at_root_of_two(Run& run, Rounds row, Vector whole) {
  const Call& call = run.call;
  const void* contribution = call.contribution();
  const int rank = call.comm->rank(), other = 1 - rank;
  const Chains chains = chains_of(call);
  constexpr std::int64_t tile_bytes = 16384;  // measured on Zen 5
  const std::int64_t step = std::max<std::int64_t>(1, tile_bytes / whole.type->size);
  bool good;
  void* unpacked = memory_to_unpack(run, whole.part(std::min(step, chains.step)), &good);
  for (std::uint64_t i = 0; i < chains.segments; ++i) {
    Visit visit(run, run.room().room.in_row(row, i));
    const std::int64_t begin = static_cast<std::int64_t>(i) * chains.step;
    const std::int64_t count = std::min(chains.step, whole.count - begin);
    if (rank != call.root) {
      co_await visit.may_write();
      visit.put(0, whole.at(contribution, begin), count, *whole.type);
      visit.publish(rank);
      visit.wake(other);
    } else {
      co_await visit.arrived(other, other + 1);
      for (std::int64_t first = 0; good && first < count; first += step) {
        const void* mine = whole.at(contribution, begin + first);
        void* result = whole.at(call.in.buffer, begin + first);
        const Source from_other{0, first}, own{0, 0, mine};
        const bool own_last = rank > other || mine == result;
        auto source_at = [&](int k) { return (k == 1) == own_last ? own : from_other; };
        combine_at(visit, 2, source_at, whole.part(std::min(step, count - first)), result,
                   unpacked);
      }
    }
    visit.finish();
  }
}

}  // namespace

Task reduce_chain_in_room(Run& run, Rounds row) {
  const Call& call = run.call;
  const Vector vector = vector_of(call);
  // In place the first rank's own vector is the last to be read, which only works where the order
  // is free.
  const bool in_order = call.root == 1 || call.commutes();
  if (call.comm->size() == 2 && in_order) return reduce_at_root_of_two(run, row, vector);
  const bool is_root = call.comm->rank() == call.root;
  return reduce_along_chains(run, row, vector, {0, is_root ? vector.count : 0, call.in.buffer});
}

Task allreduce_chain_in_room(Run& run, Rounds row) {
  const Vector vector = vector_of(run.call);
  return reduce_along_chains(run, row, vector, {0, vector.count, run.call.in.buffer});
}

Task reduce_scatter_chain_in_room(Run& run, Rounds row) {
  const Call& call = run.call;
  const int rank = call.comm->rank();
  std::int64_t begin = 0;
  for (int r = 0; r < rank; ++r) begin += call.in.count(r);
  return reduce_along_chains(run, row, whole_of(call),
                             {begin, begin + call.in.count(rank), call.in.buffer});
}

}  // namespace baton::collective
