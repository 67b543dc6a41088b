#include "world/agree/agree.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "message/point_to_point.hpp"

namespace baton::world {

namespace {

Datatype& bytes_type() {
  return *datatype::datatypes.find(MPI_BYTE);
}

}  // namespace

Error agree_allgather(const message::Context& context, std::int32_t tag, const void* mine,
                      std::int64_t bytes, void* all) {
  const std::int32_t size = context.size, rank = context.rank;
  auto block = static_cast<std::size_t>(bytes);
  // Gathered from our own rank on, then turned so that rank 0 comes first.
  auto* gathered = static_cast<char*>(std::malloc(block * static_cast<std::size_t>(size)));
  if (!gathered) return fail(MPI_ERR_NO_MEM, "no memory to agree with %d ranks", size);
  std::memcpy(gathered, mine, block);
  Error error = MPI_SUCCESS;
  for (std::int32_t have = 1; have < size && !error; have *= 2) {
    std::int32_t blocks = std::min(have, size - have);
    error = message::exchange(context, gathered, bytes * blocks, bytes_type(),
                              (rank - have + size) % size, tag,
                              gathered + block * static_cast<std::size_t>(have), bytes * blocks,
                              bytes_type(), (rank + have) % size, tag, nullptr);
  }
  for (std::int32_t i = 0; i < size; ++i)
    std::memcpy(static_cast<char*>(all) + block * static_cast<std::size_t>((rank + i) % size),
                gathered + block * static_cast<std::size_t>(i), block);
  std::free(gathered);
  return error;
}

Error agree_and(const message::Context& context, std::int32_t tag, std::uint64_t* values,
                int count) {
  auto words = static_cast<std::size_t>(count);
  auto* all = static_cast<std::uint64_t*>(
      std::malloc(words * sizeof *values * static_cast<std::size_t>(context.size)));
  if (!all) return fail(MPI_ERR_NO_MEM, "no memory to agree with %d ranks", context.size);
  Error error = agree_allgather(context, tag, values, static_cast<std::int64_t>(words * 8), all);
  for (std::size_t r = 0; r < static_cast<std::size_t>(context.size) && !error; ++r)
    for (std::size_t i = 0; i < words; ++i) values[i] &= all[r * words + i];
  std::free(all);
  return error;
}

}  // namespace baton::world
