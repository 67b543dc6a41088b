// From times over a network to values of settings, and from what jobs say to what they went over.
#include "cli/tune/network_choice.hpp"

#include <gtest/gtest.h>

#include <string>

namespace baton::cli::tune {
namespace {

using profile::Cell;

Cell cell(const char* question, const std::string& variant, const char* data, std::int64_t bytes,
          double us, int rounds) {
  Cell one{question, variant, "network", "pingpong", data, bytes, {}};
  for (int round = 0; round < rounds; ++round)
    one.medians_us.push_back(us * (1 + 0.001 * ((round + variant.size()) % 2)));
  return one;
}

// Times of MPI's messages as `time` gives them.
template <class Time>
std::vector<Cell> messages(Time time, int rounds = 7) {
  std::vector<Cell> cells;
  for (const Variant& variant : network_variants())
    for (const char* data : {"warm", "cold"})
      for (std::int64_t bytes : packet_sizes())
        cells.push_back(
            cell(packets_question, variant.name, data, bytes, time(variant.name, bytes), rounds));
  return cells;
}

std::int64_t chosen(const std::vector<Cell>& cells, const std::string& setting) {
  for (const profile::Chosen& one : choose_network(cells))
    if (one.setting == setting) return one.value;
  return -1;
}

std::int64_t limit_of(const std::vector<Cell>& cells) {
  return chosen(cells, "network_eager_bytes_max");
}

TEST(a_network, keeps_the_defaults_where_nothing_is_better) {
  const auto cells = messages([](const std::string&, std::int64_t bytes) { return 10.0 + bytes; });
  EXPECT_EQ(limit_of(cells), 131072);
  EXPECT_EQ(chosen(cells, "network_receiver_initiated"), 1);
  for (const profile::Chosen& one : choose_network(cells))
    EXPECT_EQ(one.reason.find("the default stays: "), 0u) << one.reason;
}

TEST(a_network, takes_the_limit_below_which_packets_are_as_quick_as_writes) {
  for (const std::int64_t limit : {16384, 32768, 65536, 131072}) {
    const auto cells = messages([&](const std::string& variant, std::int64_t bytes) {
      return bytes > limit && variant == "packets" ? 20.0 : 15.0;
    });
    EXPECT_EQ(limit_of(cells), limit);
  }
}

TEST(a_network, does_not_skip_a_limit_at_which_packets_are_quicker) {
  const auto cells = messages([](const std::string& variant, std::int64_t bytes) {
    return variant == "packets" && bytes < 60000 ? 20.0 : 15.0;
  });
  EXPECT_EQ(limit_of(cells), 131072);
}

TEST(a_network, has_no_adverts_only_where_that_is_quicker_and_nowhere_slower) {
  auto times = [](double without, double without_long) {
    return messages([=](const std::string& variant, std::int64_t bytes) {
      return variant != "answered" ? 15.0 : bytes > 200000 ? without_long : without;
    });
  };
  EXPECT_EQ(chosen(times(12, 12), "network_receiver_initiated"), 0);
  EXPECT_EQ(chosen(times(12, 17), "network_receiver_initiated"), 1);
  EXPECT_EQ(chosen(times(15, 15), "network_receiver_initiated"), 1);
  // Packets are then compared with what is used instead.
  EXPECT_EQ(limit_of(times(12, 12)), 16384);
}

TEST(a_network, of_which_too_little_was_measured_keeps_the_defaults_and_says_so) {
  for (const auto& cells :
       {std::vector<Cell>{}, messages([](const std::string&, std::int64_t) { return 1.0; }, 2)})
    for (const profile::Chosen& one : choose_network(cells))
      EXPECT_NE(one.reason.find("--seconds gives more time"), std::string::npos) << one.reason;
}

std::vector<Cell> arrivals(double message, double write, double polled, int rounds = 5) {
  std::vector<Cell> cells;
  for (std::int64_t bytes : arrival_sizes()) {
    cells.push_back(cell(arrival_question, "message", "", bytes, message, rounds));
    cells.push_back(cell(arrival_question, "write", "", bytes, write, rounds));
    if (polled > 0) cells.push_back(cell(arrival_question, "polled", "", bytes, polled, rounds));
  }
  return cells;
}

TEST(arrivals_over_the_raw_provider, are_told_in_words) {
  EXPECT_EQ(arrival_words(arrivals(5.1, 6.3, 0)), "8 B: message 5.1 us, remote write 6.3 us");
  EXPECT_EQ(arrival_words(arrivals(5.1, 6.3, 4.2)),
            "8 B: message 5.1 us, remote write 6.3 us, polled write 4.2 us");
  EXPECT_EQ(arrival_words({}), "");
  EXPECT_EQ(writes_words(arrivals(5.1, 6.3, 0)), "no remote write is quicker than a message");
  EXPECT_EQ(writes_words(arrivals(5.1, 6.3, 4.2)),
            "remote writes would be quicker here (8 B, 1 KiB, 16 KiB), Baton has no rings yet");
  EXPECT_EQ(writes_words(arrivals(5.1, 4, 0)),
            "remote writes would be quicker here (8 B, 1 KiB, 16 KiB), Baton has no rings yet");
  EXPECT_EQ(writes_words(arrivals(5.1, 4, 0, 2)),
            "too few rounds to compare messages with remote writes");
}

TEST(what_a_job_went_over, is_read_from_what_mpiexec_explains) {
  auto path = read_path(
      "a line\nnetwork: tcp;ofi_rxm on interface lo, of libfabric 1.17: all ranks are here; "
      "packets\n",
      {});
  ASSERT_TRUE(path);
  EXPECT_EQ(path->provider, "tcp;ofi_rxm");
  EXPECT_EQ(path->libfabric, "1.17");
  EXPECT_EQ(path->interfaces[0], "lo");
  EXPECT_EQ(path->interfaces[1], "lo");
  const std::vector<std::string> hosts = {"a", "b"};
  path = read_path(
      "mpiexec on b: where the ranks ran: x\nnetwork: tcp on interface ib1, of libfabric 2.5: y\n"
      "mpiexec on a: where the ranks ran: x\nnetwork: tcp on interface eth0, of libfabric 2.5: y\n",
      hosts);
  ASSERT_TRUE(path);
  EXPECT_EQ(path->interfaces[0], "eth0");
  EXPECT_EQ(path->interfaces[1], "ib1");
  EXPECT_FALSE(read_path("nothing of it", hosts));
}

TEST(offers, are_those_that_a_job_would_take) {
  const char* listed =
      "cell pingpong warm 8 1.0\noffer tcp eth0 1\noffer tcp eth0 1\noffer tcp lo 1\noffer tcp "
      "docker0 1\noffer tcp;ofi_rxm eth0 0\noffer sockets eth0 0\noffer tcp eth1 1\noffer\n";
  std::string names;
  for (const Offer& one : offers_in(listed, {"tcp", "2.5", {"eth0", "eth0"}}, false))
    names += name_of(one) + ",";
  EXPECT_EQ(names, "tcp on eth0,tcp;ofi_rxm on eth0,tcp on eth1,");
  EXPECT_EQ(offers_in(listed, {"tcp", "2.5", {"lo", "lo"}}, true).size(), 1u);
}

TEST(offers, are_recommended_only_where_they_are_clearly_quicker_in_both_ways) {
  const std::vector<Offer> offers = {{"tcp", "eth0"}, {"tcp", "eth1"}};
  auto words = [&](double brief, double lengthy, int rounds = 5) {
    std::vector<Cell> cells;
    for (const char* data : {"warm", "cold"}) {
      cells.push_back(cell(offers_question, "tcp on eth0", data, 8, 10, rounds));
      cells.push_back(cell(offers_question, "tcp on eth0", data, 1 << 20, 10, rounds));
      cells.push_back(cell(offers_question, "tcp on eth1", data, 8, brief, rounds));
      cells.push_back(cell(offers_question, "tcp on eth1", data, 1 << 20, lengthy, rounds));
    }
    return offers_words(offers, cells);
  };
  EXPECT_EQ(words(8, 7),
            "tcp on eth1 is quicker than tcp on eth0 (8 B: 0.80 of its time, 1 MiB: 0.70, 5 "
            "rounds); to take it, set BATON_NETWORK_PROVIDER='tcp' and "
            "BATON_NETWORK_INTERFACE=eth1, and measure again with them");
  for (const auto& [brief, lengthy] : {std::pair(8.0, 9.5), {9.5, 7.0}, {12.0, 5.0}})
    EXPECT_EQ(words(brief, lengthy),
              "tcp on eth0 stays: of 2 offers none is clearly quicker, both at 8 B and at 1 MiB");
  EXPECT_EQ(words(8, 7, 2), "too few rounds to compare tcp on eth0 with other offers");
  EXPECT_EQ(offers_words({offers.data(), 1}, {}), "tcp on eth0 is the only offer that fits");
}

TEST(hosts, are_taken_as_mpiexec_takes_them) {
  const std::vector<std::string> both = {"a", "b"};
  EXPECT_EQ(hosts_in_list("a:4,b,a"), both);
  EXPECT_EQ(hosts_in_list("a").size(), 1u);
  EXPECT_EQ(hosts_in_file("# ours\na slots=4\n\n  b:2 # the other\n"), both);
  EXPECT_TRUE(hosts_in_file("").empty());
}

TEST(a_failed_job, is_told_of_by_the_line_that_says_why) {
  EXPECT_EQ(cause_in("mpiexec: other hosts: handing over to /x/prterun\nx\nbaton: no libfabric\ny"),
            "baton: no libfabric");
  EXPECT_EQ(cause_in("\nsomething\nthe last\n\n"), "something");
  EXPECT_TRUE(is_from_baton("code 2: mpiexec: none of them is in PATH"));
  EXPECT_FALSE(is_from_baton("[mpiexec@a] main: process manager error"));
  EXPECT_EQ(cause_in(""), "it printed nothing");
}

}  // namespace
}  // namespace baton::cli::tune
