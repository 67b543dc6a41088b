// This is the origin's side of accumulating operations: what is most frequent is done here, the
// rest by the target's reach.
#include "window/accumulate.hpp"

#include "datatype/host_copy.hpp"
#include "window/count.hpp"
#include "window/packed.hpp"
#include "window/reach.hpp"
#include "window/spot.hpp"

namespace baton::window {

namespace {

Error lengths_differ(std::int64_t here, std::int64_t there, const char* whose) {
  return fail(MPI_ERR_TYPE,
              "the %s has %lld bytes of data, the target %lld; counts and datatypes must describe "
              "as much on all sides",
              whose, static_cast<long long>(here), static_cast<long long>(there));
}

// Does the accumulate in the most frequent case: elements of a predefined type that are contiguous
// at both ends, in mapped memory. Returns false, with nothing done, in any other case and for wrong
// arguments, or where a rank has died that holds the elements. `in` and `old` may be null.
BATON_INLINE bool change_elements(Window& window, const Place& at, const Operation& operation,
                                  const void* in, void* old) {
  const Datatype& type = *at.type;
  char* memory = find_mapped(window, at);
  if (BATON_UNLIKELY(!memory || !type.predefined || at.count == 0)) return false;
  Target& target = window.targets[at.rank];
  Change change;
  if (!is_atomic_array(memory, type) || !describe_change(operation, type, &change)) return false;
  auto* from = static_cast<const char*>(in);
  auto* result = static_cast<char*>(old);
  if (BATON_LIKELY(at.count == 1)) {
    if (!begin_lone_change(window, target)) return false;
    change_atomically(change, type.size, from, memory, result, 1);
    end_atomic_change(window.row->busy, platform::threads_multiple);
    return true;
  }
  const ElementHold hold(window, target, at.count, true);
  if (BATON_UNLIKELY(hold.error())) return false;
  if (hold.is_atomic()) {
    change_atomically(change, type.size, from, memory, result, at.count);
  } else {
    change_plainly(change, type.size, from, memory, result, at.count);
    note_stores(window);
  }
  return true;
}

// Does an accumulate at any place. `from` and `result` may be null.
Error accumulate_at(Window& window, const Data* from, const Data* result, const Place& at,
                    const Operation& operation) {
  Spot spot;
  if (Error error = find_spot(window, at, &spot)) return error;
  if (BATON_UNLIKELY(!spot.target)) return MPI_SUCCESS;
  const std::int64_t bytes = at.bytes();
  if (from && BATON_UNLIKELY(from->bytes() != bytes))
    return lengths_differ(from->bytes(), bytes, "origin");
  if (result && BATON_UNLIKELY(result->bytes() != bytes))
    return lengths_differ(result->bytes(), bytes, "result");
  if (BATON_UNLIKELY(bytes == 0)) return MPI_SUCCESS;
  Elements elements;
  if (Error error = describe(operation, *at.type, &elements)) return error;
  count_operation(window, bytes, spot,
                  result ? WindowOperation::get_accumulate : WindowOperation::accumulate);
  return reach_of(spot).change(window, spot, {operation, elements, from, result, at});
}

// The operands may lie in foreign memory. The result may come with a later answer, which is
// awaited.
BATON_COLD Error swap_by_host_copies(Window& window, const Spot& spot, const Datatype& type,
                                     const void* from, const void* expected, void* result) {
  const datatype::HostCopy changed(type, from, 1, true), old(type, expected, 1, true);
  datatype::HostCopy found(type, result, 1, false);
  if (!changed.has_memory() || !old.has_memory() || !found.has_memory())
    return no_memory_for(type.size);
  const Reach& reach = reach_of(spot);
  Error error = reach.swap(window, spot, type, changed.address(), old.address(), found.address());
  if (!error) error = reach.flush(window, *spot.target);
  if (!error) found.bring_back();
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
  const bool is_host =
      BATON_UNLIKELY(platform::memory_kinds.any()) && window.comm->point_to_point.is_host();
  const Data in{const_cast<void*>(from), 1, at.type, is_host};
  const Data old{result, 1, at.type, is_host};
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
  if (char* const memory = find_mapped(window, at)) {
    Target& target = window.targets[at.rank];
    if (is_atomic_array(memory, type) && begin_lone_change(window, target)) {
      compare_and_swap_atomically(type.size, expected, from, memory, result);
      end_atomic_change(window.row->busy, platform::threads_multiple);
      return MPI_SUCCESS;
    }
  }
  Spot spot;
  if (Error error = find_spot(window, at, &spot)) return error;
  if (BATON_UNLIKELY(!spot.target)) return MPI_SUCCESS;
  count_operation(window, type.size, spot, WindowOperation::get_accumulate);
  if (BATON_UNLIKELY(platform::memory_kinds.any()) && !window.comm->point_to_point.is_host())
    return swap_by_host_copies(window, spot, type, from, expected, result);
  return reach_of(spot).swap(window, spot, type, from, expected, result);
}

}  // namespace baton::window
