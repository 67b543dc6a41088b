// The accumulating operations. Elements are changed in place where the memory is mapped; else they
// are read, changed and written back under the target's lock for elements, by the origin alone.
#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "datatype/contents.hpp"
#include "datatype/pack.hpp"
#include "datatype/runs.hpp"
#include "window/accumulate.hpp"
#include "window/batch.hpp"
#include "window/operate.hpp"
#include "window/pair.hpp"
#include "window/remote.hpp"
#include "window/stream.hpp"
#include "window/synchronize.hpp"
#include "world/portability.hpp"

namespace baton::window {

namespace {

// The predefined type that a datatype consists of; null: of several, or pairs among others.
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

// Which instruction adds elements of a kind, if one does.
Change::Kind sum_of(datatype::Element element) {
  using datatype::Element;
  const Element plain = datatype::without_plain(element);
  if (plain >= Element::int8 && plain <= Element::uint64) return Change::Kind::add;
  const bool is_real = plain == Element::float32 || plain == Element::float64;
  return is_real ? Change::Kind::add_real : Change::Kind::kernel;
}

// Bytes are added, multiplied and compared as numbers without a sign, though the standard has only
// bitwise operations on them: docs/from-another-mpi.md.
BATON_COLD datatype::Kernel kernel_for_bytes(const Operation& operation, const Datatype& type) {
  using datatype::Element;
  if (type.element != Element::byte) return nullptr;
  note_not_portable(Lenience::byte_accumulate);
  return operation.kernels[static_cast<int>(Element::uint8)];
}

// What an operation does to elements of a predefined type; false: it is not defined on them.
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

}  // namespace

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

namespace {

// Whether each element can be changed by an atomic instruction.
bool can_be_atomic(const Elements& elements, const Place& at, char* memory) {
  if (!memory || !elements.type) return false;
  if (elements.is_padded()) {
    const std::int64_t bytes = elements.type->extent;  // the gaps, too
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

// One after another, what an accumulate does to the runs of its target.
class Accumulation {
 public:
  Accumulation(Window& window, const Spot& spot, const Elements& elements, bool atomic,
               const char* in, char* old)
      : window_(window), spot_(spot), elements_(elements), atomic_(atomic), in_(in), old_(old) {}

  Error run(const Place& at) {
    char* origin = spot_.memory ? spot_.memory : reinterpret_cast<char*>(spot_.address);
    if (elements_.is_padded()) return run_pairs(at, origin);
    if (!spot_.memory) return run_through_kernel(at, origin);
    datatype::for_each_run(*at.type, origin, at.count, [&](char* place, std::int64_t bytes) {
      change(place, bytes);
      return true;
    });
    return MPI_SUCCESS;
  }

 private:
  void change(char* place, std::int64_t bytes) {
    const std::int64_t count = bytes / elements_.bytes;
    if (atomic_)
      change_atomically(elements_.change, elements_.bytes, in_, place, old_, count);
    else
      change_plainly(elements_.change, elements_.bytes, in_, place, old_, count);
    if (in_) in_ += bytes;
    if (old_) old_ += bytes;
  }

  // Runs are read, changed in a copy and written back, as many together as fit.
  BATON_COLD Error run_through_kernel(const Place& at, char* origin) {
    constexpr std::int64_t copy_bytes_max = 1 << 16;  // guess: stays in cache
    char short_copy[512];
    const std::int64_t room = std::min(at.bytes(), copy_bytes_max);
    const bool is_short = room <= static_cast<std::int64_t>(sizeof short_copy);
    char* copy = is_short ? short_copy : static_cast<char*>(std::malloc(copy_bytes_max));
    if (!copy) return fail(MPI_ERR_NO_MEM, "no memory for a copy of what is accumulated");
    platform::ProcessRuns runs;
    Error error = MPI_SUCCESS;
    datatype::for_each_run(*at.type, origin, at.count, [&](char* place, std::int64_t bytes) {
      while (bytes > 0 && !error) {
        const std::int64_t left = room - static_cast<std::int64_t>(runs.bytes());
        const std::int64_t here = std::min(bytes, left / elements_.bytes * elements_.bytes);
        if (here == 0 || !runs.has_room()) {
          error = change_copy(runs, copy);
          continue;
        }
        runs.add(place, static_cast<std::size_t>(here));
        place += here;
        bytes -= here;
      }
      return error == MPI_SUCCESS;
    });
    if (!error) error = change_copy(runs, copy);
    if (!is_short) std::free(copy);
    return error;
  }

  Error change_copy(platform::ProcessRuns& runs, char* copy) {
    if (Error error = read_spot(window_, spot_, runs, copy)) return error;
    change(copy, static_cast<std::int64_t>(runs.bytes()));
    Error error = MPI_SUCCESS;
    if (elements_.change.kind != Change::Kind::nothing)
      error = write_spot(window_, spot_, runs, copy);
    runs.clear();
    return error;
  }

  // Each pair by itself, in the form of a C struct.
  BATON_COLD Error run_pairs(const Place& at, char* origin) {
    const Datatype& pair = *elements_.type;
    for_each_pair(pair, *at.type, origin, at.count, [&](char* place) {
      if (atomic_)
        change_pair_atomically(elements_.change, pair, in_, place, old_);
      else if (spot_.memory)
        change_pair(elements_.change, pair, in_, place, old_);
      else
        error_ = change_pair_through_kernel(place);
      if (in_) in_ += pair.size;
      if (old_) old_ += pair.size;
      return error_ == MPI_SUCCESS;
    });
    return error_;
  }

  Error change_pair_through_kernel(char* place) {
    const Datatype& pair = *elements_.type;
    alignas(16) char there[element_bytes_max] = {};
    const auto address = reinterpret_cast<std::uint64_t>(place);
    Error error = read_spot(window_, spot_, address, there, pair.extent);
    if (error) return error;
    change_pair(elements_.change, pair, in_, there, old_);
    if (elements_.change.kind == Change::Kind::nothing) return MPI_SUCCESS;
    datatype::for_each_run(pair, place, 1, [&](char* run, std::int64_t bytes) {
      error = write_spot(window_, spot_, reinterpret_cast<std::uint64_t>(run),
                         there + (run - place), bytes);
      return error == MPI_SUCCESS;
    });
    return error;
  }

  Window& window_;
  const Spot& spot_;
  const Elements& elements_;
  bool atomic_;
  const char* in_;
  char* old_;
  Error error_ = MPI_SUCCESS;
};

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

// Data that is one run of elements, at the origin and in mapped memory: most accumulates are.
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

// By this rank itself, whatever lies how.
Error change_runs(Window& window, const Spot& spot, const Elements& elements, const Data* from,
                  const Data* result, const Place& at) {
  const Data nothing{nullptr, 0, at.type};
  Packed in(from ? *from : nothing, true), old(result ? *result : nothing, false);
  if (!in.has_memory() || !old.has_memory()) return no_memory(at.bytes());
  {
    ElementHold hold(window, *spot.target, at.bytes() / elements.bytes,
                     can_be_atomic(elements, at, spot.memory));
    if (!spot.memory) hold.keep_locked();
    Accumulation accumulation(window, spot, elements, hold.is_atomic(), from ? in.bytes() : nullptr,
                              result ? old.bytes() : nullptr);
    if (Error error = accumulation.run(at)) return error;
  }
  if (result) old.unpack();
  note_stores(window);
  return MPI_SUCCESS;
}

// One run of elements at both ends, through the kernel.
Error change_run_alone(Window& window, const Spot& spot, const Elements& elements, const char* from,
                       std::int64_t bytes) {
  const std::int64_t count = bytes / elements.bytes;
  const Data data{const_cast<char*>(from), count, elements.type};
  return change_runs(window, spot, elements, &data, nullptr,
                     {window.rank_of(*spot.target), 0, count, elements.type});
}

// Memory that only the kernel can copy: through the batch, by the target itself, or by this rank.
Error change_private(Window& window, const Spot& spot, const Elements& elements, const Data* from,
                     const Data* result, const Place& at, const Operation& operation) {
  const bool arrays = !elements.is_padded() && elements.type && is_array(at) &&
                      (!from || is_array(*from)) && (!result || is_array(*result));
  Error error = MPI_SUCCESS;
  if (arrays && is_short_run(at) &&
      (result ? delegate_get_accumulate(window, spot, elements, from, *result, operation, &error)
              : batch_accumulate(window, spot, elements, *from, operation, &error)))
    return error;
  // Operations of one origin are done in their order.
  if ((error = finish_batch(window))) return error;
  if (arrays && is_short_run(at)) {
    const OwnWay own_way;
    return change_runs(window, spot, elements, from, result, at);
  }
  if (!arrays || result) return change_runs(window, spot, elements, from, result, at);
  return accumulate_long_run(window, spot, elements, operation,
                             static_cast<const char*>(from->buffer), at.bytes(), change_run_alone);
}

// Whether each element of a predefined type from there on can be changed by an atomic instruction.
inline bool is_atomic_array(const Spot& spot, const Datatype& type) {
  return spot.memory && type.contiguous && is_atomic_size(type.size) &&
         is_atomic_place(spot.memory, type.size);
}

// Most accumulates: elements of a predefined type, one after another on all sides, in mapped
// memory. False: it is another case, or wrong, and nothing was done. `in` and `old` may be null.
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

// `from` and `result` may be null.
Error change_place(Window& window, const Data* from, const Data* result, const Place& at,
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

// A compare-and-swap of memory that only the kernel can copy.
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
  return change_place(window, &from, nullptr, to, operation);
}

Error get_accumulate(Window& window, const Data& from, const Data& result, const Place& at,
                     const Operation& operation) {
  const bool reads = operation.handle == MPI_NO_OP;
  if (is_alike(result, at) && (reads || is_alike(from, at)) &&
      change_elements(window, at, operation, from.buffer, result.buffer))
    return MPI_SUCCESS;
  return change_place(window, reads ? nullptr : &from, &result, at, operation);
}

Error fetch_and_op(Window& window, const void* from, void* result, const Place& at,
                   const Operation& operation) {
  if (BATON_UNLIKELY(!at.type->predefined))
    return fail(MPI_ERR_TYPE, "argument datatype: it must be a predefined one");
  if (change_elements(window, at, operation, from, result)) return MPI_SUCCESS;
  const Data in{const_cast<void*>(from), 1, at.type}, old{result, 1, at.type};
  return change_place(window, operation.handle == MPI_NO_OP ? nullptr : &in, &old, at, operation);
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

Error change_own(Window& window, char* memory, const Datatype& type, std::int64_t bytes,
                 const Operation& operation, const char* in, char* old) {
  Elements elements;
  if (Error error = describe(operation, type, &elements)) return error;
  const Place at{window.rank(), 0, bytes / type.size, &type};
  const Spot spot{&window.own(), memory, reinterpret_cast<std::uint64_t>(memory)};
  const ElementHold hold(window, window.own(), at.count, can_be_atomic(elements, at, memory));
  return Accumulation(window, spot, elements, hold.is_atomic(), in, old).run(at);
}

void swap_own(Window& window, char* memory, const Datatype& type, const void* from,
              const void* expected, void* old) {
  const Spot spot{&window.own(), memory, reinterpret_cast<std::uint64_t>(memory)};
  const ElementHold hold(window, window.own(), 1, is_atomic_array(spot, type));
  if (hold.is_atomic()) return compare_and_swap_atomically(type.size, expected, from, memory, old);
  const auto bytes = static_cast<std::size_t>(type.size);
  std::memcpy(old, memory, bytes);
  if (std::memcmp(old, expected, bytes) == 0) std::memcpy(memory, from, bytes);
}

}  // namespace baton::window
