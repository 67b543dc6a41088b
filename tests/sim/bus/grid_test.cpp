#include "sim/bus/grid.hpp"

#include <set>

#include "sim/bus/monotone.hpp"
#include "sim/bus/sensitivity.hpp"
#include "tests/sim/bus/one_machine.hpp"

namespace baton::bus {
namespace {

Grid small_grid() {
  Grid grid;
  grid.messages = doubled_messages();
  grid.idle_shares = idle_steps(4);
  return grid;
}

/// What the cycles must be on paper when what is left is whole.
double expected_gain(const Row& row) {
  double wait = row.busy_mean > 0 ? static_cast<double>(row.earlier) / 4 : 0;
  double one = static_cast<double>(row.message) / 4;
  double idle = row.nodes - 1 - row.busy_mean;
  double aware = std::max(wait, idle * one) + row.busy_mean * one;
  return (wait + (row.nodes - 1) * one) / aware - 1;
}

TEST(the_base, is_what_can_be_worked_out_on_paper) {
  Progress progress(true);
  for (const Row& row : run_grid(one_machine(), base_assumption(), small_grid(), progress)) {
    EXPECT_NEAR(row.gain_mean, expected_gain(row), 1e-12);
    EXPECT_NEAR(row.gain_mean, row.gain_most, 1e-12);
    EXPECT_GE(row.gain_least, 0);
  }
}

TEST(falls_of_the_gain, all_have_their_reason) {
  Progress progress(true);
  std::vector<Row> rows = run_grid(one_machine(), base_assumption(), small_grid(), progress);
  for (Axis axis : {Axis::nodes, Axis::idle_share, Axis::message}) {
    Trend trend = trend_along(axis, rows);
    EXPECT_TRUE(trend.other.empty());
    EXPECT_GT(trend.grew, 0);
    EXPECT_EQ(trend.fell, trend.fell_all_idle + trend.fell_hidden + trend.fell_rounding);
  }
}

TEST(a_fall, without_reason_is_found) {
  std::vector<Row> rows = {{.nodes = 8,
                            .message = 4,
                            .earlier = 32,
                            .idle_share = 0.5,
                            .busy_mean = 3,
                            .gain_mean = 0.4,
                            .hidden = false},
                           {.nodes = 8,
                            .message = 8,
                            .earlier = 32,
                            .idle_share = 0.5,
                            .busy_mean = 3,
                            .gain_mean = 0.3,
                            .hidden = false}};
  EXPECT_EQ(trend_along(Axis::message, rows).other.size(), 1u);
  EXPECT_EQ(trend_along(Axis::nodes, rows).fell, 0);
  rows[1].hidden = true;
  EXPECT_EQ(trend_along(Axis::message, rows).fell_hidden, 1);
}

TEST(changed_assumptions, differ_from_the_base_and_have_names_of_their_own) {
  Json base = describe(base_assumption());
  base.erase("name");
  base.erase("what");
  std::set<std::string> names;
  for (const Assumption& assumed : changed_assumptions()) {
    Json changed = describe(assumed);
    EXPECT_TRUE(names.insert(assumed.name).second);
    changed.erase("name");
    changed.erase("what");
    EXPECT_NE(changed, base) << assumed.name;
  }
}

}  // namespace
}  // namespace baton::bus
