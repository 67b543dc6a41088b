#include <cstddef>
#include <cstdio>
#include <cstring>
#include <new>

#include "base/check.hpp"
#include "datatype/datatype.hpp"
#include "datatype/pack.hpp"
#include "datatype/type_signature.hpp"
#include "platform/cpu.hpp"

namespace baton::datatype {

DatatypeTable datatypes;

namespace {

struct Row {
  MPI_Datatype handle;
  const char* name;
  std::int64_t size;
  std::int64_t extent;
  Element element;
  int alignment;
};

template <class First, class Second>
struct Pair {
  First first;
  Second second;
};

using ShortInt = Pair<short, int>;

// Fortran's default kinds are those of the usual compilers: INTEGER, REAL and LOGICAL of 4 bytes.
#define ROW(name, bytes, element) \
  { name, #name, bytes, bytes, Element::element, bytes }
// Complex numbers are aligned as their parts are.
#define COMPLEX(name, bytes, element) \
  { name, #name, bytes, bytes, Element::element, (bytes) / 2 }
#define PAIR(name, First, Second, element)                                                      \
  {                                                                                             \
    name, #name, sizeof(First) + sizeof(Second), sizeof(Pair<First, Second>), Element::element, \
        alignof(Pair<First, Second>)                                                            \
  }
// Where a type has two names, the standard calls one of them the synonym; the type is called by the
// other.
const Row rows[] = {
    ROW(MPI_AINT, 8, address64),
    ROW(MPI_COUNT, 8, address64),
    ROW(MPI_OFFSET, 8, address64),
    ROW(MPI_PACKED, 1, none),
    ROW(MPI_SHORT, 2, int16),
    ROW(MPI_INT, 4, int32),
    ROW(MPI_LONG, 8, int64),
    ROW(MPI_LONG_LONG_INT, 8, int64),
    ROW(MPI_UNSIGNED_SHORT, 2, uint16),
    ROW(MPI_UNSIGNED, 4, uint32),
    ROW(MPI_UNSIGNED_LONG, 8, uint64),
    ROW(MPI_UNSIGNED_LONG_LONG, 8, uint64),
    ROW(MPI_FLOAT, 4, float32),
    COMPLEX(MPI_C_COMPLEX, 8, complex32),
    COMPLEX(MPI_CXX_FLOAT_COMPLEX, 8, complex32),
    ROW(MPI_DOUBLE, 8, float64),
    COMPLEX(MPI_C_DOUBLE_COMPLEX, 16, complex64),
    COMPLEX(MPI_CXX_DOUBLE_COMPLEX, 16, complex64),
    ROW(MPI_LOGICAL, 4, logical32),
    ROW(MPI_INTEGER, 4, plain_int32),
    ROW(MPI_REAL, 4, float32),
    COMPLEX(MPI_COMPLEX, 8, complex32),
    ROW(MPI_DOUBLE_PRECISION, 8, float64),
    COMPLEX(MPI_DOUBLE_COMPLEX, 16, complex64),
    ROW(MPI_CHARACTER, 1, none),
    ROW(MPI_LONG_DOUBLE, sizeof(long double), long_double),
    COMPLEX(MPI_C_LONG_DOUBLE_COMPLEX, 2 * sizeof(long double), complex_long_double),
    COMPLEX(MPI_CXX_LONG_DOUBLE_COMPLEX, 2 * sizeof(long double), complex_long_double),
    PAIR(MPI_FLOAT_INT, float, int, pair_float_int),
    PAIR(MPI_DOUBLE_INT, double, int, pair_double_int),
    PAIR(MPI_LONG_INT, long, int, pair_long_int),
    PAIR(MPI_2INT, int, int, pair_int_int),
    PAIR(MPI_SHORT_INT, short, int, pair_short_int),
    PAIR(MPI_LONG_DOUBLE_INT, long double, int, pair_long_double_int),
    PAIR(MPI_2REAL, float, float, pair_float_float),
    PAIR(MPI_2DOUBLE_PRECISION, double, double, pair_double_double),
    PAIR(MPI_2INTEGER, int, int, pair_int_int),
    ROW(MPI_C_BOOL, 1, bool8),
    ROW(MPI_CXX_BOOL, 1, bool8),
    ROW(MPI_WCHAR, sizeof(wchar_t), none),
    ROW(MPI_INT8_T, 1, int8),
    ROW(MPI_UINT8_T, 1, uint8),
    ROW(MPI_CHAR, 1, text8),
    ROW(MPI_SIGNED_CHAR, 1, int8),
    ROW(MPI_UNSIGNED_CHAR, 1, uint8),
    ROW(MPI_BYTE, 1, byte),
    ROW(MPI_INT16_T, 2, int16),
    ROW(MPI_UINT16_T, 2, uint16),
    ROW(MPI_INT32_T, 4, int32),
    ROW(MPI_UINT32_T, 4, uint32),
    ROW(MPI_INT64_T, 8, int64),
    ROW(MPI_UINT64_T, 8, uint64),
    ROW(MPI_LOGICAL1, 1, logical8),
    ROW(MPI_INTEGER1, 1, plain_int8),
    ROW(MPI_LOGICAL2, 2, logical16),
    ROW(MPI_INTEGER2, 2, plain_int16),
    ROW(MPI_REAL2, 2, float16),
    ROW(MPI_LOGICAL4, 4, logical32),
    ROW(MPI_INTEGER4, 4, plain_int32),
    ROW(MPI_REAL4, 4, float32),
    COMPLEX(MPI_COMPLEX4, 4, complex_half),
    ROW(MPI_LOGICAL8, 8, logical64),
    ROW(MPI_INTEGER8, 8, plain_int64),
    ROW(MPI_REAL8, 8, float64),
    COMPLEX(MPI_COMPLEX8, 8, complex32),
    ROW(MPI_LOGICAL16, 16, logical128),
    ROW(MPI_INTEGER16, 16, int128),
    ROW(MPI_REAL16, 16, float128),
    COMPLEX(MPI_COMPLEX16, 16, complex64),
    COMPLEX(MPI_COMPLEX32, 32, complex128),
};
#undef ROW
#undef COMPLEX
#undef PAIR

// The shape is one block, but for the pair whose halves do not touch.
const Shape* shape_of(const Row& row) {
  if (row.element != Element::pair_short_int) return make_block(row.size);
  Part halves[] = {{0, 0, make_block(sizeof(short))},
                   {offsetof(ShortInt, second), 0, make_block(sizeof(int))}};
  const Shape* pair = make_sequence(halves, 2);  // holds references to its halves' shapes
  for (const Part& half : halves) release_shape(half.shape);
  return pair;
}

constexpr std::size_t row_count = sizeof rows / sizeof rows[0];
alignas(Datatype) char storage[row_count][sizeof(Datatype)];

}  // namespace

void make_predefined_datatypes() {
  if (datatypes.find(MPI_BYTE)) return;
  choose_walks(platform::vector_level());
  for (std::size_t i = 0; i < row_count; ++i) {
    const Row& row = rows[i];
    auto* type = new (storage[i]) Datatype;
    type->size = row.size;
    type->extent = row.extent;
    type->true_extent = row.size;
    type->shape = shape_of(row);
    BATON_INVARIANT(type->shape != nullptr);
    if (!is_block(type->shape)) type->true_extent = row.extent;
    type->contiguous = row.size == row.extent;
    type->committed = type->predefined = true;
    type->element = row.element;
    type->alignment = static_cast<std::uint8_t>(row.alignment);
    type->elements = is_pair(row.element) ? 2 : 1;
    type->basic = is_pair(row.element) ? nullptr : type;
    type->handle = row.handle;
    std::snprintf(type->name, sizeof type->name, "%s", row.name);
    datatypes.set_predefined(row.handle, type);
  }
  // Pairs use their halves' rows, so all rows must be there first.
  for (const Row& row : rows) {
    Datatype& type = *datatypes.find(row.handle);
    type.signature = basic_signature(type);
  }
}

}  // namespace baton::datatype
