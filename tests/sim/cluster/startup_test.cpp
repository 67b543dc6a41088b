// The tree of managers that exchanges records, and what stays of a start without it.
#include "sim/cluster/startup.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <set>

#include "tests/sim/cluster/follow_data.hpp"
#include "tests/sim/cluster/one_fabric.hpp"

namespace baton::cluster {
namespace {

constexpr std::int64_t record = 100;

// Whose records a manager has.
struct Records {
  using Load = std::set<int>;
  explicit Records(int nodes) {
    for (int node = 0; node < nodes; ++node) has.push_back({node});
  }
  Load give(int from, const Send& send) {
    const Load& load = has[static_cast<std::size_t>(from)];
    if (send.bytes != record * static_cast<std::int64_t>(load.size()))
      problem = "bytes are not those of the records";
    return load;
  }
  void take(int to, const Load& load) {
    has[static_cast<std::size_t>(to)].insert(load.begin(), load.end());
  }
  std::vector<std::set<int>> has;
  std::string problem;
};

TEST(Startup, every_manager_gets_all_records) {
  for (int nodes : {1, 2, 3, 7, 32, 33, 100})
    for (int fan_out : {1, 2, 5, 32}) {
      SCOPED_TRACE(testing::Message() << nodes << " nodes, " << fan_out << " children");
      Records state(nodes);
      EXPECT_EQ(FollowData(exchange_of_records(nodes, fan_out, record), state).run(), "");
      for (const auto& each : state.has) EXPECT_EQ(each.size(), static_cast<std::size_t>(nodes));
    }
}

TEST(Startup, connecting_to_few_does_not_grow_with_the_job) {
  const Fabric fabric{crossbar(10000)};
  const Startup small = startup_in_closed_form(fabric, 100, 1, 32, 10);
  const Startup large = startup_in_closed_form(fabric, 10000, 1, 32, 10);
  EXPECT_DOUBLE_EQ(small.connect_few, 10 * 10e-9);
  EXPECT_DOUBLE_EQ(large.connect_few, small.connect_few);
  EXPECT_DOUBLE_EQ(large.connect_all, 9999 * 10e-9);
  EXPECT_DOUBLE_EQ(startup_in_closed_form(fabric, 1, 1, 32, 10).connect_few, 0);
}

}  // namespace
}  // namespace baton::cluster
