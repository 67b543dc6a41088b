#include "sim/bus/machine.hpp"

#include <algorithm>
#include <set>

#include "sim/bus/draw.hpp"
#include "sim/bus/status.hpp"
#include "tests/sim/bus/one_machine.hpp"

namespace baton::bus {

void expect_all_served(const Case& given, const Outcome& outcome) {
  std::multiset<std::pair<int, int>> served, wanted;
  for (const Transfer& transfer : outcome.transfers) {
    served.insert({transfer.root, transfer.node});
    auto node = static_cast<std::size_t>(transfer.node);
    EXPECT_EQ(transfer.bytes, given.blocks[node]);
    EXPECT_LE(transfer.data + data_cycles(transfer.bytes), transfer.ended);
    if (!transfer.forced) {
      EXPECT_GE(transfer.asked, idle_from(given.channels[node]));
    }
  }
  for (const Undelivered& missed : outcome.undelivered) {
    EXPECT_EQ(given.channels[static_cast<std::size_t>(missed.node)].condition, Condition::dead);
    served.insert({missed.root, missed.node});
  }
  for (int root : given.roots)
    for (int node = 0; node < given.nodes; ++node)
      if (node != root) wanted.insert({root, node});
  EXPECT_EQ(served, wanted);
  if (given.topology != Topology::bus) return;
  std::vector<Transfer> in_time = outcome.transfers;
  std::ranges::sort(in_time, {},
                    [](const Transfer& one) { return std::pair(one.data, one.ended); });
  for (std::size_t at = 1; at < in_time.size(); ++at)
    EXPECT_LE(in_time[at - 1].ended, in_time[at].data) << "two transfers at once on a bus";
}

namespace {

TEST(the_example, takes_39_cycles_in_rank_order_and_31_in_status_order) {
  Case example = example_case();
  Outcome ranked = simulated(example, Order::rank), aware = simulated(example, Order::status);
  EXPECT_EQ(ranked.cycles, 39u);
  EXPECT_EQ(ranked.waited, 8u);
  EXPECT_EQ(aware.cycles, 31u);
  EXPECT_EQ(aware.waited, 0u);
  expect_all_served(example, ranked);
  expect_all_served(example, aware);
}

TEST(the_example, serves_in_the_sources_order_a_block_each_cycle) {
  std::vector<int> expected;
  for (int node = 7; node < 32; ++node) expected.push_back(node);
  for (int node : {5, 6, 3, 4, 1, 2}) expected.push_back(node);
  Outcome aware = simulated(example_case(), Order::status);
  EXPECT_EQ(order_of(aware), expected);
  for (std::size_t at = 0; at < aware.transfers.size(); ++at) {
    EXPECT_EQ(aware.transfers[at].data, at);
    EXPECT_EQ(aware.transfers[at].ended, at + 1);
  }
  Outcome ranked = simulated(example_case(), Order::rank);
  for (std::size_t at = 0; at < ranked.transfers.size(); ++at) {
    EXPECT_EQ(ranked.transfers[at].node, static_cast<int>(at) + 1);
    EXPECT_EQ(ranked.transfers[at].data, at + 8);
  }
}

TEST(the_sources_best_case, is_384_of_496_cycles) {
  Case given = plain_case(32, 64);
  given.channels = draw_channels(32, {0}, {.busy = Busy::count, .busy_count = 6, .earlier = 1536});
  EXPECT_EQ(simulated(given, Order::rank).cycles, 384u + 496u);
  EXPECT_EQ(simulated(given, Order::status).cycles, 496u);
}

TEST(overhead, is_paid_by_each_transfer) {
  Case given = plain_case(4, 8);
  given.overhead = {.arbitration = 3, .header = 5, .hand_shake = 7};
  Outcome outcome = simulated(given, Order::rank);
  EXPECT_EQ(outcome.cycles, 3u * (3 + 5 + 2 + 7));
  EXPECT_EQ(outcome.transfers[1].asked, 17u);
  EXPECT_EQ(outcome.transfers[1].granted, 20u);
  EXPECT_EQ(outcome.transfers[1].data, 25u);
  EXPECT_EQ(outcome.transfers[1].ended, 34u);
}

TEST(overhead, of_a_gather_has_a_request_without_hand_shake) {
  Case given = plain_case(4, 8);
  given.operation = Operation::gather;
  EXPECT_EQ(simulated(given, Order::rank).cycles, 3u * 2);
  given.overhead = {.arbitration = 3, .header = 5, .hand_shake = 7};
  EXPECT_EQ(simulated(given, Order::rank).cycles, 3u * (3 + 5 + 3 + 5 + 2 + 7));
}

TEST(look_up, is_paid_once_or_for_each_node_and_again_with_each_reading) {
  Case given = plain_case(5, 4);
  given.overhead.look_up = 10;
  EXPECT_EQ(simulated(given, Order::rank).cycles, 4u) << "rank order reads nothing";
  EXPECT_EQ(simulated(given, Order::status).cycles, 4u + 10);
  given.overhead.look_up_counts = LookUp::per_node;
  EXPECT_EQ(simulated(given, Order::status).cycles, 4u + 40);
  given.read_again = true;
  EXPECT_EQ(simulated(given, Order::status).cycles, 4u + 10 * (4 + 3 + 2 + 1));
}

TEST(rank_order, that_waits_only_for_the_next_node_begins_before_all_are_idle) {
  Case given = plain_case(4, 4);
  given.channels[3] = {.left = 40, .earlier = 40};
  EXPECT_EQ(simulated(given, Order::rank).cycles, 10u + 3);
  given.start = Start::next;
  Outcome outcome = simulated(given, Order::rank);
  EXPECT_EQ(outcome.cycles, 10u + 1);
  EXPECT_EQ(outcome.transfers[0].data, 0u);
  EXPECT_EQ(outcome.waited, 8u);
}

TEST(a_channel, is_idle_in_the_cycle_after_its_last_bytes) {
  for (Bytes left : {1, 3, 4, 5, 8, 9}) {
    Case given = plain_case(2, 4);
    given.channels[1] = {.left = left, .earlier = left};
    EXPECT_EQ(simulated(given, Order::status).cycles, (left + 3) / 4 + 1) << left;
  }
}

class always_wrong : public testing::TestWithParam<std::tuple<Operation, bool>> {};

TEST_P(always_wrong, status_costs_time_and_delivers_all) {
  Case given = plain_case(32, 16);
  std::tie(given.operation, given.read_again) = GetParam();
  given.channels = draw_channels(32, {0}, {.idle_share = 0.5, .left = Left::drawn, .seed = 3});
  Outcome right = simulated(given, Order::status);
  given.flaws = draw_flaws(32, 1.0, 0, 1536, 3);
  Outcome wrong = simulated(given, Order::status);
  expect_all_served(given, right);
  expect_all_served(given, wrong);
  EXPECT_TRUE(wrong.undelivered.empty());
  EXPECT_GT(wrong.cycles, right.cycles);
  EXPECT_GT(given.channels[static_cast<std::size_t>(wrong.transfers[0].node)].left, 0u)
      << "a busy node is believed to be idle";
}

INSTANTIATE_TEST_SUITE_P(ways, always_wrong,
                         testing::Combine(testing::Values(Operation::scatter, Operation::gather),
                                          testing::Bool()));

TEST(a_coarse_status, delivers_all_and_is_never_better_than_an_exact_one) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Case given = plain_case(32, 16);
    given.channels = draw_channels(32, {0}, {.left = Left::drawn, .seed = seed});
    Cycles exact = simulated(given, Order::status).cycles;
    for (Detail detail : {Detail::classes, Detail::idle_only}) {
      given.detail = detail;
      Outcome outcome = simulated(given, Order::status);
      expect_all_served(given, outcome);
      EXPECT_GE(outcome.cycles, exact);
    }
  }
}

TEST(an_old_status, costs_time_and_delivers_all) {
  Case given = plain_case(32, 16);
  given.channels = draw_channels(32, {0}, {.left = Left::drawn, .seed = 9});
  Cycles fresh = simulated(given, Order::status).cycles;
  given.flaws = draw_flaws(32, 0, 1000, 1536, 9);
  Outcome outcome = simulated(given, Order::status);
  expect_all_served(given, outcome);
  EXPECT_GT(outcome.cycles, fresh);
}

TEST(a_node_that_never_becomes_idle, is_served_last_when_patience_has_ended) {
  for (bool again : {false, true}) {
    Case given = plain_case(8, 16);
    given.read_again = again;
    given.patience = 1000;
    given.channels[2].condition = Condition::never;
    given.channels[5] = {.left = 400, .earlier = 400};
    Outcome aware = simulated(given, Order::status);
    expect_all_served(given, aware);
    EXPECT_EQ(order_of(aware), (std::vector{1, 3, 4, 6, 7, 5, 2}));
    EXPECT_TRUE(aware.transfers.back().forced);
    EXPECT_EQ(aware.cycles, 1000u + 4);
    EXPECT_EQ(std::ranges::count(aware.transfers, true, &Transfer::forced), 1);
  }
}

TEST(a_node_that_never_becomes_idle, holds_all_up_in_rank_order_and_is_served_in_turn) {
  Case given = plain_case(8, 16);
  given.patience = 1000;
  given.channels[2].condition = Condition::never;
  Outcome ranked = simulated(given, Order::rank);
  expect_all_served(given, ranked);
  EXPECT_EQ(order_of(ranked), (std::vector{1, 2, 3, 4, 5, 6, 7}));
  EXPECT_EQ(ranked.cycles, 1000u + 7 * 4);
}

TEST(a_dead_node, is_named_and_all_others_are_served) {
  for (Order order : {Order::rank, Order::status}) {
    Case given = plain_case(8, 16);
    given.patience = 100;
    given.channels[3].condition = Condition::dead;
    given.channels[6].condition = Condition::never;
    Outcome outcome = simulated(given, order);
    expect_all_served(given, outcome);
    EXPECT_EQ(outcome.undelivered, (std::vector<Undelivered>{{0, 3}}));
    EXPECT_EQ(outcome.transfers.size(), 6u);
  }
}

TEST(blocks_of_no_bytes, are_served_and_take_no_cycle_of_data) {
  for (Order order : {Order::rank, Order::status}) {
    Case given = example_case();
    given.blocks.assign(32, 0);
    Outcome outcome = simulated(given, order);
    expect_all_served(given, outcome);
    EXPECT_EQ(outcome.cycles, 8u) << "they wait for busy nodes nevertheless";
    given.overhead.header = 2;
    EXPECT_EQ(simulated(plain_case(2, 0), order).cycles, 0u);
    EXPECT_EQ(simulated(given, order).busy_cycles, 31u * 2);
  }
}

TEST(huge_uneven_blocks, take_their_cycles_exactly) {
  Case given = example_case();
  Bytes sum = 0;
  for (std::size_t node = 0; node < given.blocks.size(); ++node) {
    given.blocks[node] = node % 3 == 0 ? (Bytes{1} << 38) + node : node % 3;
    if (node > 0) sum += data_cycles(given.blocks[node]);
  }
  Outcome ranked = simulated(given, Order::rank), aware = simulated(given, Order::status);
  expect_all_served(given, ranked);
  expect_all_served(given, aware);
  EXPECT_EQ(ranked.cycles, sum + 8);
  EXPECT_EQ(aware.cycles, sum);
}

TEST(a_root_in_the_middle, serves_all_others_from_the_lowest_rank) {
  Case given = plain_case(9, 4);
  given.roots = {4};
  given.channels[0] = {.left = 8, .earlier = 8};
  Outcome ranked = simulated(given, Order::rank), aware = simulated(given, Order::status);
  expect_all_served(given, ranked);
  EXPECT_EQ(order_of(ranked), (std::vector{0, 1, 2, 3, 5, 6, 7, 8}));
  EXPECT_EQ(order_of(aware), (std::vector{1, 2, 3, 5, 6, 7, 8, 0}));
  EXPECT_EQ(ranked.cycles, 10u);
  EXPECT_EQ(aware.cycles, 8u);
}

TEST(the_same_case, has_the_same_outcome_whatever_came_before) {
  Case given = plain_case(24, 32);
  given.roots = {0, 7, 11};
  given.overhead = {.arbitration = 1, .header = 2, .look_up = 3, .hand_shake = 1};
  given.read_again = true;
  given.channels = draw_channels(24, given.roots, {.left = Left::drawn, .seed = 77});
  given.flaws = draw_flaws(24, 0.3, 200, 1536, 77);
  for (Topology topology : {Topology::bus, Topology::ring, Topology::mesh}) {
    given.topology = topology;
    Outcome first = simulated(given);
    simulated(example_case());
    EXPECT_EQ(simulated(given), first);
    expect_all_served(given, first);
  }
}

TEST(several_roots, share_the_bus_in_turn_and_use_every_cycle) {
  Case given = plain_case(16, 64);
  given.roots = {0, 5, 9, 15};
  Outcome outcome = simulated(given);
  expect_all_served(given, outcome);
  EXPECT_EQ(outcome.cycles, 4u * 15 * 16);
  EXPECT_EQ(outcome.busy_cycles, outcome.cycles);
  for (std::size_t at = 0; at < 8; ++at)
    EXPECT_EQ(outcome.transfers[at].root, given.roots[at % 4]) << at;
}

TEST(several_roots, move_at_the_same_time_where_links_are_apart) {
  Case given = plain_case(64, 256);
  given.roots = {0, 32};
  Cycles on_bus = simulated(given).cycles;
  for (Topology topology : {Topology::ring, Topology::mesh}) {
    given.topology = topology;
    Outcome outcome = simulated(given);
    expect_all_served(given, outcome);
    EXPECT_LT(outcome.cycles, on_bus);
  }
}

TEST(a_ring, takes_a_cycle_more_for_each_hop) {
  Case given = plain_case(5, 4);
  given.topology = Topology::ring;
  EXPECT_EQ(simulated(given, Order::rank).cycles, 4u + (1 + 2 + 2 + 1));
  given.hop = 3;
  EXPECT_EQ(simulated(given, Order::rank).cycles, 4u + 3 * (1 + 2 + 2 + 1));
}

TEST(an_earlier_transfer, holds_its_links_on_a_ring_and_none_on_a_bus) {
  Case given = plain_case(8, 4);
  given.hop = 0;
  // From 0 up to 2: in the way of what the root sends to 1, which itself is idle.
  given.channels[2] = {.left = 400, .earlier = 400, .peer = 0};
  EXPECT_EQ(simulated(given, Order::status).transfers[0].data, 0u);
  given.topology = Topology::ring;
  Outcome outcome = simulated(given, Order::status);
  expect_all_served(given, outcome);
  EXPECT_EQ(outcome.transfers[0].node, 1);
  EXPECT_EQ(outcome.transfers[0].asked, 0u);
  EXPECT_EQ(outcome.transfers[0].data, 100u);
}

TEST(a_thousand_and_24_nodes, are_all_served) {
  Case given = plain_case(nodes_max, 8);
  given.channels = draw_channels(nodes_max, {0}, {.idle_share = 0.5, .left = Left::drawn});
  for (Topology topology : {Topology::bus, Topology::ring, Topology::mesh}) {
    given.topology = topology;
    expect_all_served(given, simulated(given, Order::status));
  }
}

TEST(a_case, that_makes_no_sense_is_refused_with_a_remedy) {
  Case given = example_case();
  given.roots = {32};
  EXPECT_EQ(one_machine().simulate(given).error(), "root 32 is none of 32 nodes; give 0 to 31");
  given.roots = {1, 1};
  EXPECT_FALSE(one_machine().simulate(given).has_value());
  given.roots = {};
  EXPECT_FALSE(one_machine().simulate(given).has_value());
  given = example_case();
  given.blocks[3] = given.blocks[4] = Bytes{1} << 55;
  EXPECT_EQ(one_machine().simulate(given).error(),
            "the blocks are more than 2^56 bytes together; give smaller ones");
  given = example_case();
  given.blocks.pop_back();
  EXPECT_FALSE(one_machine().simulate(given).has_value());
  EXPECT_TRUE(one_machine().simulate(example_case()).has_value());
}

}  // namespace

}  // namespace baton::bus
