// What `baton advise` recommends for each captured machine, against lists that were written by
// hand.
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "machine/advice.hpp"
#include "machine/discover.hpp"

using namespace baton::machine;

namespace {

struct Expected {
  const char* machine;
  int ranks;
  std::vector<std::string> options;
};

const Expected expectations[] = {
    {"knl-flat",
     0,
     {"-n 68 --memory queues=hbm,heap=hbm", "-n 68 --memory all=hbm", "-n 68",
      "-n 68 --bind-to none", "--layout 34x2", "--layout 1+33x2"}},
    {"knl-cache", 0, {"-n 68", "-n 68 --bind-to none", "--layout 34x2", "--layout 1+33x2"}},
    {"knl-hybrid",
     0,
     {"-n 68 --memory queues=hbm,heap=hbm", "-n 68 --memory all=hbm", "-n 68",
      "-n 68 --bind-to none", "--layout 34x2", "--layout 1+33x2"}},
    {"knl-snc4",
     0,
     {"-n 68 --memory queues=hbm,heap=hbm", "-n 68 --memory all=hbm", "-n 68",
      "-n 68 --memory all=interleave", "-n 18 --config spread-interleave",
      "-n 18 --config interleave", "-n 18 --config spread", "-n 18 --config local", "--layout 34x2",
      "--layout 1+33x2", "-n 68 --bind-to none"}},
    {"xeon-max-flat",
     0,
     {"-n 112 --memory queues=hbm,heap=hbm", "-n 112 --memory all=hbm", "-n 112",
      "-n 112 --memory all=interleave", "-n 56 --config spread-interleave",
      "-n 56 --config interleave", "-n 56 --config spread", "-n 56 --config local", "--layout 14x8",
      "--layout 1+13x8", "-n 112 --bind-to none"}},
    {"xeon-max-snc4",
     0,
     {"-n 112 --memory queues=hbm,heap=hbm", "-n 112 --memory all=hbm", "-n 112",
      "-n 112 --memory all=interleave", "-n 14 --config spread-interleave",
      "-n 14 --config interleave", "-n 14 --config spread", "-n 14 --config local", "--layout 16x7",
      "--layout 1+15x7", "-n 112 --bind-to none"}},
    {"two-sockets",
     0,
     {"-n 8", "-n 8 --memory all=interleave", "-n 4 --config spread-interleave",
      "-n 4 --config interleave", "-n 4 --config spread", "-n 4 --config local", "--layout 2x4",
      "-n 8 --bind-to none"}},
    {"eight-sockets",
     0,
     {"-n 80", "-n 80 --memory all=interleave", "-n 10 --config spread-interleave",
      "-n 10 --config interleave", "-n 10 --config spread", "-n 10 --config local", "--layout 16x5",
      "--layout 1+15x5", "-n 80 --bind-to none"}},
    {"cxl",
     0,
     {"-n 48", "-n 48 --memory all=interleave", "-n 24 --config spread-interleave",
      "-n 24 --config interleave", "-n 24 --config spread", "-n 24 --config local", "--layout 6x8",
      "--layout 1+5x8", "--memory heap=large", "-n 48 --bind-to none"}},
    {"epyc-nps4",
     0,
     {"-n 128", "-n 128 --memory all=interleave", "-n 16 --config spread-interleave",
      "-n 16 --config interleave", "-n 16 --config spread", "-n 16 --config local", "--layout 16x8",
      "--layout 1+15x8", "-n 128 --bind-to none"}},
    {"laptop", 0, {"-n 8", "-n 8 --bind-to none", "--layout 2x4"}},
    {"virtual-machine", 0, {"-n 2", "-n 2 --bind-to none"}},
    {"guest",
     0,
     {"-n 4 --memory queues=hbm,heap=hbm", "-n 4 --memory all=hbm", "-n 4",
      "-n 4 --memory all=interleave", "-n 2 --config spread-interleave", "-n 2 --config interleave",
      "-n 2 --config spread", "-n 2 --config local", "--layout 2x2", "-n 4 --bind-to none"}},
    {"two-sockets",
     4,
     {"-n 4 --config spread-interleave", "-n 4 --config interleave", "-n 4 --config spread",
      "-n 4 --config local", "--layout 2x2", "--layout 1+2x2", "-n 4 --bind-to none"}},
    {"epyc-nps4",
     8,
     {"-n 8 --config spread-interleave", "-n 8 --config interleave", "-n 8 --config spread",
      "-n 8 --config local", "-n 8 --map-by l3", "--layout 2x4", "--layout 1+2x4",
      "-n 8 --bind-to none"}},
    {"knl-flat",
     34,
     {"-n 34 --memory queues=hbm,heap=hbm", "-n 34 --memory all=hbm", "-n 34",
      "-n 34 --bind-to none", "-n 34 --map-by l2", "--layout 17x2", "--layout 1+17x2"}},
    {"knl-flat", 2, {"-n 2 --memory all=hbm", "-n 2", "-n 2 --bind-to none", "-n 2 --map-by l2"}},
    {"laptop", 2, {"-n 2", "-n 2 --bind-to none"}},
    // More ranks than CPUs.
    {"laptop", 17, {"-n 8"}},
    {"virtual-machine", 4, {"-n 2"}},
};

Machine captured(const std::string& name) {
  auto read = read_captured_machine(MACHINES_FOLDER "/" + name + ".xml");
  EXPECT_TRUE(read.has_value()) << (read ? "" : read.error());
  return read.value_or(Machine{});
}

std::string lines(const std::vector<std::string>& options) {
  std::string text;
  for (const std::string& one : options) text += one + '\n';
  return text;
}

std::string advised(const Machine& machine, int ranks) {
  std::vector<std::string> options;
  for (const Advice& one : advise(machine, ranks)) options.push_back(one.options);
  return lines(options);
}

}  // namespace

TEST(advice, is_as_expected_on_every_machine) {
  for (const Expected& expected : expectations)
    EXPECT_EQ(advised(captured(expected.machine), expected.ranks), lines(expected.options))
        << expected.machine << ", " << expected.ranks;
}

TEST(advice, every_recommendation_says_for_whom_and_why_and_of_which_study) {
  const std::set<std::string> studies{"", "numa", "hbm", "hybrid"};
  for (const Expected& expected : expectations)
    for (const Advice& one : advise(captured(expected.machine), expected.ranks)) {
      EXPECT_FALSE(one.purpose.empty() || one.reason.empty()) << one.options;
      EXPECT_TRUE(studies.contains(one.study)) << one.study;
    }
}

TEST(advice, names_no_options_twice_and_no_seconds_of_another_machine) {
  for (const Expected& expected : expectations) {
    std::set<std::string> options;
    for (const Advice& one : advise(captured(expected.machine), expected.ranks)) {
      EXPECT_TRUE(options.insert(one.options).second) << expected.machine << ": " << one.options;
      EXPECT_EQ(one.reason.find(" s "), std::string::npos) << one.reason;
      // lbm streams: it is no example of a program that lives in a cache.
      const bool in_cache = one.purpose.find("live in their caches") != std::string::npos;
      EXPECT_FALSE(in_cache && one.reason.find("lbm") != std::string::npos) << one.reason;
    }
  }
}

TEST(advice, a_groups_quota_counts_as_fewer_cpus) {
  Machine machine = captured("laptop");
  machine.quota_cpus = 3;
  EXPECT_EQ(advised(machine, 0), "-n 3\n-n 3 --bind-to none\n");
  EXPECT_NE(situation_text(machine).find("CPU time for 3 (control group)"), std::string::npos);
}

TEST(advice, the_situation_names_what_matters) {
  EXPECT_EQ(situation_text(captured("knl-flat")),
            "68 cores on 1 NUMA node, 16 GiB of HBM (MCDRAM)");
  EXPECT_EQ(situation_text(captured("epyc-nps4")), "128 cores on 8 NUMA nodes, 16 L3 caches");
  EXPECT_EQ(situation_text(captured("laptop")),
            "8 cores on 1 NUMA node; configurations of memory are all the same here");
}
