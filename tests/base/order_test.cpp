#include "base/order.hpp"

#include <gtest/gtest.h>

#include <cstring>

namespace baton {
namespace {

TEST(order, is_what_was_asked_for) {
  for (Order order : {Order::rank, Order::status, Order::blocking})
    for (bool oversubscribed : {false, true})
      EXPECT_EQ(resolve(order, CollectiveKind::scatter, oversubscribed), order);
}

TEST(order, is_by_rank_where_no_row_says_otherwise) {
  EXPECT_EQ(resolve(Order::automatic, CollectiveKind::barrier, true), Order::rank);
  EXPECT_EQ(resolve(Order::automatic, CollectiveKind::scatter, false), Order::rank);
}

TEST(order, rows_stand_for_no_riddle_and_measured_ones_say_where) {
  for (const OrderRow& row : order_rows) {
    EXPECT_NE(row.order, Order::automatic);
    EXPECT_NE(row.order, Order::blocking);  // of the study only
    EXPECT_EQ(row.source == SelectionSource::measured, std::strlen(row.where) > 0);
  }
}

}  // namespace
}  // namespace baton
