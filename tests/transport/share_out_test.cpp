#include "transport/share_out.hpp"

#include <gtest/gtest.h>

#include <map>
#include <vector>

using namespace baton;
using namespace baton::transport;

namespace {

using Shares = std::vector<std::pair<int, std::uint64_t>>;

Shares shared(std::uint64_t pages, std::vector<std::uint8_t> nodes,
              std::map<int, std::uint64_t> space_pages) {
  NodeShare shares[9];
  int count = share_out(
      pages * page_bytes, nodes, [&](int node) { return space_pages[node] * page_bytes + 100; },
      shares);
  Shares result;
  for (int i = 0; i < count; ++i) result.emplace_back(shares[i].node, shares[i].bytes / page_bytes);
  return result;
}

}  // namespace

TEST(share_out, a_block_goes_whole_where_there_is_space) {
  EXPECT_EQ(shared(10, {2, 0}, {{2, 10}, {0, 50}}), (Shares{{2, 10}}));
}

TEST(share_out, what_is_too_much_goes_on_in_the_declared_order) {
  EXPECT_EQ(shared(10, {2, 5, 0}, {{2, 4}, {5, 3}, {0, 50}}), (Shares{{2, 4}, {5, 3}, {0, 3}}));
}

TEST(share_out, a_full_node_is_left_out) {
  EXPECT_EQ(shared(10, {2, 0}, {{2, 0}, {0, 50}}), (Shares{{0, 10}}));
}

TEST(share_out, where_nobody_has_space_the_first_node_gets_the_rest) {
  EXPECT_EQ(shared(10, {2, 0}, {{2, 0}, {0, 4}}), (Shares{{2, 6}, {0, 4}}));
  EXPECT_EQ(shared(10, {2, 0}, {{2, 3}, {0, 4}}), (Shares{{2, 6}, {0, 4}}));
  EXPECT_EQ(shared(10, {2}, {{2, 0}}), (Shares{{2, 10}}));
}
