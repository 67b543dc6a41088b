// With whom a call exchanges blocks, and what data: of gathers, scatters, allgathers, alltoalls and
// those among neighbors. Of `mpiexec --check` only: the algorithms know it by themselves.
#pragma once

#include "collective/call.hpp"

namespace baton::collective {

// One block: its other end as a rank of the collective context, and the data as this end has it.
struct Block {
  std::int32_t rank;
  datatype::Signature data;
};

// What this rank gives, or gets, one block after the other. Where two ranks exchange several, both
// name them in the same order.
class Partners {
 public:
  enum class Side : std::uint8_t { gives, gets };
  Partners(const Call& call, Side side) : call_(call), side_(side) {}

  // How many places to ask for; not all have a block.
  int places() const;
  // False: there is none.
  bool block(int place, Block& block) const;

 private:
  bool neighbor_block(int place, Block& block) const;
  bool gives(int rank, Block& block) const;
  bool gets(int rank, Block& block) const;
  // Whether this rank is the root.
  bool is_root() const;

  const Call& call_;
  Side side_;
};

// Whether blocks of a kind have to fit each other, rank by rank.
inline bool exchanges_blocks(Kind kind) {
  return (kind >= Kind::gather && kind <= Kind::alltoall) || kind >= Kind::neighbor_allgather;
}

}  // namespace baton::collective
