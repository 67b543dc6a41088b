#include "collective/host_copies.hpp"

#include "collective/side_of_call.hpp"
#include "collective/turn.hpp"
#include "datatype/foreign.hpp"
#include "datatype/host_copy.hpp"

namespace baton::collective {

namespace {

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

Task work_on_host_copies(Run& run, Task (*begin)(Run& run)) {
  CopiedSide out, in;
  if (copy_side(run, true, true, out) && copy_side(run, false, is_in_use_before(run.call), in)) {
    Task algorithm = begin(run);
    count_begun(run.call);
    if (algorithm.handle()) co_await algorithm;
  } else {
    count_begun(run.call);
  }
  restore_side(run, true, out);
  restore_side(run, false, in);
  if (in.kind && !run.error())
    SideOfCall(run.call, false).each([&](const Elements& block) {
      datatype::copy_from_host(*in.kind, *block.type, block.place, block.count, in.shift);
    });
}

}  // namespace baton::collective
