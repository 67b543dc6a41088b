#include "window/change.hpp"

#include <cstring>

#include "datatype/contents.hpp"
#include "datatype/device_reduce.hpp"
#include "datatype/host_copy.hpp"
#include "datatype/runs.hpp"
#include "window/packed.hpp"
#include "window/pair.hpp"
#include "world/portability.hpp"

namespace baton::window {

namespace {

// Returns the predefined type that a datatype consists of; null: it has several, or pairs among
// others.
const Datatype* element_type(const Datatype& type) {
  if (type.predefined) return &type;
  if (type.basic) return type.basic;
  const Datatype* found = nullptr;
  for (std::int64_t i = 0; type.contents && i < type.contents->type_count; ++i) {
    if (type.contents->types[i]->size == 0) continue;
    const Datatype* inside = element_type(*type.contents->types[i]);
    if (!inside || (found && found != inside)) return nullptr;
    found = inside;
  }
  return found;
}

}  // namespace

// Bytes are added, multiplied and compared as unsigned numbers, though the standard defines only
// bitwise operations on them: see docs/from-another-mpi.md.
datatype::Kernel kernel_for_bytes(const Operation& operation, const Datatype& type) {
  using datatype::Element;
  if (type.element != Element::byte) return nullptr;
  note_not_portable(Lenience::byte_accumulate);
  return operation.kernels[static_cast<int>(Element::uint8)];
}

Error describe(const Operation& operation, const Datatype& type, Elements* elements) {
  if (BATON_UNLIKELY(!operation.predefined))
    return fail(MPI_ERR_OP,
                "argument op: accumulates take predefined operations only, not what MPI_Op_create "
                "made");
  elements->type = element_type(type);
  const bool replaces = operation.handle == MPI_REPLACE, reads = operation.handle == MPI_NO_OP;
  if (elements->type) {
    elements->bytes = elements->type->size;
    elements->pairs = datatype::is_pair(elements->type->element);
  }
  if (replaces || reads) {
    elements->change.kind = replaces ? Change::Kind::replace : Change::Kind::nothing;
    return MPI_SUCCESS;
  }
  if (!elements->type)
    return fail(MPI_ERR_TYPE,
                "argument target_datatype: it consists of several predefined datatypes; what is "
                "accumulated must consist of one");
  if (!describe_change(operation, *elements->type, &elements->change))
    return datatype::refuse_operation(operation, *elements->type);
  return MPI_SUCCESS;
}

bool can_be_atomic(const Elements& elements, const Place& at, char* memory) {
  if (!memory || !elements.type) return false;
  if (elements.is_padded()) {
    const std::int64_t bytes = elements.type->extent;  // with the gaps
    return is_atomic_size(bytes) &&
           for_each_pair(*elements.type, *at.type, memory, at.count,
                         [bytes](char* place) { return is_atomic_place(place, bytes); });
  }
  if (!is_atomic_size(elements.bytes)) return false;
  if (BATON_LIKELY(at.type->contiguous)) return is_atomic_place(memory, elements.bytes);
  return datatype::for_each_run(*at.type, memory, at.count, [&](char* place, std::int64_t) {
    return is_atomic_place(place, elements.bytes);
  });
}

void change_place(const Elements& elements, char* memory, bool atomic, const char* in, char* old,
                  const Place& at) {
  auto step = [&](std::int64_t bytes) {
    if (in) in += bytes;
    if (old) old += bytes;
    return true;
  };
  if (elements.is_padded()) {
    const auto change = atomic ? change_pair_atomically : change_pair;
    for_each_pair(*elements.type, *at.type, memory, at.count, [&](char* place) {
      change(elements.change, *elements.type, in, place, old);
      return step(elements.type->size);
    });
    return;
  }
  const auto change = atomic ? change_atomically : change_plainly;
  datatype::for_each_run(*at.type, memory, at.count, [&](char* place, std::int64_t bytes) {
    change(elements.change, elements.bytes, in, place, old, bytes / elements.bytes);
    return step(bytes);
  });
}

// Changes elements in foreign memory of this rank, which it holds: by the device where that has the
// operation, else in a copy.
static Error change_foreign(const Elements& elements, char* memory, const Operation& operation,
                            const char* in, char* old, const Place& at) {
  const bool computes = elements.change.kind != Change::Kind::replace &&
                        elements.change.kind != Change::Kind::nothing;
  if (computes && !old && changes_on_device(operation, *at.type))
    return datatype::reduce_anywhere(operation, in, memory, at.count, *at.type);
  datatype::HostCopy copy(*at.type, memory, at.count, true);
  if (!copy.has_memory()) return no_memory_for(at.bytes());
  change_place(elements, static_cast<char*>(copy.address()), false, in, old, at);
  if (elements.change.kind != Change::Kind::nothing) copy.bring_back();
  return MPI_SUCCESS;
}

static Error swap_foreign(Window& window, const Spot& spot, const Datatype& type, const void* from,
                          const void* expected, void* old) {
  const ElementHold hold(window, *spot.target, 1, false);
  if (hold.error()) return hold.error();
  const auto bytes = static_cast<std::size_t>(type.size);
  platform::copy_anywhere(old, spot.memory, bytes);
  if (std::memcmp(old, expected, bytes) == 0) platform::copy_anywhere(spot.memory, from, bytes);
  return MPI_SUCCESS;
}

bool changes_on_device(const Operation& operation, const Datatype& type) {
  return type.contiguous && datatype::devices_reduce(operation, type);
}

// Returns whether elements of this rank lie in foreign memory. A window with a promise has none.
static bool is_foreign(const Window& window, const char* memory) {
  return BATON_UNLIKELY(platform::memory_kinds.any()) && !window.comm->point_to_point.is_host() &&
         platform::memory_kinds.find(memory) != nullptr;
}

Error swap_element(Window& window, const Spot& spot, const Datatype& type, const void* from,
                   const void* expected, void* old) {
  if (BATON_UNLIKELY(is_foreign(window, spot.memory)))
    return swap_foreign(window, spot, type, from, expected, old);
  const ElementHold hold(window, *spot.target, 1, is_atomic_array(spot.memory, type));
  if (BATON_UNLIKELY(hold.error())) return hold.error();
  if (BATON_LIKELY(hold.is_atomic())) {
    compare_and_swap_atomically(type.size, expected, from, spot.memory, old);
    return MPI_SUCCESS;
  }
  const auto bytes = static_cast<std::size_t>(type.size);
  std::memcpy(old, spot.memory, bytes);
  if (std::memcmp(old, expected, bytes) == 0) std::memcpy(spot.memory, from, bytes);
  note_stores(window);
  return MPI_SUCCESS;
}

Error change_own(Window& window, char* memory, std::int32_t type, std::int64_t bytes,
                 std::int32_t operation, const char* in, char* old) {
  const Datatype* of = datatype::datatypes.find(datatype::datatypes.from_int(type));
  const Operation* its = datatype::operations.find(datatype::operations.from_int(operation));
  if (!of || !its) return MPI_ERR_OP;
  Elements elements;
  if (Error error = describe(*its, *of, &elements)) return error;
  const Place at{window.rank(), 0, bytes / of->size, of};
  if (its->handle == MPI_NO_OP) in = nullptr;
  if (BATON_UNLIKELY(is_foreign(window, memory))) {
    const ElementHold hold(window, window.own(), at.count, false);
    if (hold.error()) return hold.error();
    return change_foreign(elements, memory, *its, in, old, at);
  }
  const ElementHold hold(window, window.own(), at.count, can_be_atomic(elements, at, memory));
  if (BATON_UNLIKELY(hold.error())) return hold.error();
  change_place(elements, memory, hold.is_atomic(), in, old, at);
  return MPI_SUCCESS;
}

}  // namespace baton::window
