// external32 as the standard's table has it: sizes, byte order, values, and what does not fit.
#include "datatype/external32.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <cwchar>
#include <limits>

#include "datatype/elements.hpp"
#include "tests/datatype/make.hpp"

namespace baton::datatype {
namespace {

using Bytes = std::vector<unsigned char>;

Datatype& predefined(MPI_Datatype handle) {
  make_predefined_datatypes();
  return *datatypes.find(handle);
}

template <class T>
Bytes packed(MPI_Datatype handle, T value) {
  Datatype& type = predefined(handle);
  Bytes bytes(static_cast<std::size_t>(external_size(type)));
  EXPECT_EQ(pack_external(type, 1, &value, bytes.data()), MPI_SUCCESS);
  T back{};
  EXPECT_EQ(unpack_external(type, 1, &back, bytes.data()), MPI_SUCCESS);
  EXPECT_EQ(back, value);
  return bytes;
}

TEST(external32, sizes_are_those_of_the_standards_table) {
  struct Row {
    MPI_Datatype handle;
    std::int64_t size;
  };
  const Row rows[] = {
      {MPI_PACKED, 1},
      {MPI_BYTE, 1},
      {MPI_CHAR, 1},
      {MPI_UNSIGNED_CHAR, 1},
      {MPI_SIGNED_CHAR, 1},
      {MPI_WCHAR, 2},
      {MPI_SHORT, 2},
      {MPI_UNSIGNED_SHORT, 2},
      {MPI_INT, 4},
      {MPI_LONG, 4},
      {MPI_UNSIGNED, 4},
      {MPI_UNSIGNED_LONG, 4},
      {MPI_LONG_LONG, 8},
      {MPI_UNSIGNED_LONG_LONG, 8},
      {MPI_FLOAT, 4},
      {MPI_DOUBLE, 8},
      {MPI_LONG_DOUBLE, 16},
      {MPI_C_BOOL, 1},
      {MPI_INT8_T, 1},
      {MPI_INT64_T, 8},
      {MPI_UINT16_T, 2},
      {MPI_AINT, 8},
      {MPI_COUNT, 8},
      {MPI_OFFSET, 8},
      {MPI_C_COMPLEX, 8},
      {MPI_C_DOUBLE_COMPLEX, 16},
      {MPI_CHARACTER, 1},
      {MPI_C_LONG_DOUBLE_COMPLEX, 32},
      {MPI_LOGICAL, 4},
      {MPI_INTEGER, 4},
      {MPI_REAL, 4},
      {MPI_DOUBLE_PRECISION, 8},
      {MPI_COMPLEX, 8},
      {MPI_DOUBLE_COMPLEX, 16},
      {MPI_INTEGER16, 16},
      {MPI_REAL2, 2},
      {MPI_REAL16, 16},
      {MPI_COMPLEX32, 32},
      {MPI_CXX_BOOL, 1},
      {MPI_CXX_LONG_DOUBLE_COMPLEX, 32},
      {MPI_2INT, 8},
      {MPI_LONG_INT, 8},
      {MPI_SHORT_INT, 6},
      {MPI_DOUBLE_INT, 12},
      {MPI_LONG_DOUBLE_INT, 20},
  };
  for (const Row& row : rows)
    EXPECT_EQ(external_size(predefined(row.handle)), row.size) << predefined(row.handle).name;
}

TEST(external32, numbers_are_big_endian) {
  EXPECT_EQ(packed(MPI_INT, 0x01020304), (Bytes{1, 2, 3, 4}));
  EXPECT_EQ(packed(MPI_SHORT, std::int16_t{-2}), (Bytes{0xff, 0xfe}));
  EXPECT_EQ(packed(MPI_DOUBLE, 1.0), (Bytes{0x3f, 0xf0, 0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(packed(MPI_FLOAT, -2.0f), (Bytes{0xc0, 0, 0, 0}));
  EXPECT_EQ(packed(MPI_AINT, std::int64_t{0x0102030405060708}), (Bytes{1, 2, 3, 4, 5, 6, 7, 8}));
  EXPECT_EQ(packed(MPI_C_BOOL, true), (Bytes{1}));
  EXPECT_EQ(packed(MPI_BYTE, 'x'), (Bytes{'x'}));
  EXPECT_EQ(packed(MPI_WCHAR, L'\u1234'), (Bytes{0x12, 0x34}));
  EXPECT_EQ(packed(MPI_LONG, -3L), (Bytes{0xff, 0xff, 0xff, 0xfd}));
  EXPECT_EQ(packed(MPI_LONG, 0x7fffffffL), (Bytes{0x7f, 0xff, 0xff, 0xff}));
  EXPECT_EQ(packed(MPI_UNSIGNED_LONG, 0xffffffffUL), (Bytes{0xff, 0xff, 0xff, 0xff}));
}

TEST(external32, long_doubles_become_ieee_quads) {
  Bytes one(16);
  one[0] = 0x3f;
  one[1] = 0xff;
  EXPECT_EQ(packed(MPI_LONG_DOUBLE, 1.0L), one);
  Bytes value = packed(MPI_LONG_DOUBLE, -1.5L);
  EXPECT_EQ(value[0], 0xbf);
  EXPECT_EQ(value[2], 0x80);
  packed(MPI_LONG_DOUBLE, std::numeric_limits<long double>::max());
  packed(MPI_LONG_DOUBLE, std::numeric_limits<long double>::denorm_min());
  packed(MPI_LONG_DOUBLE, std::numeric_limits<long double>::infinity());
  packed(MPI_LONG_DOUBLE, 3.14159265358979323846L);
}

TEST(external32, halves_of_complex_numbers_keep_their_order) {
  float number[2] = {1.0f, -2.0f};
  Bytes bytes(8);
  ASSERT_EQ(pack_external(predefined(MPI_C_FLOAT_COMPLEX), 1, number, bytes.data()), MPI_SUCCESS);
  EXPECT_EQ(bytes, (Bytes{0x3f, 0x80, 0, 0, 0xc0, 0, 0, 0}));
}

TEST(external32, what_does_not_fit_is_an_error_and_not_cut) {
  unsigned char space[8];
  long values[] = {0x80000000L, -0x80000001L, std::numeric_limits<long>::max()};
  for (long value : values)
    EXPECT_EQ(pack_external(predefined(MPI_LONG), 1, &value, space), MPI_ERR_CONVERSION);
  unsigned long more = 0x100000000UL;
  EXPECT_EQ(pack_external(predefined(MPI_UNSIGNED_LONG), 1, &more, space), MPI_ERR_CONVERSION);
  wchar_t emoji = 0x1f600;
  EXPECT_EQ(pack_external(predefined(MPI_WCHAR), 1, &emoji, space), MPI_ERR_CONVERSION);
}

struct Record {
  double a;
  std::int16_t b[3];
  struct {
    double value;
    int index;
  } c[2];
  float complex[2][2];
  long d;
  bool operator==(const Record& other) const {
    return a == other.a && std::equal(b, b + 3, other.b) && c[0].value == other.c[0].value &&
           c[0].index == other.c[0].index && c[1].value == other.c[1].value &&
           c[1].index == other.c[1].index &&
           std::memcmp(complex, other.complex, sizeof complex) == 0 && d == other.d;
  }
};

TEST(external32, many_mixed_structs_go_there_and_back) {
  StructBlock blocks[] = {{1, offsetof(Record, a), &predefined(MPI_DOUBLE)},
                          {3, offsetof(Record, b), &predefined(MPI_SHORT)},
                          {2, offsetof(Record, c), &predefined(MPI_DOUBLE_INT)},
                          {2, offsetof(Record, complex), &predefined(MPI_C_FLOAT_COMPLEX)},
                          {1, offsetof(Record, d), &predefined(MPI_LONG)}};
  Datatype *one = nullptr, *rows = nullptr;
  ASSERT_EQ(make_struct(blocks, 5, &one), MPI_SUCCESS);
  EXPECT_EQ(one->extent, static_cast<std::int64_t>(sizeof(Record)));
  ASSERT_EQ(make_vector(50, 3, 5, *one, &rows), MPI_SUCCESS);
  EXPECT_EQ(external_size(*rows), 150 * (8 + 6 + 24 + 16 + 4));
  std::vector<Record> data(500), back(500);
  for (std::size_t i = 0; i < data.size(); ++i) {
    auto n = static_cast<int>(i);
    data[i] = {
        n * 0.5, {std::int16_t(n), std::int16_t(-n), 7}, {{n * 2.0, n}, {n * 3.0, -n}}, {}, -n};
    for (auto& number : data[i].complex) number[0] = number[1] = static_cast<float>(n) + 0.25f;
  }
  Bytes bytes(static_cast<std::size_t>(2 * external_size(*rows)) + 1, 'e');
  ASSERT_EQ(pack_external(*rows, 2, data.data(), bytes.data()), MPI_SUCCESS);
  EXPECT_EQ(bytes.back(), 'e');
  ASSERT_EQ(unpack_external(*rows, 2, back.data(), bytes.data()), MPI_SUCCESS);
  std::int64_t rows_extent = rows->extent / static_cast<std::int64_t>(sizeof(Record));
  for (std::int64_t i = 0; i < 2 * rows_extent; ++i) {
    auto at = static_cast<std::size_t>(i);
    bool taken = i % rows_extent % 5 < 3;
    EXPECT_TRUE(back[at] == (taken ? data[at] : Record{})) << i;
  }
  release(*one);
  release(*rows);
}

}  // namespace
}  // namespace baton::datatype
