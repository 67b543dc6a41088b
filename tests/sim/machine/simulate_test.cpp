// Cases whose times can be worked out by hand. SimGrid runs once in a process, so all are simulated
// together.
#include "sim/machine/simulate.hpp"

#include <gtest/gtest.h>

#include <map>

#include "sim/machine/messages.hpp"
#include "sim/machine/team.hpp"
#include "tests/sim/machine/one_machine.hpp"

namespace baton::model {
namespace {

constexpr double gigabyte = 1e9;
constexpr double tolerance = 0.01;

class ClosedForm : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    add_configurations();
    add_shares();
    add_teams();
    add_messages();
    std::vector<Case> cases;
    for (const auto& [name, made] : made_) cases.push_back(made);
    const auto times = simulate(cases, 100);
    for (std::size_t i = 0; i < cases.size(); ++i) times_[cases[i].name] = times[i];
  }
  static void add(const Case& made) { made_[made.name] = made; }

  static void add_configurations() {
    const Description two{two_packages()};
    auto planned = [&](const std::string& name, const char* configuration, int ranks,
                       const Program& program) {
      add(case_of(two, name, place(two, plan_of_configuration(two, configuration, ranks)),
                  program));
    };
    planned("one core", "local", 1, {gigabyte, 1, 0, {}, Order::at_once});
    planned("pointers", "remote", 1, {gigabyte, 1, 0, 1.0, Order::at_once});
    planned("copy", "local", 4, {gigabyte, 1, 1, {}, Order::at_once});
    for (const char* each : {"local", "interleave", "spread", "spread-interleave", "remote"})
      planned(each, each, 4, {gigabyte, 1, 0, {}, Order::at_once});
    planned("one core in turn", "interleave", 1, {gigabyte, 1, 0, {}, Order::in_turn});
    planned("four in turn", "interleave", 4, {gigabyte, 1, 0, {}, Order::in_turn});
    const Description fast{with_fast_memory()};
    auto on = [&](const char* name, const char* memory) {
      add(case_of(fast, name, place(fast, {{}, memory, 8}), {gigabyte, 1, 0, {}, Order::at_once}));
    };
    on("slow memory", "all=near");
    on("fast memory", "all=hbm");
  }
  // Two flows through one resource, of which one passes twice; and a third that is bound.
  static void add_shares() {
    const std::vector<Resource> resources{{"shared", 6 * gigabyte}};
    const double unbound = 1e15;
    add({"weights",
         resources,
         {{{{"once", 1, {{0, 1}}, unbound}}, gigabyte},
          {{{"twice", 1, {{0, 2}}, unbound}}, gigabyte}}});
    add({"bound",
         resources,
         {{{{"slow", 1, {{0, 1}}, gigabyte}}, gigabyte},
          {{{"quick", 1, {{0, 1}}, unbound}}, gigabyte}}});
  }
  static void add_teams() {
    const Description hosts{three_hosts()}, ports{with_ports()};
    auto team = [&](const char* name, const Description& description, const Team& wanted,
                    double computing = 0) {
      add(case_of_team(description, name, place_team(description, wanted),
                       {gigabyte, 1, 0, {}, Order::at_once, computing}));
    };
    team("bus", hosts, {{2}, 4});
    team("two buses", hosts, {{2, 2}, 4});
    team("computing", hosts, {{1}, 1}, 0.3e-9);
    team("drifting", hosts, {{1}, 1, false, false});
    team("ports", ports, {{2}, 4, false, false});
  }
  static void add_messages() {
    const Description hosts{three_hosts()};
    auto messages = [&](const char* name, const std::vector<Message>& all) {
      add(case_of_messages(hosts, name, {3, 3}, all));
    };
    messages("message", {{0, 1, gigabyte}});
    messages("two of a rank", {{0, 1, gigabyte}, {0, 2, gigabyte}});
    messages("network", {{0, 3, gigabyte}});
    messages("network, nothing", {{0, 3, 0}});
    messages("network, two pairs", {{0, 3, gigabyte}, {1, 4, gigabyte}});
    messages("network, both ways", {{0, 3, gigabyte}, {4, 1, gigabyte}});
  }
  static void expect(const char* name, double seconds) {
    EXPECT_NEAR(times_.at(name).all(), seconds, tolerance * seconds) << name;
  }

  static inline std::map<std::string, Case> made_;
  static inline std::map<std::string, Times> times_;
};

TEST_F(ClosedForm, a_core_alone_has_its_lines_over_the_latency) {
  expect("one core", 64e-9 / (10 * 64) * gigabyte / 1);
  expect("pointers", 128e-9 / 64 * gigabyte);
}

TEST_F(ClosedForm, cores_that_fill_a_memory_share_it) {
  expect("local", 4 * gigabyte / (10 * gigabyte));
  // Read, read again to be overwritten, written back.
  expect("copy", 4 * 3 * gigabyte / (10 * gigabyte));
}

TEST_F(ClosedForm, two_memories_serve_at_the_same_time) {
  // From one package: half of all through the link, which is the narrowest.
  expect("interleave", 4 * gigabyte / 2 / (4 * gigabyte));
  // From both: half of each package's two through its link.
  expect("spread-interleave", 2 * gigabyte / 2 / (4 * gigabyte));
}

TEST_F(ClosedForm, pages_in_turn_are_read_one_after_another) {
  // Half at 10 GB/s, which the core has lines for; half at the link's 4.
  expect("one core in turn", 0.5 / 10 + 0.5 / 4);
  // Neither all four at the slower one, nor always two at each.
  EXPECT_GT(times_.at("four in turn").all(), 1.01 * times_.at("interleave").all());
  EXPECT_LT(times_.at("four in turn").all(), 2.0 / 4 + 2.0 / 10);
}

TEST_F(ClosedForm, what_comes_over_a_link_has_no_more_than_the_link) {
  expect("remote", 4 * gigabyte / (4 * gigabyte));
  // The two far ones have the link, 2 GB/s each; the near ones what the memory has besides, 3 each.
  expect("spread", gigabyte / (2 * gigabyte));
  const auto& seconds = times_.at("spread").seconds;
  EXPECT_NEAR(*std::min_element(seconds.begin(), seconds.end()), 1 / 3.0, tolerance / 3);
}

TEST_F(ClosedForm, fast_memory_is_bounded_by_the_mesh) {
  expect("slow memory", 8 * gigabyte / (20 * gigabyte));
  expect("fast memory", 8 * gigabyte / (80 * gigabyte));
}

TEST_F(ClosedForm, what_passes_twice_takes_twice_as_much) {
  // Fair is the same rate for both, 2 GB/s; both end at the same time.
  expect("weights", 0.5);
  // The other has the rest: it ends after a fifth of a second, the slow one after a second.
  expect("bound", 1);
  EXPECT_NEAR(times_.at("bound").seconds[1], 0.2, tolerance * 0.2);
}

TEST_F(ClosedForm, a_bus_carries_all_that_a_host_reads_and_each_host_has_its_own) {
  expect("bus", 8.0 / 12);
  expect("two buses", 8.0 / 12);
}

TEST_F(ClosedForm, a_core_that_computes_has_no_line_under_way_meanwhile) {
  // 64 ns for ten lines, and 0.3 ns for each of their bytes.
  expect("computing", 64.0 / 640 + 0.3);
}

TEST_F(ClosedForm, a_thread_that_drifts_is_as_far_from_its_memory_as_the_nodes_are_in_the_mean) {
  expect("drifting", (64.0 + 128) / 2 / 640);
  // Half of what four threads read comes in through their package's port.
  expect("ports", 4 * 0.5 / 4);
}

TEST_F(ClosedForm, messages_have_latency_and_bandwidth_of_where_their_ranks_are) {
  expect("message", 0.1 + 1 / 2.0);
  expect("network", 0.5 + 1 / 0.5);
  expect("network, nothing", 0.5);
}

TEST_F(ClosedForm, messages_share_their_ranks_and_their_hosts) {
  expect("two of a rank", 0.1 + 2 / 2.0);
  expect("network, two pairs", 0.5 + 2 / 0.8);
  expect("network, both ways", 0.5 + 1 / 0.5);
}

TEST_F(ClosedForm, a_process_simulates_once) {
  EXPECT_THROW((void)simulate({}, 1), std::runtime_error);
}

}  // namespace
}  // namespace baton::model
