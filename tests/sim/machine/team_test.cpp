#include "sim/machine/team.hpp"

#include <gtest/gtest.h>

#include "sim/machine/messages.hpp"
#include "tests/sim/machine/one_machine.hpp"

namespace baton::model {
namespace {

std::string placed(const Team& team) {
  const Description description{three_hosts()};
  std::string text;
  for (const PlacedThread& thread : place_team(description, team)) {
    text += std::to_string(thread.host) + "." + std::to_string(thread.process) + ":" +
            std::to_string(thread.cpu) + "@";
    for (int node : thread.nodes) text += std::to_string(node);
    text += " ";
  }
  return text;
}

TEST(team, bound_threads_use_their_own_node) {
  EXPECT_EQ(placed({{1}, 2}), "0.0:0@0 0.0:1@0 ");
  EXPECT_EQ(placed({{2, 1}, 2}), "0.0:0@0 0.0:1@0 0.1:2@0 0.1:3@0 1.0:0@0 1.0:1@0 ");
}

TEST(team, threads_that_drift_use_all_nodes_of_their_host) {
  EXPECT_EQ(placed({{1}, 2, false, false}), "0.0:0@01 0.0:1@01 ");
}

TEST(team, a_master_on_top_takes_what_the_others_leave) {
  EXPECT_EQ(placed({{1}, 4, true}), "0.0:0@0 0.0:1@0 0.0:2@0 0.0:3@0 ");
  EXPECT_THROW((void)placed({{2}, 4, true}), std::runtime_error);
}

TEST(team, processes_that_rest_and_threads_that_wait_have_no_work) {
  EXPECT_EQ(placed({{2, 1}, 2, false, true, 1}), "0.1:2@0 0.1:3@0 1.0:0@0 1.0:1@0 ");
  EXPECT_EQ(placed({{2}, 2, false, true, 0, true}), "0.0:0@0 0.1:2@0 ");
}

TEST(team, what_does_not_fit_is_refused) {
  for (const Team& team : {Team{{}, 1}, Team{{1, 1, 1, 1}, 1}, Team{{0}, 1}, Team{{1}, 0},
                           Team{{1}, 9}, Team{{1}, 1, false, true, 1}})
    EXPECT_THROW((void)placed(team), std::runtime_error);
}

TEST(messages, between_ranks_that_are_not_there_are_refused) {
  const Description description{three_hosts()};
  auto refused = [&](const std::vector<int>& ranks, const Message& message) {
    EXPECT_THROW((void)case_of_messages(description, "bad", ranks, {message}), std::runtime_error);
  };
  refused({1, 1}, {0, 2, 1});
  refused({1, 1}, {-1, 0, 1});
  refused({2}, {1, 1, 1});
  refused({2}, {0, 1, -1});
  refused({}, {0, 1, 1});
  refused({1, 1, 1, 1}, {0, 1, 1});
  const Description without{two_packages()};
  EXPECT_THROW((void)case_of_messages(without, "bad", {2}, {{0, 1, 1}}), std::runtime_error);
}

}  // namespace
}  // namespace baton::model
