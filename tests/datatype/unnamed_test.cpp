// The predefined types without names: laid out as C lays out a struct of value and index, reduced
// as MPI_MAXLOC and MPI_MINLOC say, the same each time, and Fortran kinds as large as they must be.
#include "datatype/unnamed.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <thread>

#include "base/settings.hpp"
#include "datatype/elements.hpp"
#include "datatype/operation.hpp"

namespace baton::datatype {
namespace {

template <class T>
struct Typed {
  MPI_Datatype handle;
};

Datatype& predefined(MPI_Datatype handle) {
  make_predefined_datatypes();
  make_predefined_operations();
  settings.unnamed_pairs = 1;
  return *datatypes.find(handle);
}

template <class Value, class Index>
void compare(Typed<Value> value, Typed<Index> index) {
  struct Pair {
    Value value;
    Index index;
  };
  SCOPED_TRACE(std::string(predefined(value.handle).name) + " " + predefined(index.handle).name);
  Datatype* type = nullptr;
  ASSERT_EQ(value_index(predefined(value.handle), predefined(index.handle), &type), MPI_SUCCESS);
  ASSERT_NE(type, nullptr);
  EXPECT_EQ(type->extent, static_cast<std::int64_t>(sizeof(Pair)));
  EXPECT_EQ(type->size, static_cast<std::int64_t>(sizeof(Value) + sizeof(Index)));
  EXPECT_EQ(type->alignment, alignof(Pair));
  std::mt19937 random(7);
  constexpr int count = 40;
  for (MPI_Op op : {MPI_MAXLOC, MPI_MINLOC}) {
    Pair in[count], inout[count], expected[count];
    for (int i = 0; i < count; ++i) {
      in[i] = {static_cast<Value>(random() % 3), static_cast<Index>(random() % 3)};
      inout[i] = {static_cast<Value>(random() % 3), static_cast<Index>(random() % 3)};
      bool better = op == MPI_MAXLOC ? in[i].value > inout[i].value : in[i].value < inout[i].value;
      expected[i] = inout[i];
      if (better) expected[i] = in[i];
      if (in[i].value == inout[i].value) expected[i].index = std::min(in[i].index, inout[i].index);
    }
    ASSERT_EQ(check_operation(*operations.find(op), *type), MPI_SUCCESS);
    reduce(*operations.find(op), in, inout, count, *type);
    for (int i = 0; i < count; ++i) {
      EXPECT_TRUE(inout[i].value == expected[i].value);
      EXPECT_TRUE(inout[i].index == expected[i].index);
    }
  }
}

template <class Value>
void compare_all(Typed<Value> value) {
  compare(value, Typed<int>{MPI_INT});
  compare(value, Typed<std::int8_t>{MPI_INT8_T});
  compare(value, Typed<std::uint16_t>{MPI_UINT16_T});
  compare(value, Typed<std::uint32_t>{MPI_UINT32_T});
  compare(value, Typed<std::int64_t>{MPI_INT64_T});
  compare(value, Typed<std::uint64_t>{MPI_UINT64_T});
}

TEST(unnamed, pairs_lie_and_reduce_as_structs_of_value_and_index) {
  compare_all(Typed<std::int8_t>{MPI_INT8_T});
  compare_all(Typed<short>{MPI_SHORT});
  compare_all(Typed<int>{MPI_INT});
  compare_all(Typed<std::uint64_t>{MPI_UINT64_T});
  compare_all(Typed<std::int64_t>{MPI_AINT});
  compare_all(Typed<float>{MPI_FLOAT});
  compare_all(Typed<double>{MPI_DOUBLE});
  compare_all(Typed<long double>{MPI_LONG_DOUBLE});
}

TEST(unnamed, pairs_without_names_exist_on_request_only) {
  Datatype& value = predefined(MPI_DOUBLE);
  Datatype& index = predefined(MPI_INT64_T);
  Datatype* type = &value;
  settings.unnamed_pairs = 0;
  EXPECT_EQ(value_index(value, index, &type), MPI_SUCCESS);
  EXPECT_EQ(type, nullptr);
  EXPECT_EQ(value_index(value, predefined(MPI_INT), &type), MPI_SUCCESS);
  EXPECT_EQ(type, &predefined(MPI_DOUBLE_INT));
}

TEST(unnamed, pairs_without_an_order_do_not_exist) {
  const MPI_Datatype pairs[][2] = {{MPI_C_FLOAT_COMPLEX, MPI_INT},
                                   {MPI_FLOAT, MPI_DOUBLE},
                                   {MPI_BYTE, MPI_INT},
                                   {MPI_CHAR, MPI_INT},
                                   {MPI_C_BOOL, MPI_INT},
                                   {MPI_INT, MPI_BYTE},
                                   {MPI_FLOAT_INT, MPI_INT}};
  for (auto& pair : pairs) {
    Datatype* type = nullptr;
    EXPECT_EQ(value_index(predefined(pair[0]), predefined(pair[1]), &type), MPI_SUCCESS);
    EXPECT_EQ(type, nullptr);
  }
}

TEST(unnamed, threads_that_ask_at_once_get_the_same_type) {
  predefined(MPI_INT);
  constexpr int threads = 8;
  Datatype* found[threads] = {};
  {
    std::vector<std::jthread> asking;
    for (Datatype*& type : found)
      asking.emplace_back([&type] { EXPECT_EQ(f90_real(5, 11, &type), MPI_SUCCESS); });
  }
  for (Datatype* type : found) EXPECT_EQ(type, found[0]);
  Datatype* other = nullptr;
  ASSERT_EQ(f90_real(5, 12, &other), MPI_SUCCESS);
  EXPECT_NE(other, found[0]);
  ASSERT_EQ(f90_complex(5, 11, &other), MPI_SUCCESS);
  EXPECT_NE(other, found[0]);
}

TEST(unnamed, fortran_kinds_hold_what_was_asked_for) {
  predefined(MPI_INT);
  const int undefined = MPI_UNDEFINED;
  const struct {
    int precision, range, size;
  } reals[] = {{6, 37, 4},        {7, 37, 8},         {6, 38, 8},           {15, 307, 8},
               {undefined, 5, 4}, {5, undefined, 4},  {16, 300, 16},        {18, 4931, 16},
               {33, 4931, 16},    {-1, undefined, 4}, {undefined, 4931, 16}};
  for (auto& row : reals) {
    Datatype* type = nullptr;
    ASSERT_EQ(f90_real(row.precision, row.range, &type), MPI_SUCCESS);
    EXPECT_EQ(type->size, row.size) << row.precision << " " << row.range;
    ASSERT_EQ(f90_complex(row.precision, row.range, &type), MPI_SUCCESS);
    EXPECT_EQ(type->size, 2 * row.size);
  }
  const int integers[][2] = {{2, 1}, {3, 2}, {4, 2}, {5, 4}, {9, 4}, {10, 8}, {18, 8}, {19, 16}};
  for (auto& row : integers) {
    Datatype* type = nullptr;
    ASSERT_EQ(f90_integer(row[0], &type), MPI_SUCCESS);
    EXPECT_EQ(type->size, row[1]);
    EXPECT_EQ(type->alignment, row[1]);
    EXPECT_EQ(elements_in(*type, 3 * type->size), 3);
  }
  Datatype* type = nullptr;
  EXPECT_EQ(f90_real(34, 1, &type), MPI_ERR_ARG);
  EXPECT_EQ(f90_real(1, 4932, &type), MPI_ERR_ARG);
  EXPECT_EQ(f90_complex(undefined, undefined, &type), MPI_ERR_ARG);
  EXPECT_EQ(type, nullptr);
}

}  // namespace
}  // namespace baton::datatype
