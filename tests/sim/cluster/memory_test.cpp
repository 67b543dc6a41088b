// A rank's memory grows with its contacts, not with the job but for addresses.
#include "sim/cluster/memory.hpp"

#include <gtest/gtest.h>

#include <map>

namespace baton::cluster {
namespace {

std::map<std::string, std::int64_t> parts(int ranks, int per_node, int near, int far) {
  std::map<std::string, std::int64_t> all;
  for (const MemoryPart& part : memory_of_rank(ranks, per_node, near, far))
    all[part.name] = part.bytes;
  return all;
}

TEST(Memory, rings_are_those_of_contacts_on_the_node) {
  const char* rings = "rings of contacts on the node";
  EXPECT_EQ(parts(64, 16, 0, 0)[rings], 0);
  EXPECT_EQ(parts(64, 16, 2, 0)[rings] - parts(64, 16, 1, 0)[rings], 8192);
  EXPECT_EQ(parts(64, 16, 15, 0), parts(64, 16, 100, 0));  // there are no more
}

TEST(Memory, one_node_takes_nothing_of_a_network) {
  for (const MemoryPart& part : memory_of_rank(16, 16, 15, 100)) {
    if (!part.name.starts_with("network")) continue;
    EXPECT_EQ(part.bytes, 0) << part.name;
  }
}

TEST(Memory, only_addresses_grow_with_the_job) {
  auto small = parts(1024, 16, 15, 32), large = parts(102400, 16, 15, 32);
  const char* addresses = "addresses of all processes";
  EXPECT_EQ(large[addresses], 100 * small[addresses]);
  small.erase(addresses);
  large.erase(addresses);
  EXPECT_EQ(small, large);
}

}  // namespace
}  // namespace baton::cluster
