// This is the change that an accumulate makes to elements: which one it is, whether atomic
// instructions can make it, and the functions that make it, in the memory of a target or, for
// another rank, in this rank's own. They are used by the accumulating operations, and by the target
// for the operations that it carries out.
#pragma once

#include "datatype/operation.hpp"
#include "window/elements.hpp"
#include "window/place.hpp"

namespace baton::window {

// These are the elements that an accumulate changes.
struct Elements {
  const Datatype* type = nullptr;  // predefined; null: plain bytes, which are only replaced or read
  std::int64_t bytes = 1;          // of each element
  bool pairs = false;
  Change change;

  bool is_padded() const { return pairs && !type->contiguous; }
};

// Finds the elements that an accumulate changes. Errors: MPI_ERR_OP, MPI_ERR_TYPE, explained.
[[nodiscard]] Error describe(const Operation& operation, const Datatype& type, Elements* elements);

// Returns the kernel of an operation on bytes, taken as unsigned numbers, for which the standard
// defines none.
BATON_COLD datatype::Kernel kernel_for_bytes(const Operation& operation, const Datatype& type);

// Returns the kind of change that adds elements by an instruction, if there is one for this kind of
// element.
inline Change::Kind sum_of(datatype::Element element) {
  using datatype::Element;
  const Element plain = datatype::without_plain(element);
  if (plain >= Element::int8 && plain <= Element::uint64) return Change::Kind::add;
  const bool is_real = plain == Element::float32 || plain == Element::float64;
  return is_real ? Change::Kind::add_real : Change::Kind::kernel;
}

// Finds the change that an operation makes to elements of a predefined type. Returns false if the
// operation is not defined on them.
BATON_INLINE bool describe_change(const Operation& operation, const Datatype& type,
                                  Change* change) {
  if (operation.handle == MPI_REPLACE || operation.handle == MPI_NO_OP) {
    change->kind = operation.handle == MPI_REPLACE ? Change::Kind::replace : Change::Kind::nothing;
    return true;
  }
  if (BATON_UNLIKELY(!operation.predefined)) return false;
  change->kernel = kernel_of(operation, type);
  if (BATON_UNLIKELY(!change->kernel)) change->kernel = kernel_for_bytes(operation, type);
  change->kind = operation.handle == MPI_SUM ? sum_of(type.element) : Change::Kind::kernel;
  return change->kernel != nullptr;
}

// Returns whether each element of the place can be changed by an atomic instruction.
bool can_be_atomic(const Elements& elements, const Place& at, char* memory);

// Returns whether each element of a predefined type, from mapped memory on, can be changed by an
// atomic instruction.
inline bool is_atomic_array(const void* memory, const Datatype& type) {
  return type.contiguous && is_atomic_size(type.size) && is_atomic_place(memory, type.size);
}

// Changes the elements of a place at `memory`, which this rank holds (elements.hpp). `in` and `old`
// are packed, or null.
void change_place(const Elements& elements, char* memory, bool atomic, const char* in, char* old,
                  const Place& at);
// Returns whether a device makes the changes of an operation to elements of its memory, if they are
// many and nobody asks for the values before.
bool changes_on_device(const Operation& operation, const Datatype& type);
// Compares and swaps one element in mapped memory.
[[nodiscard]] Error swap_element(Window& window, const Spot& spot, const Datatype& type,
                                 const void* from, const void* expected, void* old);

// Changes contiguous elements at `memory` of this rank, called by its progress for another rank,
// which has sent the handles of type and operation as integers. `in` and `old` are packed, or null.
[[nodiscard]] Error change_own(Window& window, char* memory, std::int32_t type, std::int64_t bytes,
                               std::int32_t operation, const char* in, char* old);

}  // namespace baton::window
