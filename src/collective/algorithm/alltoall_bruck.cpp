// Alltoall of short blocks (Bruck, Ho, Kipnis, Upfal, Weathersby, "Efficient Algorithms for
// All-to-All Communications"): each rank has a partner for each bit of a distance, not one for each
// rank. In the step of a bit, blocks whose way has the bit go that far; a block travels half of the
// steps.
#include <cstring>

#include "collective/algorithm.hpp"
#include "datatype/pack.hpp"

namespace baton::collective {

namespace {

// Copies the blocks whose distance has the bit `step` between their places and a row; gives the
// length of the row.
std::int64_t move_blocks(char* blocks, char* row, int size, std::int64_t bytes, int step,
                         bool to_row) {
  std::int64_t length = 0;
  for (int distance = step; distance < size; ++distance) {
    if (!(distance & step)) continue;
    char* block = blocks + distance * bytes;
    std::memcpy(to_row ? row + length : block, to_row ? block : row + length,
                static_cast<std::size_t>(bytes));
    length += bytes;
  }
  return length;
}

}  // namespace

Task alltoall_bruck(Run& run) {
  const Call& call = run.call;
  const Context& context = call.comm->collective;
  const Blocks& out = call.out;
  const Blocks& in = call.in;
  const Blocks& given = out.in_place() ? in : out;
  const int size = context.size, rank = context.rank;
  const std::int64_t bytes = given.bytes(0), half = (size + 1) / 2 * bytes;
  Datatype& type = *datatype::datatypes.find(MPI_BYTE);
  auto* blocks = static_cast<char*>(run.take(static_cast<std::size_t>(size * bytes)));
  auto* going = static_cast<char*>(run.take(static_cast<std::size_t>(half)));
  auto* coming = static_cast<char*>(run.take(static_cast<std::size_t>(half)));
  if (!blocks || !going || !coming) co_return;
  // The blocks are ordered by how far each has to go.
  for (int distance = 0; distance < size; ++distance)
    datatype::pack(*given.type, given.place((rank + distance) % size), 0, blocks + distance * bytes,
                   bytes, run.is_host());
  for (int step = 1; step < size; step *= 2) {
    const std::int64_t length = move_blocks(blocks, going, size, bytes, step, true);
    const int from = (rank - step + size) % size;
    const message::Request* heard = run.receive(context, coming, length, type, from);
    run.send(context, going, length, type, (rank + step) % size);
    co_await run.all();
    if (heard && !run.error() && heard->bytes != length)
      run.refuse_length(from, heard->bytes, length);
    move_blocks(blocks, coming, size, bytes, step, false);
  }
  // A rank that expects less than the others give is in error, and still gets no more than it has
  // space for.
  const std::int64_t expected = std::min(bytes, in.bytes(0));
  for (int distance = 0; distance < size; ++distance)
    datatype::unpack(*in.type, in.place((rank - distance + size) % size), 0,
                     blocks + distance * bytes, expected, run.is_host());
  if (expected < bytes && !run.error()) run.refuse_length(rank, bytes, in.bytes(0));
}

}  // namespace baton::collective
