// Where memory goes on captured machines (tests/machines/), against written expectations.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "machine/discover.hpp"
#include "machine/memory_plan.hpp"

using namespace baton;
using namespace baton::machine;

namespace {

Machine captured(const char* name) {
  auto read = read_captured_machine(std::string(MACHINES_FOLDER "/") + name + ".xml");
  EXPECT_TRUE(read.has_value()) << (read ? "" : read.error());
  return read.value_or(Machine{});
}

// The first nodes of a plan.
struct Expected {
  const char* machine;
  int home;
  MemoryWord word;
  std::vector<int> nodes;
  std::size_t meant = 1;
};

using enum MemoryWord;

const Expected plans[] = {
    {"knl-flat", 0, near, {0, 1}},
    {"knl-flat", 0, fast, {1, 0}},
    {"knl-flat", 0, large, {0, 1}},
    {"knl-flat", 0, interleave, {0}, 1},
    {"knl-flat", 0, remote, {1, 0}},
    {"knl-cache", 0, fast, {0}},
    {"knl-cache", 0, remote, {0}},
    {"knl-hybrid", 0, fast, {1, 0}},
    {"knl-snc4", 2, near, {2, 6}},
    {"knl-snc4", 2, fast, {6, 2}},
    {"knl-snc4", 2, interleave, {2, 0, 1, 3}, 4},
    {"knl-snc4", 1, remote, {3}},
    {"xeon-max-flat", 0, fast, {2, 0}},
    {"xeon-max-flat", 1, fast, {3, 1}},
    {"xeon-max-flat", 1, large, {1, 0}},
    {"xeon-max-flat", 1, interleave, {1, 0}, 2},
    {"xeon-max-flat", 0, remote, {1}},
    {"xeon-max-snc4", 5, near, {5, 13}},
    {"xeon-max-snc4", 5, fast, {13, 5}},
    {"xeon-max-snc4", 5, remote, {1}},
    {"two-sockets", 1, fast, {1, 0}},
    {"two-sockets", 1, interleave, {1, 0}, 2},
    {"two-sockets", 1, remote, {0, 1}},
    {"eight-sockets", 3, remote, {7}},
    {"eight-sockets", 3, interleave, {3}, 8},
    {"cxl", 1, fast, {1}},
    {"cxl", 1, large, {2, 1, 0}},
    {"cxl", 0, interleave, {0, 1}, 2},
    {"cxl", 0, remote, {1}},
    {"epyc-nps4", 6, near, {6}},
    {"epyc-nps4", 6, fast, {6}},
    {"epyc-nps4", 6, remote, {2}},
    {"laptop", 0, fast, {0}},
    {"laptop", 0, interleave, {0}, 1},
    {"virtual-machine", 0, remote, {0}},
    {"guest", 0, fast, {2, 0}},
    {"guest", 1, fast, {3, 1}},
    {"guest", 1, remote, {0}},
};

}  // namespace

TEST(captured_memory, every_word_goes_where_it_is_expected_to) {
  for (const Expected& expected : plans) {
    auto plan = plan_memory(captured(expected.machine), expected.home, {.word = expected.word});
    std::string what = std::string(expected.machine) + ", home " + std::to_string(expected.home) +
                       ", " + word_name(expected.word);
    ASSERT_TRUE(plan.has_value()) << what << ": " << plan.error();
    ASSERT_GE(plan->nodes.size(), expected.nodes.size()) << what;
    std::vector<int> first(plan->nodes.begin(),
                           plan->nodes.begin() + static_cast<long>(expected.nodes.size()));
    EXPECT_EQ(first, expected.nodes) << what << ": " << plan->reason;
    EXPECT_EQ(plan->meant, expected.meant) << what << ": " << plan->reason;
  }
}

TEST(captured_memory, tiers_are_those_of_the_memory_that_is_built_in) {
  for (const char* name : {"knl-flat", "knl-snc4", "xeon-max-flat", "xeon-max-snc4", "guest"}) {
    Machine machine = captured(name);
    for (const MemoryNode& node : machine.memory)
      EXPECT_EQ(node.tier, node.has_cpus ? Tier::ordinary : Tier::fast) << name << node.os;
  }
  EXPECT_EQ(find_node(captured("cxl"), 2)->tier, Tier::slow);
  for (const char* name : {"knl-cache", "two-sockets", "epyc-nps4", "laptop", "virtual-machine"})
    for (const MemoryNode& node : captured(name).memory)
      EXPECT_EQ(node.tier, Tier::ordinary) << name << node.os;
}

TEST(captured_memory, bandwidths_latencies_and_distances_are_read) {
  Machine machine = captured("guest");
  const MemoryPath* own = find_path(*find_node(machine, 2), 0);
  ASSERT_TRUE(own);
  EXPECT_TRUE(own->local);
  EXPECT_GT(own->mib_per_second, find_path(*find_node(machine, 0), 0)->mib_per_second);
  EXPECT_GT(own->distance, 10);
  EXPECT_FALSE(find_path(*find_node(machine, 2), 1)->local);
  EXPECT_EQ(find_path(*find_node(machine, 0), 0)->distance, 10);
}
