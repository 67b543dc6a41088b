#include "datatype/unnamed.hpp"

#include <algorithm>
#include <cstdlib>
#include <mutex>
#include <new>

#include "base/settings.hpp"
#include "datatype/contents.hpp"
#include "datatype/elements.hpp"
#include "datatype/operation.hpp"
#include "datatype/type_signature.hpp"

namespace baton::datatype {

namespace {

struct Unnamed {
  Datatype type;
  Unnamed* next = nullptr;
};
constinit Unnamed* all_unnamed = nullptr;
// This guards the list: equal requests must have the same answer whichever thread asks.
constinit std::mutex unnamed_lock;

bool alike(const Contents& a, const Contents& b) {
  return a.combiner == b.combiner &&
         std::equal(a.integers, a.integers + a.integer_count, b.integers) &&
         std::equal(a.types, a.types + a.type_count, b.types);
}

Error out_of_memory() {
  return fail(MPI_ERR_NO_MEM, "no memory for a datatype; free some, or raise the limit");
}

// Returns the type of a record: the existing one, or a new one which `describe` completes.
template <class Describe>
Error find_or_make(Recorder& record, Datatype** found, Describe describe) {
  if (!record.good()) return out_of_memory();
  std::lock_guard guard(unnamed_lock);
  for (Unnamed* entry = all_unnamed; entry; entry = entry->next) {
    if (!alike(*entry->type.contents, record.contents())) continue;
    *found = &entry->type;
    return MPI_SUCCESS;
  }
  void* memory = std::malloc(sizeof(Unnamed));
  if (!memory) return out_of_memory();
  auto* entry = new (memory) Unnamed;
  Datatype& type = entry->type;
  describe(type);
  type.handle = type.shape ? datatypes.add(&type) : nullptr;
  if (type.handle == nullptr) {
    release_shape(type.shape);
    std::free(entry);
    return out_of_memory();
  }
  type.contiguous = is_block(type.shape) && type.extent == type.size;
  type.committed = type.predefined = true;
  type.contents = record.take();
  type.signature = basic_signature(type);
  entry->next = all_unnamed;
  all_unnamed = entry;
  *found = &type;
  return MPI_SUCCESS;
}

// A Fortran kind is laid out and reduced as one of the named types.
void describe_like(const Datatype& named, Datatype& type) {
  retain_shape(named.shape);
  type.shape = named.shape;
  type.size = named.size;
  type.extent = named.extent;
  type.true_extent = named.true_extent;
  type.alignment = named.alignment;
  type.element = named.element;
  type.elements = 1;
  type.basic = &type;
}

Error make_kind(Recorder& record, MPI_Datatype like, Datatype** type) {
  return find_or_make(record, type,
                      [=](Datatype& made) { describe_like(*datatypes.find(like), made); });
}

// These are the formats of the usual compilers: IEEE formats of 4, 8 and 16 bytes, and on this
// processor the one of 80 bits, which is C's long double.
struct RealKind {
  int precision, range;
  MPI_Datatype real, complex;
};
const RealKind real_kinds[] = {
    {6, 37, MPI_REAL4, MPI_COMPLEX8},
    {15, 307, MPI_REAL8, MPI_COMPLEX16},
    {18, 4931, MPI_LONG_DOUBLE, MPI_C_LONG_DOUBLE_COMPLEX},
    {33, 4931, MPI_REAL16, MPI_COMPLEX32},
};

Error find_kind(int precision, int range, const RealKind** found) {
  if (precision == MPI_UNDEFINED && range == MPI_UNDEFINED)
    return fail(MPI_ERR_ARG, "p and r are both MPI_UNDEFINED; give one of them");
  for (const RealKind& kind : real_kinds) {
    *found = &kind;
    if ((precision == MPI_UNDEFINED || precision <= kind.precision) &&
        (range == MPI_UNDEFINED || range <= kind.range))
      return MPI_SUCCESS;
  }
  return fail(MPI_ERR_ARG,
              "no number has %d digits and an exponent range of %d; at most 33 and 4931", precision,
              range);
}

std::int64_t round_up(std::int64_t number, std::int64_t step) {
  return (number + step - 1) / step * step;
}

// The pair is laid out as C lays out struct {value; index}.
void describe_pair(Datatype& value, Datatype& index, Datatype& type) {
  std::int64_t index_offset = round_up(value.size, index.alignment);
  type.alignment = std::max(value.alignment, index.alignment);
  type.size = value.size + index.size;
  type.true_extent = index_offset + index.size;
  type.extent = round_up(type.true_extent, type.alignment);
  type.element = pair_of(value.element, index.element);
  type.elements = 2;
  Part halves[] = {{0, 0, value.shape}, {index_offset, 0, index.shape}};
  type.shape = make_sequence(halves, 2);
}

}  // namespace

Error f90_integer(int range, Datatype** type) {
  struct IntegerKind {
    int range;
    MPI_Datatype handle;
  };
  const IntegerKind kinds[] = {{2, MPI_INTEGER1},
                               {4, MPI_INTEGER2},
                               {9, MPI_INTEGER4},
                               {18, MPI_INTEGER8},
                               {38, MPI_INTEGER16}};
  Recorder record(MPI_COMBINER_F90_INTEGER, CountForm::ints, {.integers = 1});
  record.integer(range);
  for (const IntegerKind& kind : kinds)
    if (range <= kind.range) return make_kind(record, kind.handle, type);
  return fail(MPI_ERR_ARG,
              "argument 1 (r): no integer has a range of %d decimal digits; at most 38", range);
}

Error f90_real(int precision, int range, Datatype** type) {
  const RealKind* kind;
  if (Error error = find_kind(precision, range, &kind)) return error;
  Recorder record(MPI_COMBINER_F90_REAL, CountForm::ints, {.integers = 2});
  record.integer(precision).integer(range);
  return make_kind(record, kind->real, type);
}

Error f90_complex(int precision, int range, Datatype** type) {
  const RealKind* kind;
  if (Error error = find_kind(precision, range, &kind)) return error;
  Recorder record(MPI_COMBINER_F90_COMPLEX, CountForm::ints, {.integers = 2});
  record.integer(precision).integer(range);
  return make_kind(record, kind->complex, type);
}

Error value_index(Datatype& value, Datatype& index, Datatype** pair) {
  *pair = nullptr;
  if (!value.predefined || !index.predefined) return MPI_SUCCESS;
  *pair = find_named_pair(value, index);
  if (*pair || !settings.unnamed_pairs || pair_of(value.element, index.element) == Element::none)
    return MPI_SUCCESS;
  Recorder record(MPI_COMBINER_VALUE_INDEX, CountForm::ints, {.types = 2});
  record.type(value).type(index);
  return find_or_make(record, pair, [&](Datatype& made) { describe_pair(value, index, made); });
}

}  // namespace baton::datatype
