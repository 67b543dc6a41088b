#include "collective/check/partners.hpp"

#include "collective/neighborhood.hpp"

namespace baton::collective {

namespace {

datatype::Signature data_of(const Blocks& side, int place) {
  const std::int64_t count = side.count(place);
  return count > 0 ? side.type_of(place).signature.times(count) : datatype::Signature{};
}

}  // namespace

bool Partners::is_root() const {
  return call_.comm->is_inter() ? call_.root == MPI_ROOT : call_.root == call_.comm->rank();
}

int Partners::places() const {
  if (!is_among_neighbors(call_)) return call_.comm->remote_size();
  const Neighborhood neighborhood(*call_.comm);
  return side_ == Side::gives ? neighborhood.out_count() : neighborhood.in_count();
}

bool Partners::block(int place, Block& block) const {
  if (is_among_neighbors(call_)) return neighbor_block(place, block);
  block.rank = place;
  return side_ == Side::gives ? gives(place, block) : gets(place, block);
}

bool Partners::neighbor_block(int place, Block& block) const {
  const Neighborhood neighborhood(*call_.comm);
  if (side_ == Side::gives) {
    block.rank = neighborhood.out(place);
    block.data = data_of(call_.out, call_.kind == Kind::neighbor_allgather ? 0 : place);
  } else {
    const int own = neighborhood.receive_order(place);
    block.rank = neighborhood.in(own);
    block.data = data_of(call_.in, own);
  }
  return block.rank != MPI_PROC_NULL;
}

// A block that stays in place at a rank is not exchanged.
bool Partners::gives(int rank, Block& block) const {
  const bool to_self = rank == call_.comm->rank() && !call_.comm->is_inter();
  const Blocks& out = call_.out;
  switch (call_.kind) {
    case Kind::gather:
      if (rank != call_.root || out.in_place()) return false;
      block.data = data_of(out, 0);
      return true;
    case Kind::scatter:
      if (!is_root() || (to_self && call_.in.in_place())) return false;
      block.data = data_of(out, rank);
      return true;
    case Kind::allgather:
      block.data = out.in_place() ? data_of(call_.in, call_.comm->rank()) : data_of(out, 0);
      return !(to_self && out.in_place());
    default:
      block.data = out.in_place() ? data_of(call_.in, rank) : data_of(out, rank);
      return !(to_self && out.in_place());
  }
}

bool Partners::gets(int rank, Block& block) const {
  const bool from_self = rank == call_.comm->rank() && !call_.comm->is_inter();
  const Blocks& in = call_.in;
  switch (call_.kind) {
    case Kind::gather:
      if (!is_root() || (from_self && call_.out.in_place())) return false;
      break;
    case Kind::scatter:
      if (rank != call_.root || in.in_place()) return false;
      block.data = data_of(in, 0);
      return true;
    default:
      if (from_self && call_.out.in_place()) return false;
  }
  block.data = data_of(in, rank);
  return true;
}

}  // namespace baton::collective
