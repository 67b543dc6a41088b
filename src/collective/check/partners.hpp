// These are the ranks with whom a call exchanges blocks, and the data, for gathers, scatters,
// allgathers, alltoalls and their neighborhood forms. It is used by `mpiexec --check` only: the
// algorithms know their partners by themselves.
#pragma once

#include "collective/call.hpp"

namespace baton::collective {

// This is one block: its other end as a rank of the collective context, and the data as this end
// has it.
struct Block {
  std::int32_t rank;
  datatype::Signature data;
};

// These are the blocks that this rank gives, or gets, one after the other. Where two ranks exchange
// several blocks, both name them in the same order.
class Partners {
 public:
  enum class Side : std::uint8_t { gives, gets };
  Partners(const Call& call, Side side) : call_(call), side_(side) {}

  // Returns the number of places to ask for; not all have a block.
  int places() const;
  // Gets the block at a place. Returns false if there is none.
  bool block(int place, Block& block) const;

 private:
  bool neighbor_block(int place, Block& block) const;
  bool gives(int rank, Block& block) const;
  bool gets(int rank, Block& block) const;
  // Returns whether this rank is the root.
  bool is_root() const;

  const Call& call_;
  Side side_;
};

// Returns whether blocks of a kind have to fit each other, rank by rank.
inline bool exchanges_blocks(Kind kind) {
  return (kind >= Kind::gather && kind <= Kind::alltoall) || kind >= Kind::neighbor_allgather;
}

}  // namespace baton::collective
