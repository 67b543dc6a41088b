#include "world/hint.hpp"

#include <gtest/gtest.h>

#include <string>

namespace {

using baton::Info;
using baton::world::describe_hints;
using baton::world::Hints;
using baton::world::update_hints;

constexpr const char* any_tag = "mpi_assert_no_any_tag";
constexpr const char* any_source = "mpi_assert_no_any_source";

std::string value_of(const Hints& hints, const char* key) {
  Info info;
  EXPECT_EQ(describe_hints(hints, "mpi,system", info), MPI_SUCCESS);
  char value[MPI_MAX_INFO_VAL];
  return info.get(key, value, sizeof value) ? value : "none";
}

TEST(hints, are_false_until_they_are_set) {
  EXPECT_EQ(value_of(Hints{}, any_tag), "false");
  EXPECT_EQ(value_of(Hints{}, any_source), "false");
}

TEST(hints, follow_the_info_and_keep_what_it_does_not_name) {
  Hints hints;
  Info first, second;
  ASSERT_EQ(first.set(any_tag, "true"), MPI_SUCCESS);
  update_hints(hints, &first);
  ASSERT_EQ(second.set(any_source, "true"), MPI_SUCCESS);
  update_hints(hints, &second);
  EXPECT_EQ(value_of(hints, any_tag), "true");
  EXPECT_EQ(value_of(hints, any_source), "true");
  ASSERT_EQ(first.set(any_tag, "false"), MPI_SUCCESS);
  update_hints(hints, &first);
  EXPECT_EQ(value_of(hints, any_tag), "false");
  EXPECT_EQ(value_of(hints, any_source), "true");
}

TEST(hints, ignore_unknown_keys_values_that_are_no_boolean_and_no_info) {
  Hints hints;
  Info info;
  ASSERT_EQ(info.set(any_tag, "yes"), MPI_SUCCESS);
  ASSERT_EQ(info.set("unheard_of", "true"), MPI_SUCCESS);
  update_hints(hints, &info);
  update_hints(hints, nullptr);
  EXPECT_EQ(hints.assertions, 0u);
  EXPECT_EQ(value_of(hints, "unheard_of"), "none");
}

TEST(hints, have_an_order_of_serving_of_their_own_or_that_of_the_setting) {
  Hints hints;
  Info info;
  EXPECT_EQ(value_of(hints, "baton_order"), "auto");
  baton::settings.order = static_cast<std::int64_t>(baton::Order::blocking);
  EXPECT_EQ(value_of(hints, "baton_order"), "blocking");
  for (const char* order : {"status", "rank", "auto"}) {
    ASSERT_EQ(info.set("baton_order", order), MPI_SUCCESS);
    update_hints(hints, &info);
    EXPECT_EQ(value_of(hints, "baton_order"), order);
  }
  for (const char* nonsense :
       {"", "stat", "statuses", "1", "Status and much more that means nothing"}) {
    ASSERT_EQ(info.set("baton_order", nonsense), MPI_SUCCESS);
    update_hints(hints, &info);
    EXPECT_EQ(value_of(hints, "baton_order"), "auto");
  }
  baton::settings.order = 0;
}

TEST(hints, keep_a_promise_about_memory_kinds_that_can_be_kept) {
  Hints hints;
  Info info;
  EXPECT_EQ(value_of(hints, "mpi_memory_alloc_kinds"), "mpi,system");
  EXPECT_EQ(value_of(hints, "mpi_assert_memory_alloc_kinds"), "none");
  ASSERT_EQ(info.set("mpi_assert_memory_alloc_kinds", "system,mpi:alloc_mem"), MPI_SUCCESS);
  update_hints(hints, &info);
  EXPECT_EQ(value_of(hints, "mpi_assert_memory_alloc_kinds"), "system,mpi:alloc_mem");
  ASSERT_EQ(info.set("mpi_assert_memory_alloc_kinds", "cuda"), MPI_SUCCESS);
  update_hints(hints, &info);
  EXPECT_EQ(value_of(hints, "mpi_assert_memory_alloc_kinds"), "system,mpi:alloc_mem");
  ASSERT_EQ(info.set("mpi_memory_alloc_kinds", "mpi"), MPI_SUCCESS);
  update_hints(hints, &info);
  EXPECT_EQ(value_of(hints, "mpi_memory_alloc_kinds"), "mpi,system");
}

}  // namespace
