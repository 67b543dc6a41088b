#include "lockfree/last_names.hpp"

#include <gtest/gtest.h>

#include "lockfree/turn_lock.hpp"

namespace {

using namespace baton::lockfree;

TEST(last_names, a_number_keeps_its_name_until_another_takes_its_place) {
  LastNames<Hardware> last{};
  EXPECT_EQ(name_of(last, 0).rank, -1);
  write_name(last, 0, 5, true);
  write_name(last, 1, 0);
  EXPECT_EQ(name_of(last, 0).rank, 5);
  EXPECT_TRUE(name_of(last, 0).writes);
  EXPECT_EQ(name_of(last, 1).rank, 0);
  EXPECT_FALSE(name_of(last, 1).writes);
  write_name(last, 8, 7);
  EXPECT_EQ(name_of(last, 0).rank, -1);
  EXPECT_EQ(name_of(last, 8).rank, 7);
}

TEST(last_names, go_on_where_numbers_begin_anew) {
  LastNames<Hardware> last{};
  write_name(last, 0xffffffff, 3);
  write_name(last, 0, 4);
  EXPECT_EQ(name_of(last, 0xffffffff).rank, 3);
  EXPECT_EQ(name_of(last, 0).rank, 4);
}

TEST(last_names, of_ranks_that_can_have_none_are_unknown) {
  LastNames<Hardware> last{};
  write_name(last, 2, LastNames<Hardware>::ranks_max);
  EXPECT_EQ(name_of(last, 2).rank, -1);
}

}  // namespace
