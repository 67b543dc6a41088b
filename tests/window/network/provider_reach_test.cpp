// Ranks of different nodes, with the provider of tests/network/fake_provider: what it carries out,
// and what it leaves to messages.
#include "window/network/provider_reach.hpp"

#include "tests/window/windows.hpp"

namespace baton::window {
namespace {

struct a_target_of_another_node : windows_test {
  a_target_of_another_node() : windows_test(message::Ranks::Nodes::each) {
    settings.network_put_bytes_min = settings.network_get_bytes_min = 1000;
    for (std::uint32_t rank = 0; rank < Windows::count; ++rank)
      ranks.as(rank, [&] { reaches[rank] = new ProviderReach(windows.window(rank)); });
    reaches[0]->of[1] = reaches[1]->of[1];  // as they tell each other
    windows.use(*reaches[0]);
  }
  ~a_target_of_another_node() {
    for (std::uint32_t rank = 0; rank < Windows::count; ++rank)
      ranks.as(rank, [&] { delete reaches[rank]; });
  }
  std::uint32_t messages() { return windows.window().messages.all_sent(); }

  ProviderReach* reaches[Windows::count];
  std::vector<char> data = message::pattern(Windows::bytes);
};

TEST_F(a_target_of_another_node, has_registered_its_memory) {
  EXPECT_GT(reaches[0]->of[1].rails, 0);
}

TEST_F(a_target_of_another_node, takes_long_puts_and_gets_without_a_message) {
  std::vector<char> got(300000);
  ASSERT_EQ(windows.put(data.data(), 300000, MPI_BYTE, 24), MPI_SUCCESS);
  EXPECT_EQ(windows.transfers_begun(), 1u);
  ASSERT_EQ(windows.flush(), MPI_SUCCESS);
  EXPECT_EQ(std::memcmp(windows.memory() + 24, data.data(), got.size()), 0);
  EXPECT_EQ(windows.memory()[23], 0);
  EXPECT_EQ(windows.memory()[24 + 300000], 0);
  ASSERT_EQ(windows.get(got.data(), 300000, MPI_BYTE, 24), MPI_SUCCESS);
  ASSERT_EQ(windows.flush(), MPI_SUCCESS);
  EXPECT_EQ(std::memcmp(got.data(), data.data(), got.size()), 0);
  EXPECT_EQ(windows.transfers_begun(), 0u);
  EXPECT_EQ(messages(), 0u);
}

TEST_F(a_target_of_another_node, takes_by_messages_what_is_short_or_has_gaps_and_accumulates) {
  ASSERT_EQ(windows.put(data.data(), 999, MPI_BYTE, 0), MPI_SUCCESS);
  EXPECT_EQ(messages(), 1u);
  ASSERT_EQ(windows.put(data.data(), 50, MPI_DOUBLE_INT, 4096), MPI_SUCCESS);
  EXPECT_EQ(messages(), 2u);
  ASSERT_EQ(windows.change(MPI_REPLACE, data.data(), nullptr, 200, MPI_INT64_T, 8192), MPI_SUCCESS);
  EXPECT_EQ(messages(), 3u);
  ASSERT_EQ(windows.flush(), MPI_SUCCESS);
  EXPECT_EQ(std::memcmp(windows.memory(), data.data(), 999), 0);
  EXPECT_EQ(std::memcmp(windows.memory() + 4096, data.data(), 12), 0);
  EXPECT_EQ(std::memcmp(windows.memory() + 8192, data.data(), 1600), 0);
}

TEST_F(a_target_of_another_node, without_registered_memory_takes_all_by_messages) {
  reaches[0]->of[1].rails = 0;
  std::vector<char> got(30000);
  ASSERT_EQ(windows.put(data.data(), 30000, MPI_BYTE, 0), MPI_SUCCESS);
  EXPECT_EQ(messages(), 1u);
  ASSERT_EQ(windows.flush(), MPI_SUCCESS);
  ASSERT_EQ(windows.get(got.data(), 30000, MPI_BYTE, 0), MPI_SUCCESS);
  ASSERT_EQ(windows.flush(), MPI_SUCCESS);
  EXPECT_EQ(std::memcmp(got.data(), data.data(), got.size()), 0);
}

}  // namespace
}  // namespace baton::window
