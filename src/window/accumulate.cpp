// This is the origin's side of accumulating operations. Elements are changed in place where the
// target's memory is mapped here; else the origin reads them, changes them and writes them back,
// under the lock for elements at the target.
#include "window/accumulate.hpp"

#include <cstring>

#include "window/batch.hpp"
#include "window/change.hpp"
#include "window/kernel_copy.hpp"
#include "window/packed.hpp"
#include "window/pair.hpp"
#include "window/remote.hpp"
#include "window/spot.hpp"
#include "window/stream.hpp"

namespace baton::window {

namespace {

Error lengths_differ(std::int64_t here, std::int64_t there, const char* whose) {
  return fail(MPI_ERR_TYPE,
              "the %s has %lld bytes of data, the target %lld; counts and datatypes must describe "
              "as much on all sides",
              whose, static_cast<long long>(here), static_cast<long long>(there));
}

Error no_memory(std::int64_t bytes) {
  return fail(MPI_ERR_NO_MEM, "no memory for a copy of %lld bytes of data with gaps",
              static_cast<long long>(bytes));
}

// Returns whether data is one run of elements at the origin and in mapped memory, as in most
// accumulates.
template <class Side>
bool is_array(const Side& side) {
  return side.type->contiguous;
}
void change_array(Window& window, const Spot& spot, const Elements& elements, const Data* from,
                  const Data* result, const Place& at) {
  const std::int64_t count = at.bytes() / elements.bytes;
  auto* in = from ? static_cast<const char*>(from->buffer) : nullptr;
  auto* old = result ? static_cast<char*>(result->buffer) : nullptr;
  const ElementHold hold(window, *spot.target, count, can_be_atomic(elements, at, spot.memory));
  if (BATON_LIKELY(hold.is_atomic()))
    return change_atomically(elements.change, elements.bytes, in, spot.memory, old, count);
  change_plainly(elements.change, elements.bytes, in, spot.memory, old, count);
  note_stores(window);
}

// This rank changes the elements itself, for data of any layout.
Error change_runs(Window& window, const Spot& spot, const Elements& elements, const Data* from,
                  const Data* result, const Place& at) {
  const Data nothing{nullptr, 0, at.type};
  Packed in(from ? *from : nothing, true), old(result ? *result : nothing, false);
  if (!in.has_memory() || !old.has_memory()) return no_memory(at.bytes());
  {
    ElementHold hold(window, *spot.target, at.bytes() / elements.bytes,
                     can_be_atomic(elements, at, spot.memory));
    if (!spot.memory) hold.keep_locked();
    if (Error error = change_place(window, spot, elements, hold.is_atomic(),
                                   from ? in.bytes() : nullptr, result ? old.bytes() : nullptr, at))
      return error;
  }
  if (result) old.unpack();
  note_stores(window);
  return MPI_SUCCESS;
}

// This rank changes one run of elements, contiguous at both ends, through the kernel.
Error change_run_alone(Window& window, const Spot& spot, const Elements& elements, const char* from,
                       std::int64_t bytes) {
  const std::int64_t count = bytes / elements.bytes;
  const Data data{const_cast<char*>(from), count, elements.type};
  return change_runs(window, spot, elements, &data, nullptr,
                     {window.rank_of(*spot.target), 0, count, elements.type});
}

// Accumulates to memory that only the kernel can copy: through the batch, by the target itself, or
// by this rank.
Error change_private(Window& window, const Spot& spot, const Elements& elements, const Data* from,
                     const Data* result, const Place& at, const Operation& operation) {
  const bool arrays = !elements.is_padded() && elements.type && is_array(at) &&
                      (!from || is_array(*from)) && (!result || is_array(*result));
  Error error = MPI_SUCCESS;
  if (arrays && is_short_run(at) &&
      (result ? delegate_get_accumulate(window, spot, elements, from, *result, operation, &error)
              : batch_accumulate(window, spot, elements, *from, operation, &error)))
    return error;
  // The operations of one origin are done in the order of its calls, so what the batch holds goes
  // first.
  if ((error = finish_batch(window))) return error;
  if (arrays && is_short_run(at)) {
    const OwnWay own_way;
    return change_runs(window, spot, elements, from, result, at);
  }
  if (!arrays || result) return change_runs(window, spot, elements, from, result, at);
  return accumulate_long_run(window, spot, elements, operation,
                             static_cast<const char*>(from->buffer), at.bytes(), change_run_alone);
}

// Does the accumulate in the most frequent case: elements of a predefined type that are contiguous
// at both ends, in mapped memory. Returns false, with nothing done, in any other case and for wrong
// arguments. `in` and `old` may be null.
BATON_INLINE bool change_elements(Window& window, const Place& at, const Operation& operation,
                                  const void* in, void* old) {
  const Datatype& type = *at.type;
  char* memory = find_mapped(window, at);
  if (BATON_UNLIKELY(!memory || !type.predefined || at.count == 0 || type.size == 0)) return false;
  Target& target = window.targets[at.rank];
  const Spot spot{&target, memory, 0};
  Change change;
  if (!is_atomic_array(spot, type) || !describe_change(operation, type, &change)) return false;
  auto* from = static_cast<const char*>(in);
  auto* result = static_cast<char*>(old);
  if (BATON_LIKELY(at.count == 1)) {
    if (!begin_lone_change(window, target)) return false;
    change_atomically(change, type.size, from, spot.memory, result, 1);
    end_atomic_change(window.row->busy, platform::threads_multiple);
    return true;
  }
  const ElementHold hold(window, target, at.count, true);
  if (hold.is_atomic()) {
    change_atomically(change, type.size, from, spot.memory, result, at.count);
  } else {
    change_plainly(change, type.size, from, spot.memory, result, at.count);
    note_stores(window);
  }
  return true;
}

// Does an accumulate at any place. `from` and `result` may be null.
Error accumulate_at(Window& window, const Data* from, const Data* result, const Place& at,
                    const Operation& operation) {
  Spot spot;
  if (Error error =
          find_spot(window, at, &spot,
                    result ? WindowOperation::get_accumulate : WindowOperation::accumulate))
    return error;
  if (BATON_UNLIKELY(!spot.target)) return MPI_SUCCESS;
  const std::int64_t bytes = at.bytes();
  if (from && BATON_UNLIKELY(from->bytes() != bytes))
    return lengths_differ(from->bytes(), bytes, "origin");
  if (result && BATON_UNLIKELY(result->bytes() != bytes))
    return lengths_differ(result->bytes(), bytes, "result");
  if (BATON_UNLIKELY(bytes == 0)) return MPI_SUCCESS;
  const bool arrays = is_array(at) && (!from || is_array(*from)) && (!result || is_array(*result));
  Elements elements;
  if (Error error = describe(operation, *at.type, &elements)) return error;
  if (BATON_UNLIKELY(spot.is_remote()))
    return accumulate_remotely(window, spot, from, result, at, operation);
  if (BATON_UNLIKELY(!spot.memory))
    return change_private(window, spot, elements, from, result, at, operation);
  if (BATON_LIKELY(arrays)) {
    change_array(window, spot, elements, from, result, at);
    return MPI_SUCCESS;
  }
  return change_runs(window, spot, elements, from, result, at);
}

// Does a compare-and-swap on memory that only the kernel can copy.
BATON_COLD Error swap_private(Window& window, const Spot& spot, const Datatype& type,
                              const void* from, const void* expected, void* result) {
  Error error = MPI_SUCCESS;
  if (delegate_compare_and_swap(window, spot, type, from, expected, result, &error)) return error;
  const OwnWay own_way;
  const auto bytes = static_cast<std::size_t>(type.size);
  ElementHold hold(window, *spot.target, 1, false);
  hold.keep_locked();
  char there[element_bytes_max];
  if ((error = read_spot(window, spot, spot.address, there, type.size))) return error;
  if (std::memcmp(there, expected, bytes) == 0)
    error = write_spot(window, spot, spot.address, from, type.size);
  std::memcpy(result, there, bytes);
  return error;
}

}  // namespace

Error accumulate(Window& window, const Data& from, const Place& to, const Operation& operation) {
  if (BATON_UNLIKELY(operation.handle == MPI_NO_OP))
    return fail(MPI_ERR_OP,
                "argument op: MPI_NO_OP only reads, so it is for MPI_Get_accumulate and "
                "MPI_Fetch_and_op");
  if (is_alike(from, to) && change_elements(window, to, operation, from.buffer, nullptr))
    return MPI_SUCCESS;
  return accumulate_at(window, &from, nullptr, to, operation);
}

Error get_accumulate(Window& window, const Data& from, const Data& result, const Place& at,
                     const Operation& operation) {
  const bool reads = operation.handle == MPI_NO_OP;
  if (is_alike(result, at) && (reads || is_alike(from, at)) &&
      change_elements(window, at, operation, from.buffer, result.buffer))
    return MPI_SUCCESS;
  return accumulate_at(window, reads ? nullptr : &from, &result, at, operation);
}

Error fetch_and_op(Window& window, const void* from, void* result, const Place& at,
                   const Operation& operation) {
  if (BATON_UNLIKELY(!at.type->predefined))
    return fail(MPI_ERR_TYPE, "argument datatype: it must be a predefined one");
  if (change_elements(window, at, operation, from, result)) return MPI_SUCCESS;
  const Data in{const_cast<void*>(from), 1, at.type}, old{result, 1, at.type};
  return accumulate_at(window, operation.handle == MPI_NO_OP ? nullptr : &in, &old, at, operation);
}

Error compare_and_swap(Window& window, const void* from, const void* expected, void* result,
                       const Place& at) {
  using datatype::Element;
  const Datatype& type = *at.type;
  const bool ordered =
      type.element == Element::float16 || type.element == Element::float32 ||
      type.element == Element::float64 || type.element == Element::long_double ||
      type.element == Element::float128 || type.element == Element::none ||
      datatype::is_pair(type.element) ||
      (type.element >= Element::complex32 && type.element <= Element::complex_half);
  if (BATON_UNLIKELY(!type.predefined || ordered))
    return fail(MPI_ERR_TYPE,
                "argument datatype: it must be one of the integer, logical, multi-language or byte "
                "types; %s is none",
                type.name[0] ? type.name : "this one");
  Spot spot;
  if (Error error = find_spot(window, at, &spot, WindowOperation::get_accumulate)) return error;
  if (BATON_UNLIKELY(!spot.target)) return MPI_SUCCESS;
  if (BATON_UNLIKELY(spot.is_remote()))
    return compare_and_swap_remotely(window, spot, from, expected, result, at);
  if (BATON_UNLIKELY(!spot.memory)) return swap_private(window, spot, type, from, expected, result);
  const ElementHold hold(window, *spot.target, 1, is_atomic_array(spot, type));
  if (BATON_LIKELY(hold.is_atomic())) {
    compare_and_swap_atomically(type.size, expected, from, spot.memory, result);
    return MPI_SUCCESS;
  }
  const auto bytes = static_cast<std::size_t>(type.size);
  std::memcpy(result, spot.memory, bytes);
  if (std::memcmp(result, expected, bytes) == 0) std::memcpy(spot.memory, from, bytes);
  note_stores(window);
  return MPI_SUCCESS;
}

}  // namespace baton::window
