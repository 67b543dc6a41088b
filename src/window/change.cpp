#include "window/change.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "datatype/contents.hpp"
#include "datatype/runs.hpp"
#include "window/kernel_copy.hpp"
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

namespace {

// This is applied to the runs of the target one after another, and does to each what the accumulate
// asks.
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

  // Reads runs, changes them in a copy and writes them back, as many together as fit into the copy.
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

  // Changes each pair by itself, in the form of a C struct.
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

}  // namespace

Error change_place(Window& window, const Spot& spot, const Elements& elements, bool atomic,
                   const char* in, char* old, const Place& at) {
  return Accumulation(window, spot, elements, atomic, in, old).run(at);
}

Error change_own(Window& window, char* memory, const Datatype& type, std::int64_t bytes,
                 const Operation& operation, const char* in, char* old) {
  Elements elements;
  if (Error error = describe(operation, type, &elements)) return error;
  const Place at{window.rank(), 0, bytes / type.size, &type};
  const Spot spot{&window.own(), memory, reinterpret_cast<std::uint64_t>(memory)};
  const ElementHold hold(window, window.own(), at.count, can_be_atomic(elements, at, memory));
  return change_place(window, spot, elements, hold.is_atomic(), in, old, at);
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
