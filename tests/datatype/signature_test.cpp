// Type signatures: what MPI says two types have in common, and what not.
#include "datatype/signature.hpp"

#include <gtest/gtest.h>

#include "datatype/type_signature.hpp"
#include "datatype/unnamed.hpp"
#include "tests/datatype/make.hpp"

namespace baton::datatype {
namespace {

Datatype& predefined(MPI_Datatype handle) {
  make_predefined_datatypes();
  return *datatypes.find(handle);
}

// A type that is released at the end of its scope.
struct Made {
  Datatype* type = nullptr;
  ~Made() { release(*type); }
  const Signature& signature() const { return type->signature; }
};

Signature of(MPI_Datatype handle, std::int64_t count) {
  return predefined(handle).signature.times(count);
}

TEST(signature, layouts_make_no_difference) {
  Made vector, subarray;
  ASSERT_EQ(make_vector(6, 2, 5, predefined(MPI_INT), &vector.type), MPI_SUCCESS);
  ASSERT_EQ(make_subarray({8, 8}, {3, 4}, {1, 2}, MPI_ORDER_C, predefined(MPI_INT), &subarray.type),
            MPI_SUCCESS);
  EXPECT_TRUE(vector.signature().matches(subarray.signature()));
  EXPECT_TRUE(vector.signature().matches(of(MPI_INT, 12)));
  EXPECT_FALSE(vector.signature().matches(of(MPI_INT, 11)));
  EXPECT_FALSE(vector.signature().matches(of(MPI_UNSIGNED, 12)));
  EXPECT_FALSE(vector.signature().matches(of(MPI_FLOAT, 12)));
}

TEST(signature, the_order_of_elements_counts) {
  Datatype& number = predefined(MPI_DOUBLE);
  Datatype& letter = predefined(MPI_CHAR);
  StructBlock one[] = {{2, 0, &number}, {3, 16, &letter}};
  StructBlock other[] = {{3, 0, &letter}, {2, 8, &number}};
  Made first, second, third;
  ASSERT_EQ(make_struct(one, 2, &first.type), MPI_SUCCESS);
  ASSERT_EQ(make_struct(other, 2, &second.type), MPI_SUCCESS);
  EXPECT_EQ(first.signature().bytes, second.signature().bytes);
  EXPECT_FALSE(first.signature().matches(second.signature()));
  StructBlock apart[] = {{1, 0, &number}, {1, 24, &number}, {1, 40, &letter}, {2, 60, &letter}};
  ASSERT_EQ(make_struct(apart, 4, &third.type), MPI_SUCCESS);
  EXPECT_TRUE(first.signature().matches(third.signature()));
}

TEST(signature, repetitions_are_the_same_however_they_nest) {
  StructBlock blocks[] = {{1, 0, &predefined(MPI_DOUBLE)}, {2, 8, &predefined(MPI_INT)}};
  Made pair, four;
  ASSERT_EQ(make_struct(blocks, 2, &pair.type), MPI_SUCCESS);
  ASSERT_EQ(make_contiguous(4, *pair.type, &four.type), MPI_SUCCESS);
  Signature by_hand;
  for (int i = 0; i < 12; ++i) by_hand = by_hand.then(of(MPI_DOUBLE, 1)).then(of(MPI_INT, 2));
  EXPECT_TRUE(pair.signature().times(12).matches(by_hand));
  EXPECT_TRUE(four.signature().times(3).matches(by_hand));
  EXPECT_EQ(four.signature().times(3).bytes, 12 * 16);
  EXPECT_EQ(four.signature().times(0).elements, 0);
}

TEST(signature, pairs_are_their_halves) {
  StructBlock blocks[] = {{1, 0, &predefined(MPI_DOUBLE)}, {1, 8, &predefined(MPI_INT)}};
  Made pair;
  ASSERT_EQ(make_struct(blocks, 2, &pair.type), MPI_SUCCESS);
  EXPECT_TRUE(pair.signature().matches(of(MPI_DOUBLE_INT, 1)));
  EXPECT_TRUE(of(MPI_2INT, 3).matches(of(MPI_INT, 6)));
  EXPECT_FALSE(of(MPI_FLOAT_INT, 1).matches(of(MPI_2INT, 1)));
}

TEST(signature, bytes_and_packed_data_stand_for_anything_of_their_length) {
  EXPECT_TRUE(of(MPI_BYTE, 8).matches(of(MPI_DOUBLE, 1)));
  EXPECT_TRUE(of(MPI_INT, 2).matches(of(MPI_PACKED, 8)));
  EXPECT_FALSE(of(MPI_INT, 2).matches(of(MPI_BYTE, 7)));
}

TEST(signature, a_fortran_kind_is_what_it_was_asked_for) {
  make_predefined_datatypes();
  Datatype *one, *same, *other;
  ASSERT_EQ(f90_real(6, 30, &one), MPI_SUCCESS);
  ASSERT_EQ(f90_real(6, 30, &same), MPI_SUCCESS);
  ASSERT_EQ(f90_real(5, 30, &other), MPI_SUCCESS);
  EXPECT_TRUE(one->signature.matches(same->signature));
  EXPECT_FALSE(one->signature.matches(other->signature));
}

TEST(signature, is_told_in_words) {
  EXPECT_STREQ(SignatureWords(of(MPI_INT, 4)).text, "4 MPI_INT (16 bytes)");
  EXPECT_STREQ(SignatureWords(of(MPI_DOUBLE_INT, 2)).text,
               "4 elements of several types (24 bytes)");
  EXPECT_STREQ(SignatureWords(Signature{}).text, "no data");
}

TEST(signature, large_counts_and_long_chains_take_no_time) {
  Datatype* type = &predefined(MPI_INT);
  StructBlock blocks[] = {{1, 0, type}, {1, 8, &predefined(MPI_DOUBLE)}};
  ASSERT_EQ(make_struct(blocks, 2, &type), MPI_SUCCESS);
  Signature one = type->signature;
  EXPECT_EQ(one.times(std::int64_t{1} << 58).elements, std::int64_t{1} << 59);
  // Each level doubles what it has: walking it would never end.
  for (int level = 0; level < 50; ++level) {
    Datatype* next;
    StructBlock twice[] = {{1, 0, type}, {1, 0, type}};
    ASSERT_EQ(make_struct(twice, 2, &next), MPI_SUCCESS);
    release(*type);
    type = next;
  }
  EXPECT_TRUE(type->signature.matches(one.times(std::int64_t{1} << 50)));
  release(*type);
}

}  // namespace
}  // namespace baton::datatype
