#include "collective/pieces.hpp"

namespace baton::collective {

std::uint64_t pieces_of(const Call& call) {
  const int ranks = call.comm->size();
  std::int64_t longest, step;
  if (call.kind == Kind::alltoall) {
    longest = (call.out.in_place() ? call.in : call.out).bytes(0);
    step = piece_bytes(ranks);
  } else {
    longest = 0;
    for (int r = 0; r < ranks; ++r) longest = std::max(longest, call.in.count(r));
    step = elements_in_piece(ranks, *call.in.type);
  }
  return step > 0 ? static_cast<std::uint64_t>((longest + step - 1) / step) : 0;
}

}  // namespace baton::collective
