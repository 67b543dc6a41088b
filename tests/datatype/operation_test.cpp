// Every predefined operation on every predefined type against a plain reference, which is computed
// in the widest arithmetic and knows from the standard's tables where an operation is defined; at
// every level of vector instructions this CPU has, in odd lengths and at odd addresses.
#include "datatype/operation.hpp"
#include "tests/datatype/make.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <type_traits>
#include <vector>

#include "platform/cpu.hpp"

namespace baton::datatype {
namespace {

using Random = std::mt19937_64;

// Plain ones are integers without logical operations.
enum class Class { integer, plain, floating, complex, logical, byte, pair, none };

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
    OF(plain, MPI_INTEGER, 4),
    OF(plain, MPI_INTEGER1, 1),
    OF(plain, MPI_INTEGER2, 2),
    OF(plain, MPI_INTEGER4, 4),
    OF(plain, MPI_INTEGER8, 8),
    OF(plain, MPI_INTEGER16, 16),
    // As other libraries have them; the standard has no operation on MPI_CHAR and no logical ones
    // on the others.
    {"MPI_CHAR", MPI_CHAR, Class::integer, 1, char(-1) > 0},
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
    OF(floating, MPI_REAL16, 16),
    OF(complex, MPI_C_FLOAT_COMPLEX, 8),
    OF(complex, MPI_C_DOUBLE_COMPLEX, 16),
    OF(complex, MPI_CXX_FLOAT_COMPLEX, 8),
    OF(complex, MPI_CXX_DOUBLE_COMPLEX, 16),
    OF(complex, MPI_COMPLEX, 8),
    OF(complex, MPI_DOUBLE_COMPLEX, 16),
    OF(complex, MPI_COMPLEX4, 4),
    OF(complex, MPI_COMPLEX8, 8),
    OF(complex, MPI_COMPLEX16, 16),
    OF(complex, MPI_COMPLEX32, 32),
    OF(complex, MPI_C_LONG_DOUBLE_COMPLEX, 2 * sizeof(long double)),
    OF(complex, MPI_CXX_LONG_DOUBLE_COMPLEX, 2 * sizeof(long double)),
    OF(logical, MPI_C_BOOL, 1),
    OF(logical, MPI_CXX_BOOL, 1),
    OF(logical, MPI_LOGICAL, 4),
    OF(logical, MPI_LOGICAL1, 1),
    OF(logical, MPI_LOGICAL2, 2),
    OF(logical, MPI_LOGICAL4, 4),
    OF(logical, MPI_LOGICAL8, 8),
    OF(logical, MPI_LOGICAL16, 16),
    OF(byte, MPI_BYTE, 1),
    OF(pair, MPI_FLOAT_INT, 8),
    OF(pair, MPI_DOUBLE_INT, 12),
    OF(pair, MPI_LONG_INT, 12),
    OF(pair, MPI_2INT, 8),
    OF(pair, MPI_SHORT_INT, 6),
    OF(pair, MPI_LONG_DOUBLE_INT, sizeof(long double) + 4),
    OF(pair, MPI_2REAL, 8),
    OF(pair, MPI_2DOUBLE_PRECISION, 16),
    OF(pair, MPI_2INTEGER, 8),
    OF(none, MPI_CHARACTER, 1),
    OF(none, MPI_PACKED, 1),
    OF(none, MPI_WCHAR, sizeof(wchar_t)),
};
const MPI_Op all_operations[] = {MPI_SUM,    MPI_PROD,   MPI_MAX,     MPI_MIN,  MPI_LAND,
                                 MPI_LOR,    MPI_LXOR,   MPI_BAND,    MPI_BOR,  MPI_BXOR,
                                 MPI_MAXLOC, MPI_MINLOC, MPI_REPLACE, MPI_NO_OP};

// The standard's table of operations and kinds of types (MPI 5.0, 6.9.2).
bool is_defined(MPI_Op op, Class its_class) {
  bool whole = its_class == Class::integer || its_class == Class::plain;
  bool arithmetic = whole || its_class == Class::floating;
  if (op == MPI_MAX || op == MPI_MIN) return arithmetic;
  if (op == MPI_SUM || op == MPI_PROD) return arithmetic || its_class == Class::complex;
  if (op == MPI_LAND || op == MPI_LOR || op == MPI_LXOR)
    return its_class == Class::integer || its_class == Class::logical;
  if (op == MPI_BAND || op == MPI_BOR || op == MPI_BXOR) return whole || its_class == Class::byte;
  return its_class == Class::pair && (op == MPI_MAXLOC || op == MPI_MINLOC);
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

using Whole = __int128;
using Bits = unsigned __int128;

// An integer of `size` bytes, extended to 128 bits.
Whole read_integer(const char* at, std::size_t size, bool is_unsigned) {
  Bits bits = 0;
  std::memcpy(&bits, at, size);
  std::size_t unused = 128 - 8 * size;
  return is_unsigned ? static_cast<Whole>(bits) : static_cast<Whole>(bits << unused) >> unused;
}

void expect_integer(const Entry& entry, MPI_Op op, const char* in, const char* old,
                    char* expected) {
  Whole a = read_integer(in, entry.size, entry.is_unsigned);
  Whole b = read_integer(old, entry.size, entry.is_unsigned);
  auto ua = static_cast<Bits>(a), ub = static_cast<Bits>(b);
  Bits result = op == MPI_BAND ? ua & ub : op == MPI_BOR ? ua | ub : op == MPI_BXOR ? ua ^ ub : 0;
  bool bits = op == MPI_BAND || op == MPI_BOR || op == MPI_BXOR;
  bool compares = op == MPI_MAX || op == MPI_MIN;
  if (!bits) result = compares ? static_cast<Bits>(number(op, a, b)) : number(op, ua, ub);
  std::memcpy(expected, &result, entry.size);
}

template <class T>
void expect_float(MPI_Op op, const char* in, const char* old, char* expected) {
  T a, b;
  std::memcpy(&a, in, sizeof a);
  std::memcpy(&b, old, sizeof b);
  T result = number<T>(op, a, b);
  bool is_long_double = std::is_same_v<T, long double>;
  std::memcpy(expected, &result, is_long_double ? 10 : sizeof(T));  // padding stays
}

template <class T>
void expect_complex(MPI_Op op, const char* in, const char* old, char* expected) {
  T a[2], b[2];
  std::memcpy(a, in, sizeof a);
  std::memcpy(b, old, sizeof b);
  using Wide = std::conditional_t<sizeof(T) == 2, float, T>;
  Wide a0 = a[0], a1 = a[1], b0 = b[0], b1 = b[1];
  T sum[] = {static_cast<T>(a0 + b0), static_cast<T>(a1 + b1)};
  T product[] = {static_cast<T>(a0 * b0 - a1 * b1), static_cast<T>(a0 * b1 + a1 * b0)};
  std::size_t used = std::is_same_v<T, long double> ? 10 : sizeof(T);
  for (std::size_t i = 0; i < 2; ++i)
    std::memcpy(expected + i * sizeof(T), op == MPI_SUM ? &sum[i] : &product[i], used);
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
  if (mine || (a.value == b.value && a.index < b.index)) {
    std::memcpy(expected + offsetof(Pair, value), in, sizeof a.value);
    std::memcpy(expected + offsetof(Pair, index), &a.index, sizeof a.index);
  }
}

void expect_any_pair(MPI_Datatype type, MPI_Op op, const char* in, const char* old,
                     char* expected) {
  if (type == MPI_FLOAT_INT) return expect_pair<float, int>(op, in, old, expected);
  if (type == MPI_DOUBLE_INT) return expect_pair<double, int>(op, in, old, expected);
  if (type == MPI_LONG_INT) return expect_pair<long, int>(op, in, old, expected);
  if (type == MPI_SHORT_INT) return expect_pair<short, int>(op, in, old, expected);
  if (type == MPI_LONG_DOUBLE_INT) return expect_pair<long double, int>(op, in, old, expected);
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
      if (entry.handle == MPI_REAL16) return expect_float<__float128>(op, in, old, expected);
      return expect_float<long double>(op, in, old, expected);
    case Class::complex:
      if (entry.size == 4) return expect_complex<_Float16>(op, in, old, expected);
      if (entry.size == 8) return expect_complex<float>(op, in, old, expected);
      if (entry.size == 16) return expect_complex<double>(op, in, old, expected);
      if (entry.handle == MPI_COMPLEX32) return expect_complex<__float128>(op, in, old, expected);
      return expect_complex<long double>(op, in, old, expected);
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
void fill_float(Random& random, std::size_t size, bool quad, char* at) {
  auto value = static_cast<int>(random() % 9) - 4;
  if (size == 2) return put(at, static_cast<_Float16>(value));
  if (size == 4) return put(at, static_cast<float>(value));
  if (size == 8) return put(at, static_cast<double>(value));
  if (quad) return put(at, static_cast<__float128>(value));
  auto wide = static_cast<long double>(value);
  std::memcpy(at, &wide, 10);
}

void fill_integer(Random& random, Class its_class, std::size_t size, char* at) {
  auto value = static_cast<int>(random() % 9) - 4;
  Whole integer = its_class == Class::logical ? value > 0 : value;
  if (its_class != Class::logical && random() % 2)
    integer = static_cast<Whole>(random()) << 64 | static_cast<Whole>(random());
  std::memcpy(at, &integer, size);
}

void fill_pair(Random& random, MPI_Datatype type, char* at, std::size_t extent) {
  bool reals = type == MPI_2REAL, doubles = type == MPI_2DOUBLE_PRECISION;
  bool floating = reals || doubles || type == MPI_FLOAT_INT || type == MPI_DOUBLE_INT ||
                  type == MPI_LONG_DOUBLE_INT;
  std::size_t half = extent / 2;
  std::size_t value = type == MPI_SHORT_INT ? 2 : half;
  std::int64_t small = static_cast<std::int64_t>(random() % 3) - 1;
  if (floating)
    fill_float(random, value, false, at);
  else
    std::memcpy(at, &small, value);
  auto index = static_cast<std::int32_t>(random() % 5);
  if (reals) return put(at + half, static_cast<float>(index));
  if (doubles) return put(at + half, static_cast<double>(index));
  put(at + half, index);
}

void fill(Random& random, const Entry& entry, char* at, std::size_t extent) {
  if (entry.its_class == Class::pair) return fill_pair(random, entry.handle, at, extent);
  bool quad = entry.handle == MPI_REAL16 || entry.handle == MPI_COMPLEX32;
  if (entry.its_class == Class::floating) return fill_float(random, entry.size, quad, at);
  if (entry.its_class != Class::complex)
    return fill_integer(random, entry.its_class, entry.size, at);
  fill_float(random, entry.size / 2, quad, at);
  fill_float(random, entry.size / 2, quad, at + entry.size / 2);
}

// `count` elements at an address that is no multiple of anything, and nothing behind them changes.
void compare(const Entry& entry, MPI_Op op, Random& random, std::size_t count, std::size_t shift) {
  Datatype& type = *datatypes.find(entry.handle);
  auto extent = static_cast<std::size_t>(type.extent);
  std::size_t bytes = count * extent + shift + 64;
  std::vector<char> in(bytes), inout(bytes, 0x5a);
  for (std::size_t i = 0; i < count; ++i) {
    fill(random, entry, in.data() + shift + i * extent, extent);
    fill(random, entry, inout.data() + shift + i * extent, extent);
  }
  std::vector<char> expected = inout, kept = in;
  for (std::size_t at = shift; at < shift + count * extent; at += extent)
    expect(entry, op, in.data() + at, inout.data() + at, expected.data() + at);
  reduce(*operations.find(op), in.data() + shift, inout.data() + shift,
         static_cast<std::int64_t>(count), type);
  EXPECT_TRUE(inout == expected) << operations.find(op)->name << " on " << entry.name << ", "
                                 << count << " elements at " << shift;
  EXPECT_TRUE(in == kept) << "the input was changed";
}

// Each level that this CPU has, and whether with vectors of 256 bits.
std::vector<std::pair<int, bool>> levels() {
  std::vector<std::pair<int, bool>> all = {{1, false}, {3, false}, {4, false}, {4, true}};
  std::erase_if(all, [](auto level) { return level.first > platform::cpu_level(); });
  return all;
}

class operation : public testing::Test {
 protected:
  void SetUp() override {
    make_predefined_datatypes();
    make_predefined_operations();
  }
  void TearDown() override { choose_kernels(1); }
};

TEST_F(operation, every_predefined_operation_is_right_on_every_type_at_every_level) {
  Random random(7);
  int tried = 0;
  for (auto [level, narrow] : levels()) {
    choose_kernels(level, narrow);
    for (const Entry& entry : entries)
      for (MPI_Op op : all_operations) {
        if (!is_defined(op, entry.its_class)) continue;
        for (std::size_t count : {0, 1, 3, 8, 17, 31, 133})
          for (std::size_t shift : {0, 1, 4, 13}) compare(entry, op, random, count, shift);
        ++tried;
      }
  }
  EXPECT_GE(tried, 340 * static_cast<int>(levels().size()));
}

TEST_F(operation, predefined_operations_are_refused_where_the_standard_does_not_define_them) {
  for (const Entry& entry : entries) {
    Datatype* type = datatypes.find(entry.handle);
    ASSERT_NE(type, nullptr) << entry.name;
    EXPECT_EQ(type->size, static_cast<std::int64_t>(entry.size)) << entry.name;
    for (MPI_Op op : all_operations)
      EXPECT_EQ(check_operation(*operations.find(op), *type),
                is_defined(op, entry.its_class) ? MPI_SUCCESS : MPI_ERR_OP)
          << operations.find(op)->name << " on " << entry.name;
  }
}

TEST_F(operation, derived_types_and_duplicates_are_for_user_functions) {
  Datatype *twice = nullptr, *same = nullptr, *spread = nullptr;
  ASSERT_EQ(make_contiguous(2, *datatypes.find(MPI_INT), &twice), MPI_SUCCESS);
  ASSERT_EQ(duplicate(*datatypes.find(MPI_INT), &same), MPI_SUCCESS);
  ASSERT_EQ(make_resized(*datatypes.find(MPI_INT), 0, 16, &spread), MPI_SUCCESS);
  for (Datatype* type : {twice, same, spread}) {
    EXPECT_EQ(check_operation(*operations.find(MPI_SUM), *type), MPI_ERR_OP);
    release(*type);
  }
}

// What every level must agree on to the bit, whatever the operands: infinities, subnormal numbers,
// halves that round. Which of two NaNs a sum becomes is left open.
template <class T>
bool same_or_both_nan(T a, T b) {
  return std::memcmp(&a, &b, sizeof a) == 0 || (a != a && b != b);
}

bool levels_agree(Element element, MPI_Op op, const char* a, const char* b, std::size_t bytes) {
  if (std::memcmp(a, b, bytes) == 0) return true;
  if (op != MPI_SUM && op != MPI_PROD) return false;
  auto agree = [&](auto sample) {
    for (std::size_t at = 0; at < bytes; at += sizeof sample) {
      decltype(sample) x, y;
      std::memcpy(&x, a + at, sizeof x);
      std::memcpy(&y, b + at, sizeof y);
      if (!same_or_both_nan(x, y)) return false;
    }
    return true;
  };
  if (element == Element::float16 || element == Element::complex_half) return agree(_Float16{});
  if (element == Element::float32 || element == Element::complex32) return agree(float{});
  if (element == Element::float64 || element == Element::complex64) return agree(double{});
  return false;
}

TEST_F(operation, levels_agree_to_the_bit_on_any_operands) {
  Random random(3);
  constexpr std::int64_t count = 997;
  for (int code = 0; code < element_count; ++code) {
    auto element = static_cast<Element>(code);
    for (MPI_Op op : all_operations) {
      Kernel baseline_kernel = baseline::find_kernel(op, element);
      if (!baseline_kernel) continue;
      std::vector<std::uint64_t> in(count * 6), start(count * 6);
      for (auto& word : in) word = random() % 8 ? random() : random() & 0x7fff7c00ff807ff0;
      for (auto& word : start) word = random() % 8 ? random() : random() & 0x7fff7c00ff807ff0;
      std::vector<std::uint64_t> expected = start;
      baseline_kernel(in.data(), expected.data(), count);
      for (auto [level, narrow] : levels()) {
        choose_kernels(level, narrow);
        std::vector<std::uint64_t> inout = start;
        operations.find(op)->kernels[code](in.data(), inout.data(), count);
        EXPECT_TRUE(levels_agree(element, op, reinterpret_cast<char*>(inout.data()),
                                 reinterpret_cast<char*>(expected.data()), count * 48))
            << operations.find(op)->name << " on element " << code << " at level " << level
            << narrow;
      }
    }
  }
}

TEST_F(operation, the_right_operand_stays_when_either_is_no_number) {
  const double nan = __builtin_nan("");
  for (auto [level, narrow] : levels()) {
    choose_kernels(level, narrow);
    for (MPI_Op op : {MPI_MAX, MPI_MIN}) {
      double in[] = {nan, 1, nan, nan, 1, 1, 1, 1, nan},
             inout[] = {1, nan, nan, 2, nan, 1, 1, 1, 3};
      reduce(*operations.find(op), in, inout, 9, *datatypes.find(MPI_DOUBLE));
      EXPECT_EQ(inout[0], 1);
      EXPECT_NE(inout[1], inout[1]);
      EXPECT_NE(inout[2], inout[2]);
      EXPECT_EQ(inout[3], 2);
      EXPECT_NE(inout[4], inout[4]);
      EXPECT_EQ(inout[8], 3);
    }
  }
}

template <class Value, class Index>
void try_pair(Element value, Element index) {
  struct Pair {
    Value value;
    Index index;
  };
  Element element = pair_of(value, index);
  ASSERT_NE(element, Element::none);
  Pair in[] = {{Value{3}, Index{4}}, {Value{3}, Index{1}}, {Value{1}, Index{0}}};
  Pair inout[] = {{Value{2}, Index{1}}, {Value{3}, Index{2}}, {Value{2}, Index{5}}};
  baseline::find_kernel(MPI_MAXLOC, element)(in, inout, 3);
  EXPECT_TRUE(inout[0].value == Value{3} && inout[0].index == Index{4});
  EXPECT_TRUE(inout[1].value == Value{3} && inout[1].index == Index{1});
  EXPECT_TRUE(inout[2].value == Value{2} && inout[2].index == Index{5});
  baseline::find_kernel(MPI_MINLOC, element)(in, inout, 3);
  EXPECT_TRUE(inout[0].value == Value{3} && inout[0].index == Index{4});
  EXPECT_TRUE(inout[2].value == Value{1} && inout[2].index == Index{0});
}

template <class Value>
void try_indices(Element value) {
  try_pair<Value, std::int8_t>(value, Element::int8);
  try_pair<Value, std::int16_t>(value, Element::int16);
  try_pair<Value, std::int32_t>(value, Element::int32);
  try_pair<Value, std::int64_t>(value, Element::plain_int64);
  try_pair<Value, std::uint8_t>(value, Element::uint8);
  try_pair<Value, std::uint16_t>(value, Element::uint16);
  try_pair<Value, std::uint32_t>(value, Element::uint32);
  try_pair<Value, std::uint64_t>(value, Element::uint64);
}

TEST_F(operation, any_ordered_value_goes_with_any_integer_as_its_index) {
  try_indices<std::int8_t>(Element::int8);
  try_indices<std::int16_t>(Element::int16);
  try_indices<std::int32_t>(Element::int32);
  try_indices<std::int64_t>(Element::int64);
  try_indices<std::uint8_t>(Element::uint8);
  try_indices<std::uint16_t>(Element::uint16);
  try_indices<std::uint32_t>(Element::uint32);
  try_indices<std::uint64_t>(Element::uint64);
  try_indices<__int128>(Element::int128);
  try_indices<_Float16>(Element::float16);
  try_indices<float>(Element::float32);
  try_indices<double>(Element::float64);
  try_indices<long double>(Element::long_double);
  try_indices<__float128>(Element::float128);
  EXPECT_EQ(pair_of(Element::complex32, Element::int32), Element::none);
  EXPECT_EQ(pair_of(Element::int32, Element::float32), Element::none);
}

MPI_Datatype seen_type;
void count_calls(void* in, void* inout, int* count, MPI_Datatype* type) {
  for (int i = 0; i < *count; ++i) static_cast<int*>(inout)[i] -= static_cast<int*>(in)[i];
  seen_type = *type;
}

TEST_F(operation, a_user_function_gets_both_buffers_the_count_and_the_type) {
  Operation* made = nullptr;
  ASSERT_EQ(make_operation(count_calls, nullptr, false, &made), MPI_SUCCESS);
  int in[] = {1, 2, 3}, inout[] = {10, 10, 10};
  reduce(*made, in, inout, 3, *datatypes.find(MPI_INT));
  EXPECT_EQ(inout[0], 9);
  EXPECT_EQ(inout[2], 7);
  EXPECT_EQ(seen_type, MPI_INT);
  EXPECT_EQ(check_operation(*made, *datatypes.find(MPI_CHAR)), MPI_SUCCESS);
  release(*made);
}

}  // namespace
}  // namespace baton::datatype
