// Every predefined operation on every predefined type against a plain reference, which is computed
// in the widest arithmetic and knows from the standard's tables where an operation is defined.
#include "datatype/operation.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <type_traits>
#include <vector>

namespace baton::datatype {
namespace {

using Random = std::mt19937_64;

enum class Class { integer, floating, complex, logical, byte, pair, none };

struct Entry {
  const char* name;
  MPI_Datatype handle;
  Class its_class;
  std::size_t size;
  bool is_unsigned = false;
};
#define INTEGER(name, size) \
  { #name, name, Class::integer, size }
#define UNSIGNED(name, size) \
  { #name, name, Class::integer, size, true }
#define OF(kind, name, size) \
  { #name, name, Class::kind, size }
const Entry entries[] = {
    INTEGER(MPI_SHORT, 2),
    INTEGER(MPI_INT, 4),
    INTEGER(MPI_LONG, 8),
    INTEGER(MPI_LONG_LONG, 8),
    INTEGER(MPI_SIGNED_CHAR, 1),
    UNSIGNED(MPI_UNSIGNED_CHAR, 1),
    UNSIGNED(MPI_UNSIGNED_SHORT, 2),
    UNSIGNED(MPI_UNSIGNED, 4),
    UNSIGNED(MPI_UNSIGNED_LONG, 8),
    UNSIGNED(MPI_UNSIGNED_LONG_LONG, 8),
    INTEGER(MPI_INT8_T, 1),
    INTEGER(MPI_INT16_T, 2),
    INTEGER(MPI_INT32_T, 4),
    INTEGER(MPI_INT64_T, 8),
    UNSIGNED(MPI_UINT8_T, 1),
    UNSIGNED(MPI_UINT16_T, 2),
    UNSIGNED(MPI_UINT32_T, 4),
    UNSIGNED(MPI_UINT64_T, 8),
    INTEGER(MPI_INTEGER, 4),
    INTEGER(MPI_INTEGER1, 1),
    INTEGER(MPI_INTEGER2, 2),
    INTEGER(MPI_INTEGER4, 4),
    INTEGER(MPI_INTEGER8, 8),
    INTEGER(MPI_AINT, 8),
    INTEGER(MPI_COUNT, 8),
    INTEGER(MPI_OFFSET, 8),
    OF(floating, MPI_FLOAT, 4),
    OF(floating, MPI_DOUBLE, 8),
    OF(floating, MPI_LONG_DOUBLE, sizeof(long double)),
    OF(floating, MPI_REAL, 4),
    OF(floating, MPI_DOUBLE_PRECISION, 8),
    OF(floating, MPI_REAL2, 2),
    OF(floating, MPI_REAL4, 4),
    OF(floating, MPI_REAL8, 8),
    OF(complex, MPI_C_FLOAT_COMPLEX, 8),
    OF(complex, MPI_C_DOUBLE_COMPLEX, 16),
    OF(complex, MPI_CXX_FLOAT_COMPLEX, 8),
    OF(complex, MPI_CXX_DOUBLE_COMPLEX, 16),
    OF(complex, MPI_COMPLEX, 8),
    OF(complex, MPI_DOUBLE_COMPLEX, 16),
    OF(complex, MPI_COMPLEX8, 8),
    OF(complex, MPI_COMPLEX16, 16),
    OF(logical, MPI_C_BOOL, 1),
    OF(logical, MPI_CXX_BOOL, 1),
    OF(logical, MPI_LOGICAL, 4),
    OF(logical, MPI_LOGICAL1, 1),
    OF(logical, MPI_LOGICAL2, 2),
    OF(logical, MPI_LOGICAL4, 4),
    OF(logical, MPI_LOGICAL8, 8),
    OF(byte, MPI_BYTE, 1),
    OF(pair, MPI_FLOAT_INT, 8),
    OF(pair, MPI_DOUBLE_INT, 12),
    OF(pair, MPI_LONG_INT, 12),
    OF(pair, MPI_2INT, 8),
    OF(pair, MPI_SHORT_INT, 6),
    OF(pair, MPI_2REAL, 8),
    OF(pair, MPI_2DOUBLE_PRECISION, 16),
    OF(pair, MPI_2INTEGER, 8),
    OF(none, MPI_CHAR, 1),
    OF(none, MPI_CHARACTER, 1),
    OF(none, MPI_PACKED, 1),
    OF(none, MPI_WCHAR, sizeof(wchar_t)),
};
const MPI_Op all_operations[] = {MPI_SUM,  MPI_PROD, MPI_MAX, MPI_MIN,  MPI_LAND,   MPI_LOR,
                                 MPI_LXOR, MPI_BAND, MPI_BOR, MPI_BXOR, MPI_MAXLOC, MPI_MINLOC};

// The standard's table of operations and kinds of types (MPI 5.0, 6.9.2).
bool is_defined(MPI_Op op, Class its_class) {
  bool arithmetic = its_class == Class::integer || its_class == Class::floating;
  if (op == MPI_MAX || op == MPI_MIN) return arithmetic;
  if (op == MPI_SUM || op == MPI_PROD) return arithmetic || its_class == Class::complex;
  if (op == MPI_LAND || op == MPI_LOR || op == MPI_LXOR)
    return its_class == Class::integer || its_class == Class::logical;
  if (op == MPI_BAND || op == MPI_BOR || op == MPI_BXOR)
    return its_class == Class::integer || its_class == Class::byte;
  return its_class == Class::pair;
}

template <class T>
T number(MPI_Op op, T a, T b) {
  if (op == MPI_SUM) return static_cast<T>(a + b);
  if (op == MPI_PROD) return static_cast<T>(a * b);
  if (op == MPI_MAX) return a < b ? b : a;
  if (op == MPI_MIN) return b < a ? b : a;
  if (op == MPI_LAND) return a != 0 && b != 0;
  if (op == MPI_LOR) return a != 0 || b != 0;
  if (op == MPI_LXOR) return (a != 0) != (b != 0);
  return 0;
}

// An integer of `size` bytes, extended to 64 bits and back.
std::int64_t read_integer(const char* at, std::size_t size, bool is_unsigned) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, at, size);
  std::size_t unused = 64 - 8 * size;
  return is_unsigned ? static_cast<std::int64_t>(bits)
                     : static_cast<std::int64_t>(bits << unused) >> unused;
}

void expect_integer(const Entry& entry, MPI_Op op, const char* in, const char* old,
                    char* expected) {
  std::int64_t a = read_integer(in, entry.size, entry.is_unsigned);
  std::int64_t b = read_integer(old, entry.size, entry.is_unsigned);
  auto ua = static_cast<std::uint64_t>(a), ub = static_cast<std::uint64_t>(b);
  std::uint64_t result = op == MPI_BAND   ? ua & ub
                         : op == MPI_BOR  ? ua | ub
                         : op == MPI_BXOR ? ua ^ ub
                                          : 0;
  bool bits = op == MPI_BAND || op == MPI_BOR || op == MPI_BXOR;
  bool compares = op == MPI_MAX || op == MPI_MIN;
  if (!bits)
    result = compares && !entry.is_unsigned ? static_cast<std::uint64_t>(number(op, a, b))
                                            : number(op, ua, ub);
  std::memcpy(expected, &result, entry.size);
}

template <class T>
void expect_float(MPI_Op op, const char* in, const char* old, char* expected) {
  T a, b;
  std::memcpy(&a, in, sizeof a);
  std::memcpy(&b, old, sizeof b);
  T result = number<T>(op, a, b);
  std::memcpy(expected, &result, sizeof(T) > 10 ? 10 : sizeof(T));  // padding stays
}

template <class T>
void expect_complex(MPI_Op op, const char* in, const char* old, char* expected) {
  T a[2], b[2];
  std::memcpy(a, in, sizeof a);
  std::memcpy(b, old, sizeof b);
  T sum[] = {a[0] + b[0], a[1] + b[1]};
  T product[] = {a[0] * b[0] - a[1] * b[1], a[0] * b[1] + a[1] * b[0]};
  std::memcpy(expected, op == MPI_SUM ? sum : product, sizeof sum);
}

template <class Value, class Index>
void expect_pair(MPI_Op op, const char* in, const char* old, char* expected) {
  struct Pair {
    Value value;
    Index index;
  } a, b;
  std::memcpy(&a, in, sizeof a);
  std::memcpy(&b, old, sizeof b);
  bool mine = op == MPI_MAXLOC ? a.value > b.value : a.value < b.value;
  Pair result = mine ? a : b;
  if (a.value == b.value) result.index = std::min(a.index, b.index);
  std::memcpy(expected + offsetof(Pair, value), &result.value, sizeof result.value);
  std::memcpy(expected + offsetof(Pair, index), &result.index, sizeof result.index);
}

void expect_any_pair(MPI_Datatype type, MPI_Op op, const char* in, const char* old,
                     char* expected) {
  if (type == MPI_FLOAT_INT) return expect_pair<float, int>(op, in, old, expected);
  if (type == MPI_DOUBLE_INT) return expect_pair<double, int>(op, in, old, expected);
  if (type == MPI_LONG_INT) return expect_pair<long, int>(op, in, old, expected);
  if (type == MPI_SHORT_INT) return expect_pair<short, int>(op, in, old, expected);
  if (type == MPI_2REAL) return expect_pair<float, float>(op, in, old, expected);
  if (type == MPI_2DOUBLE_PRECISION) return expect_pair<double, double>(op, in, old, expected);
  expect_pair<int, int>(op, in, old, expected);
}

// One element: `expected` starts as a copy of the old one.
void expect(const Entry& entry, MPI_Op op, const char* in, const char* old, char* expected) {
  switch (entry.its_class) {
    case Class::floating:
      if (entry.size == 2) return expect_float<_Float16>(op, in, old, expected);
      if (entry.size == 4) return expect_float<float>(op, in, old, expected);
      if (entry.size == 8) return expect_float<double>(op, in, old, expected);
      return expect_float<long double>(op, in, old, expected);
    case Class::complex:
      return entry.size == 8 ? expect_complex<float>(op, in, old, expected)
                             : expect_complex<double>(op, in, old, expected);
    case Class::pair:
      return expect_any_pair(entry.handle, op, in, old, expected);
    default:
      return expect_integer(entry, op, in, old, expected);
  }
}

template <class T>
void put(char* at, T value) {
  std::memcpy(at, &value, sizeof value);
}

// Small numbers, so that floating arithmetic is exact and equal values are met often.
void fill_number(Random& random, Class its_class, std::size_t size, char* at) {
  auto value = static_cast<int>(random() % 9) - 4;
  if (its_class == Class::floating && size == 2) return put(at, static_cast<_Float16>(value));
  if (its_class == Class::floating && size == 4) return put(at, static_cast<float>(value));
  if (its_class == Class::floating && size == 8) return put(at, static_cast<double>(value));
  if (its_class == Class::floating) return put(at, static_cast<long double>(value));
  std::int64_t integer = its_class == Class::logical ? value > 0 : value;
  if (its_class != Class::logical && random() % 2) integer = static_cast<std::int64_t>(random());
  std::memcpy(at, &integer, size);
}

void fill_pair(Random& random, MPI_Datatype type, char* at, std::size_t extent) {
  bool reals = type == MPI_2REAL, doubles = type == MPI_2DOUBLE_PRECISION;
  bool floating = reals || doubles || type == MPI_FLOAT_INT || type == MPI_DOUBLE_INT;
  std::size_t half = extent / 2;
  std::size_t value = type == MPI_SHORT_INT ? 2 : half;
  std::int64_t small = static_cast<std::int64_t>(random() % 3) - 1;
  if (floating)
    fill_number(random, Class::floating, value, at);
  else
    std::memcpy(at, &small, value);
  auto index = static_cast<std::int32_t>(random() % 5);
  if (reals) return put(at + half, static_cast<float>(index));
  if (doubles) return put(at + half, static_cast<double>(index));
  put(at + half, index);
}

void fill(Random& random, const Entry& entry, char* at, std::size_t extent) {
  if (entry.its_class == Class::pair) return fill_pair(random, entry.handle, at, extent);
  if (entry.its_class == Class::complex) {
    fill_number(random, Class::floating, entry.size / 2, at);
    return fill_number(random, Class::floating, entry.size / 2, at + entry.size / 2);
  }
  fill_number(random, entry.its_class, entry.size, at);
}

void compare(const Entry& entry, MPI_Op op, Random& random) {
  constexpr std::int64_t count = 133;
  Datatype& type = *datatypes.find(entry.handle);
  auto extent = static_cast<std::size_t>(type.extent);
  std::vector<char> in(count * extent), inout(count * extent);
  for (std::size_t i = 0; i < count; ++i) {
    fill(random, entry, in.data() + i * extent, extent);
    fill(random, entry, inout.data() + i * extent, extent);
  }
  std::vector<char> expected = inout, kept = in;
  for (std::size_t i = 0; i < count; ++i)
    expect(entry, op, in.data() + i * extent, inout.data() + i * extent,
           expected.data() + i * extent);
  reduce(*operations.find(op), in.data(), inout.data(), count, type);
  EXPECT_TRUE(inout == expected) << operations.find(op)->name << " on " << entry.name;
  EXPECT_TRUE(in == kept) << "the input was changed";
}

TEST(operation, every_predefined_operation_is_right_on_every_type_and_refused_elsewhere) {
  make_predefined_datatypes();
  make_predefined_operations();
  Random random(7);
  int tried = 0;
  for (const Entry& entry : entries) {
    Datatype* type = datatypes.find(entry.handle);
    ASSERT_NE(type, nullptr) << entry.name;
    EXPECT_EQ(type->size, static_cast<std::int64_t>(entry.size)) << entry.name;
    for (MPI_Op op : all_operations) {
      bool defined = is_defined(op, entry.its_class);
      EXPECT_EQ(check_operation(*operations.find(op), *type), defined ? MPI_SUCCESS : MPI_ERR_OP)
          << operations.find(op)->name << " on " << entry.name;
      if (!defined || !find_kernel(op, type->element)) continue;
      compare(entry, op, random);
      ++tried;
    }
  }
  EXPECT_GT(tried, 300);
}

MPI_Datatype seen_type;
void count_calls(void* in, void* inout, int* count, MPI_Datatype* type) {
  for (int i = 0; i < *count; ++i) static_cast<int*>(inout)[i] -= static_cast<int*>(in)[i];
  seen_type = *type;
}

TEST(operation, a_user_function_gets_both_buffers_the_count_and_the_type) {
  make_predefined_datatypes();
  Operation* operation = nullptr;
  ASSERT_EQ(make_operation(count_calls, nullptr, false, &operation), MPI_SUCCESS);
  int in[] = {1, 2, 3}, inout[] = {10, 10, 10};
  reduce(*operation, in, inout, 3, *datatypes.find(MPI_INT));
  EXPECT_EQ(inout[0], 9);
  EXPECT_EQ(inout[2], 7);
  EXPECT_EQ(seen_type, MPI_INT);
  EXPECT_EQ(check_operation(*operation, *datatypes.find(MPI_CHAR)), MPI_SUCCESS);
  release(*operation);
}

}  // namespace
}  // namespace baton::datatype
