// Which accesses conflict (clash_of), by the table in docs/one-sided.md, each in both orders.
#include "window/access_table.hpp"

#include <gtest/gtest.h>

namespace baton::window {
namespace {

using datatype::Element;
constexpr std::int32_t sum = 1, product = 2, no_op = 3;  // any handles
constexpr std::int32_t int_type = 11, integer_type = 12, double_type = 13;

Access of_bytes(Act act, std::int32_t rank) {
  Access access{};
  access.first = 16, access.last = 24;
  access.rank = rank;
  access.act = act;
  access.reads_only = act == Act::get;
  return access;
}
Access of_elements(Act act, std::int32_t rank, std::int32_t operation, std::int32_t type = int_type,
                   Element element = Element::int32) {
  Access access = of_bytes(act, rank);
  access.operation = operation;
  access.type = type;
  access.element = element;
  access.reads_only = operation == no_op;
  return access;
}
Access add(std::int32_t rank) {
  return of_elements(Act::accumulate, rank, sum);
}
Access multiply(std::int32_t rank) {
  return of_elements(Act::accumulate, rank, product);
}
Access read(std::int32_t rank) {
  return of_elements(Act::get_accumulate, rank, no_op);
}
Access swap(std::int32_t rank) {
  return of_elements(Act::compare_and_swap, rank, 0);
}

void expect(Clash wanted, const Access& one, const Access& other, bool same_op = false) {
  EXPECT_EQ(clash_of(one, other, same_op), wanted);
  EXPECT_EQ(clash_of(other, one, same_op), wanted);
}

TEST(clash_of, a_put_meets_everything_also_of_its_own_origin) {
  for (std::int32_t other : {1, 2}) {
    expect(Clash::order, of_bytes(Act::put, 1), of_bytes(Act::put, other));
    expect(Clash::order, of_bytes(Act::put, 1), of_bytes(Act::get, other));
    expect(Clash::order, of_bytes(Act::put, 1), add(other));
    expect(Clash::order, of_bytes(Act::put, 1), read(other));
    expect(Clash::order, of_bytes(Act::put, 1), swap(other));
  }
}

TEST(clash_of, a_get_meets_accumulates_that_change_what_it_reads) {
  expect(Clash::none, of_bytes(Act::get, 1), of_bytes(Act::get, 2));
  expect(Clash::none, of_bytes(Act::get, 1), read(2));
  expect(Clash::order, of_bytes(Act::get, 1), add(2));
  expect(Clash::order, of_bytes(Act::get, 1), add(1));
  expect(Clash::order, of_bytes(Act::get, 1), swap(2));
}

TEST(clash_of, other_bytes_never_meet) {
  Access left = of_bytes(Act::put, 1), right = of_bytes(Act::put, 2);
  left.first = 0, left.last = 16;
  expect(Clash::none, left, right);
  left.last = 17;
  expect(Clash::order, left, right);
  left.first = 23, left.last = 100;
  expect(Clash::order, left, right);
  left.first = 24;
  expect(Clash::none, left, right);
}

TEST(clash_of, accumulates_of_several_origins_have_one_operation_or_only_read) {
  expect(Clash::none, add(1), add(2));
  expect(Clash::operations, add(1), multiply(2));
  expect(Clash::none, add(1), multiply(1));
  expect(Clash::none, add(1), read(2));
  expect(Clash::none, read(1), read(2));
}

TEST(clash_of, with_same_op_reading_is_an_operation_too) {
  expect(Clash::none, add(1), add(2), true);
  expect(Clash::operations, add(1), read(2), true);
  expect(Clash::none, read(1), read(2), true);
  expect(Clash::none, add(1), swap(2), true);
}

TEST(clash_of, a_compare_and_swap_goes_with_any_operation_on_its_type) {
  expect(Clash::none, swap(1), swap(2));
  expect(Clash::none, swap(1), add(2));
  Access other = add(2);
  other.type = double_type, other.element = Element::float64;
  expect(Clash::types, swap(1), other);
}

TEST(clash_of, accumulates_of_several_origins_have_one_type_by_whatever_name) {
  const Access named = of_elements(Act::accumulate, 2, sum, integer_type, Element::plain_int32);
  expect(Clash::none, add(1), named);
  const Access real = of_elements(Act::accumulate, 2, sum, double_type, Element::float64);
  expect(Clash::types, add(1), real);
  Access own = real;
  own.rank = 1;
  expect(Clash::none, add(1), own);
  const Access several = of_elements(Act::accumulate, 2, sum, 0, Element::none);
  expect(Clash::none, add(1), several);
}

}  // namespace
}  // namespace baton::window
