// What construction promises beyond the definition of the types (layout_test.cpp): alignment
// as compilers have it, refusals, space that does not grow with the number of elements.
#include <gtest/gtest.h>

#include <cstring>

#include "datatype/elements.hpp"
#include "tests/datatype/make.hpp"

namespace baton::datatype {
namespace {

Datatype& predefined(MPI_Datatype handle) {
  make_predefined_datatypes();
  return *datatypes.find(handle);
}

std::int64_t shapes_in(const Shape* shape) {
  std::int64_t all = 1;
  if (shape->child) all += shapes_in(shape->child);
  for (std::int64_t i = 0; shape->parts && i < shape->count; ++i)
    all += shapes_in(shape->parts[i].shape);
  return all;
}

TEST(construct, a_large_vector_takes_no_more_memory_than_a_small_one) {
  Datatype* made = nullptr;
  ASSERT_EQ(make_hvector(std::int64_t{1} << 40, 1, 16, predefined(MPI_DOUBLE), &made), MPI_SUCCESS);
  EXPECT_EQ(made->size, std::int64_t{8} << 40);
  EXPECT_EQ(made->extent, ((std::int64_t{1} << 40) - 1) * 16 + 8);
  EXPECT_EQ(made->shape->kind, Shape::Kind::loop);
  EXPECT_TRUE(is_block(made->shape->child));
  release(*made);
}

TEST(construct, large_arrays_take_no_more_memory_than_small_ones) {
  Datatype* made = nullptr;
  const std::int64_t n = std::int64_t{1} << 20;
  ASSERT_EQ(make_subarray({n, n, 64}, {n - 1, n / 2, 3}, {1, 5, 7}, MPI_ORDER_C,
                          predefined(MPI_INT), &made),
            MPI_SUCCESS);
  EXPECT_EQ(made->extent, n * n * 64 * 4);
  EXPECT_LT(shapes_in(made->shape), 8);
  release(*made);
  ASSERT_EQ(make_darray(6, 5, {n, n - 1, 64},
                        {MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_NONE},
                        {7, 5, MPI_DISTRIBUTE_DFLT_DARG}, {2, 3, 1}, MPI_ORDER_FORTRAN,
                        predefined(MPI_INT), &made),
            MPI_SUCCESS);
  EXPECT_EQ(made->extent, n * (n - 1) * 64 * 4);
  EXPECT_LT(shapes_in(made->shape), 40);
  release(*made);
}

TEST(construct, a_struct_has_the_size_that_compilers_give_it) {
  struct Mixed {
    double first;
    char second;
  };
  StructBlock blocks[] = {{1, offsetof(Mixed, first), &predefined(MPI_DOUBLE)},
                          {1, offsetof(Mixed, second), &predefined(MPI_CHAR)}};
  Datatype *made = nullptr, *two = nullptr;
  ASSERT_EQ(make_struct(blocks, 2, &made), MPI_SUCCESS);
  EXPECT_EQ(made->extent, static_cast<std::int64_t>(sizeof(Mixed)));
  EXPECT_EQ(made->true_extent, 9);
  ASSERT_EQ(make_contiguous(2, *made, &two), MPI_SUCCESS);
  EXPECT_EQ(two->extent, static_cast<std::int64_t>(sizeof(Mixed[2])));
  EXPECT_EQ(two->true_extent, 25);
  release(*made);
  release(*two);
}

TEST(construct, explicit_bounds_are_neither_rounded_nor_widened_by_data) {
  Datatype *small = nullptr, *made = nullptr;
  ASSERT_EQ(make_resized(predefined(MPI_DOUBLE), -3, 10, &small), MPI_SUCCESS);
  StructBlock blocks[] = {{1, 0, small}, {1, 100, &predefined(MPI_DOUBLE)}};
  ASSERT_EQ(make_struct(blocks, 2, &made), MPI_SUCCESS);
  EXPECT_EQ(made->lower_bound, -3);
  EXPECT_EQ(made->extent, 10);
  EXPECT_EQ(made->true_extent, 108);
  release(*small);
  release(*made);
}

TEST(construct, sizes_and_bounds_beyond_64_bits_are_refused) {
  Datatype *half = nullptr, *made = nullptr;
  const std::int64_t big = std::int64_t{1} << 61;
  EXPECT_EQ(make_contiguous(INT64_MAX, predefined(MPI_DOUBLE), &made), MPI_ERR_COUNT);
  EXPECT_EQ(make_contiguous(std::int64_t{1} << 60, predefined(MPI_DOUBLE), &made), MPI_ERR_COUNT);
  EXPECT_EQ(make_hvector(big, big, 1, predefined(MPI_DOUBLE), &made), MPI_ERR_COUNT);
  EXPECT_EQ(make_hvector(3, 1, INT64_MAX / 2, predefined(MPI_DOUBLE), &made), MPI_ERR_COUNT);
  EXPECT_EQ(make_vector(2, 1, INT64_MAX / 2, predefined(MPI_DOUBLE), &made), MPI_ERR_COUNT);
  EXPECT_EQ(make_indexed(MPI_COMBINER_INDEXED, {1, 1}, {0, INT64_MIN}, predefined(MPI_INT), &made),
            MPI_ERR_COUNT);
  EXPECT_EQ(make_indexed(MPI_COMBINER_HINDEXED, {1, 1}, {INT64_MAX - 8, INT64_MIN},
                         predefined(MPI_INT), &made),
            MPI_ERR_COUNT);
  EXPECT_EQ(make_resized(predefined(MPI_INT), INT64_MAX, 2, &made), MPI_ERR_COUNT);
  EXPECT_EQ(make_subarray({big, 8}, {1, 1}, {0, 0}, MPI_ORDER_C, predefined(MPI_BYTE), &made),
            MPI_ERR_COUNT);
  ASSERT_EQ(make_contiguous(std::int64_t{1} << 59, predefined(MPI_DOUBLE), &half), MPI_SUCCESS);
  StructBlock blocks[] = {{1, 0, half}, {1, 0, half}};
  EXPECT_EQ(make_struct(blocks, 2, &made), MPI_ERR_COUNT);
  EXPECT_EQ(made, nullptr);
  release(*half);
}

TEST(construct, huge_numbers_without_data_are_no_error) {
  Datatype *empty = nullptr, *made = nullptr;
  ASSERT_EQ(make_contiguous(0, predefined(MPI_DOUBLE), &empty), MPI_SUCCESS);
  ASSERT_EQ(make_hvector(INT64_MAX, INT64_MAX, INT64_MAX, *empty, &made), MPI_SUCCESS);
  EXPECT_EQ(made->size, 0);
  EXPECT_EQ(made->extent, 0);
  release(*made);
  ASSERT_EQ(make_vector(1, 1, INT64_MAX, predefined(MPI_DOUBLE), &made), MPI_SUCCESS);
  EXPECT_EQ(made->extent, 8);
  release(*made);
  ASSERT_EQ(make_vector(INT64_MAX, 0, INT64_MAX, predefined(MPI_DOUBLE), &made), MPI_SUCCESS);
  EXPECT_EQ(made->size, 0);
  release(*made);
  release(*empty);
}

// Wherever it lies, and whatever contains it.
TEST(construct, a_block_of_length_0_counts_nowhere) {
  for (bool high : {false, true}) {
    const std::int64_t end = high ? INT64_MAX : INT64_MIN, other = high ? INT64_MIN : INT64_MAX;
    Datatype *inner = nullptr, *made = nullptr, *again = nullptr;
    ASSERT_EQ(make_indexed(MPI_COMBINER_HINDEXED, {0, 1, 0}, {end, 8, other}, predefined(MPI_INT),
                           &inner),
              MPI_SUCCESS);
    EXPECT_EQ(inner->size, 4);
    EXPECT_EQ(inner->lower_bound, 8);
    EXPECT_EQ(inner->extent, 4);
    StructBlock blocks[] = {{1, 16, inner}, {0, end, inner}, {1, 0, &predefined(MPI_DOUBLE)}};
    ASSERT_EQ(make_struct(blocks, 3, &made), MPI_SUCCESS);
    EXPECT_EQ(made->size, 12);
    EXPECT_EQ(made->lower_bound, 0);
    EXPECT_EQ(made->true_extent, 28);
    ASSERT_EQ(make_contiguous(3, *made, &again), MPI_SUCCESS);
    EXPECT_EQ(again->size, 36);
    for (Datatype* type : {inner, made, again}) release(*type);
    ASSERT_EQ(make_indexed(MPI_COMBINER_HINDEXED, {0}, {end}, predefined(MPI_INT), &inner),
              MPI_SUCCESS);
    StructBlock empty[] = {{1, end, inner}, {1, 4, &predefined(MPI_INT)}};
    ASSERT_EQ(make_struct(empty, 2, &made), MPI_SUCCESS);
    EXPECT_EQ(made->lower_bound, 4);
    EXPECT_EQ(made->extent, 4);
    for (Datatype* type : {inner, made}) release(*type);
  }
}

TEST(construct, a_long_chain_of_types_is_freed_without_deep_recursion) {
  Datatype* type = &predefined(MPI_INT);
  for (int i = 0; i < 1000000; ++i) {
    Datatype* copy = nullptr;
    ASSERT_EQ(duplicate(*type, &copy), MPI_SUCCESS);
    datatypes.remove(copy->handle);
    release(*type);
    type = copy;
  }
  EXPECT_EQ(elements_in(*type, 8), 2);
  release(*type);
}

TEST(construct, contradicting_arguments_of_arrays_are_refused) {
  Datatype& type = predefined(MPI_INT);
  Datatype* made = nullptr;
  EXPECT_EQ(make_subarray({4}, {0}, {0}, MPI_ORDER_C, type, &made), MPI_ERR_ARG);
  EXPECT_EQ(make_subarray({4}, {5}, {0}, MPI_ORDER_C, type, &made), MPI_ERR_ARG);
  EXPECT_EQ(make_subarray({4}, {2}, {3}, MPI_ORDER_C, type, &made), MPI_ERR_ARG);
  EXPECT_EQ(make_subarray({4}, {2}, {-1}, MPI_ORDER_C, type, &made), MPI_ERR_ARG);
  EXPECT_EQ(make_subarray({0}, {1}, {0}, MPI_ORDER_C, type, &made), MPI_ERR_ARG);
  EXPECT_EQ(make_subarray({4}, {2}, {0}, 99, type, &made), MPI_ERR_ARG);
  const int none = MPI_DISTRIBUTE_NONE, block = MPI_DISTRIBUTE_BLOCK;
  const int usual = MPI_DISTRIBUTE_DFLT_DARG;
  EXPECT_EQ(make_darray(2, 2, {4}, {block}, {usual}, {2}, MPI_ORDER_C, type, &made), MPI_ERR_RANK);
  EXPECT_EQ(make_darray(2, 0, {4}, {block}, {usual}, {3}, MPI_ORDER_C, type, &made), MPI_ERR_ARG);
  EXPECT_EQ(make_darray(2, 0, {4}, {none}, {usual}, {2}, MPI_ORDER_C, type, &made), MPI_ERR_ARG);
  EXPECT_EQ(make_darray(2, 0, {4}, {block}, {1}, {2}, MPI_ORDER_C, type, &made), MPI_ERR_ARG);
  EXPECT_EQ(make_darray(2, 0, {4}, {block}, {0}, {2}, MPI_ORDER_C, type, &made), MPI_ERR_ARG);
  EXPECT_EQ(make_darray(2, 0, {0}, {block}, {usual}, {2}, MPI_ORDER_C, type, &made), MPI_ERR_ARG);
  EXPECT_EQ(make_darray(2, 0, {4}, {77}, {usual}, {2}, MPI_ORDER_C, type, &made), MPI_ERR_ARG);
  EXPECT_EQ(made, nullptr);
}

}  // namespace
}  // namespace baton::datatype
