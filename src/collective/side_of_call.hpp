// This is what a rank gives or gets in a call, as blocks of elements that count at it. It is used
// where data may lie in foreign memory.
#pragma once

#include "collective/algorithm.hpp"
#include "collective/neighborhood.hpp"

namespace baton::collective {

inline bool is_root(const Call& call) {
  return call.comm->is_inter() ? call.root == MPI_ROOT : call.root == call.comm->rank();
}

// Some elements that follow each other.
struct Elements {
  const Datatype* type;
  void* place;
  std::int64_t count;
};

// One side of a call, as blocks of this rank that count here.
class SideOfCall {
 public:
  SideOfCall(const Call& call, bool gives)
      : call_(call), side_(gives ? call.out : call.in), gives_(gives), blocks_(block_count()) {}

  template <class Use>
  void each(Use&& use) const {
    for (int i = 0; i < blocks_; ++i) {
      const Elements block = at(i);
      if (block.count > 0 && block.type->size > 0) use(block);
    }
  }

 private:
  int block_count() const {
    if (side_.in_place() || (!side_.type && !side_.types)) return 0;
    if (call_.comm->is_inter() && call_.root == MPI_PROC_NULL) return 0;
    switch (call_.kind) {
      case Kind::barrier:
        return 0;
      case Kind::gather:
        return gives_ ? 1 : is_root(call_) ? call_.comm->remote_size() : 0;
      case Kind::scatter:
        return !gives_ ? 1 : is_root(call_) ? call_.comm->remote_size() : 0;
      case Kind::allgather:
        return gives_ ? 1 : call_.comm->remote_size();
      case Kind::alltoall:
        return call_.comm->remote_size();
      case Kind::neighbor_allgather:
        return gives_ ? 1 : Neighborhood(*call_.comm).in_count();
      case Kind::neighbor_alltoall:
        return gives_ ? Neighborhood(*call_.comm).out_count()
                      : Neighborhood(*call_.comm).in_count();
      case Kind::reduce:
        return gives_ || is_root(call_) ? 1 : 0;
      default:
        return 1;
    }
  }
  Elements at(int block) const {
    if (call_.kind != Kind::reduce_scatter)
      return {&side_.type_of(block), side_.place(block), side_.count(block)};
    // A vector of which each rank gets a part; in place it lies where the part goes.
    const Datatype* type = call_.in.type;
    const bool whole = gives_ || call_.out.in_place();
    return {type, side_.buffer, whole ? whole_of(call_).count : call_.in.count(call_.comm->rank())};
  }

  const Call& call_;
  const Blocks& side_;
  bool gives_;
  int blocks_;
};

}  // namespace baton::collective
