// The kind of element says what a predefined datatype is to an operation. Datatypes use it, and the
// kernels, which are compiled several times; so there is nothing but constants here.
#pragma once

#include <cstdint>

#include "base/cache_line.hpp"

namespace baton::datatype {

enum class Element : std::uint8_t {
  none,  // not predefined, or no operation is defined on it (MPI_PACKED, MPI_WCHAR ...)
  int8,  // from here to float128: kinds that may be a pair's value
  int16,
  int32,
  int64,
  uint8,
  uint16,
  uint32,
  uint64,  // up to here: kinds that may be a pair's index
  int128,
  float16,
  float32,
  float64,
  long_double,
  float128,
  // These are Fortran's integers, without logical operations.
  plain_int8,
  plain_int16,
  plain_int32,
  plain_int64,
  complex32,
  complex64,
  complex_long_double,
  complex128,
  complex_half,
  bool8,
  logical8,
  logical16,
  logical32,
  logical64,
  logical128,
  byte,
  // These kinds have operations that the standard does not define, but that programs use with other
  // MPI libraries: all integer ones on MPI_CHAR, the logical ones on MPI_AINT, MPI_COUNT and
  // MPI_OFFSET.
  text8,
  address64,
  pair_float_float,
  pair_double_double,
  // These are pairs of any value and an integer index, laid out as a C struct; see pair_of.
  first_pair = 64,
  pair_float_int = first_pair + (float32 - int8) * 8 + (int32 - int8),
  pair_double_int = first_pair + (float64 - int8) * 8 + (int32 - int8),
  pair_long_int = first_pair + (int64 - int8) * 8 + (int32 - int8),
  pair_int_int = first_pair + (int32 - int8) * 8 + (int32 - int8),
  pair_short_int = first_pair + (int16 - int8) * 8 + (int32 - int8),
  pair_long_double_int = first_pair + (long_double - int8) * 8 + (int32 - int8),
};
inline constexpr int element_count = 64 + 14 * 8;

// Returns the kind without that distinction, where the logical operations make no difference.
// (Always inlined: a copy that was compiled for one level must not serve another.)
BATON_INLINE constexpr Element without_plain(Element element) {
  if (element == Element::address64) return Element::int64;
  if (element < Element::plain_int8 || element > Element::plain_int64) return element;
  return static_cast<Element>(static_cast<int>(element) - static_cast<int>(Element::plain_int8) +
                              static_cast<int>(Element::int8));
}

BATON_INLINE constexpr bool is_pair(Element element) {
  return element >= Element::pair_float_float;
}

// Returns the element of a value and its index (MPI_Type_get_value_index); `none` where the value
// cannot be ordered or the index is no integer of at most 64 bits.
BATON_INLINE constexpr Element pair_of(Element value, Element index) {
  value = without_plain(value);
  index = without_plain(index);
  if (value < Element::int8 || value > Element::float128) return Element::none;
  if (index < Element::int8 || index > Element::uint64) return Element::none;
  int first = static_cast<int>(Element::int8);
  return static_cast<Element>(static_cast<int>(Element::first_pair) +
                              (static_cast<int>(value) - first) * 8 +
                              (static_cast<int>(index) - first));
}
static_assert(pair_of(Element::int16, Element::int32) == Element::pair_short_int);
static_assert(static_cast<int>(pair_of(Element::float128, Element::uint64)) == element_count - 1);

}  // namespace baton::datatype
