#include "base/identity.hpp"

#include <gtest/gtest.h>

#include <type_traits>

namespace baton {
namespace {

template <class From, class To>
constexpr bool passes_for = std::is_convertible_v<From, To>;

TEST(identity, no_numbering_passes_for_another_or_for_a_bare_number) {
  EXPECT_FALSE((passes_for<Process, LocalRank> || passes_for<LocalRank, Process>));
  EXPECT_FALSE((passes_for<Process, WorldRank> || passes_for<WorldRank, LocalRank>));
  EXPECT_FALSE(
      (passes_for<Process, int> || passes_for<LocalRank, int> || passes_for<WorldRank, int>));
  EXPECT_FALSE((passes_for<int, Process> || passes_for<int, LocalRank> || passes_for<Job, int>));
}

TEST(identity, processes_of_two_jobs_with_one_rank_differ) {
  EXPECT_EQ((ProcessId{Job{1}, WorldRank{3}}), (ProcessId{Job{1}, WorldRank{3}}));
  EXPECT_NE((ProcessId{Job{1}, WorldRank{3}}), (ProcessId{Job{2}, WorldRank{3}}));
}

}  // namespace
}  // namespace baton
