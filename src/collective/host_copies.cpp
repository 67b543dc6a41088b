#include "collective/host_copies.hpp"

#include "collective/algorithm.hpp"
#include "collective/neighborhood.hpp"
#include "datatype/foreign.hpp"
#include "datatype/host_copy.hpp"

namespace baton::collective {

namespace {

bool is_root(const Call& call) {
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

// The copy of one side. No destructor: it lies in the frame of an algorithm (task.hpp).
struct CopiedSide {
  const BatonMemoryKind* kind = nullptr;  // null: the side has no copy
  void* theirs = nullptr;
  std::ptrdiff_t shift = 0;
};

const BatonMemoryKind* kind_of_side(const SideOfCall& side) {
  const BatonMemoryKind* kind = nullptr;
  side.each([&](const Elements& block) {
    if (!kind) kind = datatype::kind_of(*block.type, block.place);
  });
  return kind;
}

// Copies one side, `filled` with its data, and lets the call use the copy. Returns false without
// memory; the run has the error.
bool copy_side(Run& run, bool gives, bool filled, CopiedSide& copied) {
  const SideOfCall side(run.call, gives);
  copied.kind = kind_of_side(side);
  if (!copied.kind) return true;
  datatype::Span span;
  side.each([&](const Elements& block) {
    span.include(datatype::span_of(*block.type, block.place, block.count));
  });
  void* memory = run.take(span.copy_bytes());
  if (!memory) {
    copied.kind = nullptr;
    return false;
  }
  copied.shift = span.shift_to(memory);
  if (filled)
    side.each([&](const Elements& block) {
      datatype::copy_to_host(*copied.kind, *block.type, block.place, block.count, copied.shift);
    });
  Blocks& blocks = gives ? run.call.out : run.call.in;
  copied.theirs = blocks.buffer;
  blocks.buffer = static_cast<char*>(blocks.buffer) + copied.shift;
  return true;
}

// Lets the call have the program's buffer again.
void restore_side(Run& run, bool gives, const CopiedSide& copied) {
  if (copied.kind) (gives ? run.call.out : run.call.in).buffer = copied.theirs;
}

// Returns whether what a rank gets lies, or may stay, in its buffer before the call: nothing comes
// from neighbors that are MPI_PROC_NULL, nor in an exclusive scan to the first rank.
bool is_in_use_before(const Call& call) {
  return call.out.in_place() || call.kind == Kind::broadcast || call.kind == Kind::exscan ||
         is_among_neighbors(call);
}

}  // namespace

bool has_foreign_data(const Call& call) {
  return kind_of_side(SideOfCall(call, true)) || kind_of_side(SideOfCall(call, false));
}

Task work_on_host_copies(Run& run, Task (*begin)(Run& run)) {
  CopiedSide out, in;
  if (copy_side(run, true, true, out) && copy_side(run, false, is_in_use_before(run.call), in)) {
    Task algorithm = begin(run);
    if (algorithm.handle()) co_await algorithm;
  }
  restore_side(run, true, out);
  restore_side(run, false, in);
  if (in.kind && !run.error())
    SideOfCall(run.call, false).each([&](const Elements& block) {
      datatype::copy_from_host(*in.kind, *block.type, block.place, block.count, in.shift);
    });
}

}  // namespace baton::collective
