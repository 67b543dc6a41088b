// Memory that is mapped here: copies, and changes of elements in place.
#include "datatype/pack.hpp"
#include "platform/copy.hpp"
#include "window/packed.hpp"
#include "window/reach.hpp"

namespace baton::window {

namespace {

Error change_array(Window& window, const Spot& spot, const Accumulate& what) {
  const Elements& elements = what.elements;
  const std::int64_t count = what.at.bytes() / elements.bytes;
  auto* in = what.from ? static_cast<const char*>(what.from->buffer) : nullptr;
  auto* old = what.result ? static_cast<char*>(what.result->buffer) : nullptr;
  const ElementHold hold(window, *spot.target, count,
                         can_be_atomic(elements, what.at, spot.memory));
  if (BATON_UNLIKELY(hold.error())) return hold.error();
  if (BATON_LIKELY(hold.is_atomic())) {
    change_atomically(elements.change, elements.bytes, in, spot.memory, old, count);
    return MPI_SUCCESS;
  }
  change_plainly(elements.change, elements.bytes, in, spot.memory, old, count);
  note_stores(window);
  return MPI_SUCCESS;
}

class MappedReach final : public Reach {
 public:
  constexpr MappedReach() : Reach(ReachWay::mapped) {}

  Error put(Window& window, const Spot& spot, const Data& from, const Place& to) const override {
    note_stores(window);
    if (BATON_LIKELY(from.is_run() && to.is_run()))
      platform::copy_run(spot.memory, from.buffer, static_cast<std::size_t>(to.bytes()));
    else
      datatype::copy(*from.type, from.buffer, *to.type, spot.memory, to.bytes());
    return MPI_SUCCESS;
  }

  Error get(Window&, const Spot& spot, const Data& to, const Place& from) const override {
    // The compiler must reload memory that others have put to since.
    lockfree::Hardware::compiler_fence();
    if (BATON_LIKELY(from.is_run() && to.is_run()))
      platform::copy_run(to.buffer, spot.memory, static_cast<std::size_t>(to.bytes()));
    else
      datatype::copy(*from.type, spot.memory, *to.type, to.buffer, to.bytes());
    return MPI_SUCCESS;
  }

  Error change(Window& window, const Spot& spot, const Accumulate& what) const override {
    if (BATON_LIKELY(what.is_array())) return change_array(window, spot, what);
    Packed in(what.from, true), old(what.result, false);
    if (!in.has_memory() || !old.has_memory()) return no_memory_for(what.at.bytes());
    {
      const ElementHold hold(window, *spot.target, what.at.bytes() / what.elements.bytes,
                             can_be_atomic(what.elements, what.at, spot.memory));
      if (hold.error()) return hold.error();
      change_place(what.elements, spot.memory, hold.is_atomic(), in.bytes(), old.bytes(), what.at);
    }
    old.unpack();
    note_stores(window);
    return MPI_SUCCESS;
  }

  Error swap(Window& window, const Spot& spot, const Datatype& type, const void* from,
             const void* expected, void* result) const override {
    return swap_element(window, spot, type, from, expected, result);
  }

  Error flush(Window&, Target&) const override { return MPI_SUCCESS; }
};

constinit const MappedReach mapped;

}  // namespace

constinit const Reach& mapped_reach = mapped;

}  // namespace baton::window
