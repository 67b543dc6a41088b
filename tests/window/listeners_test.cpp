#include "window/listeners.hpp"

#include "tests/window/windows.hpp"

namespace baton::window {
namespace {

struct listening_windows : testing::Test {
  listening_windows() {
    for (std::uint32_t i = 0; i < count; ++i) {
      comms[i].id = 10 + i;
      all[i].comm = &comms[i];
      listeners.add(all[i]);
    }
  }
  bool is_listed(std::uint32_t i) { return listeners.find(10 + i) == &all[i]; }

  static constexpr std::uint32_t count = 3;
  world::Communicator comms[count];
  Window all[count];
  Listeners listeners;
};

TEST_F(listening_windows, are_found_by_their_context_ids) {
  for (std::uint32_t i = 0; i < count; ++i) EXPECT_TRUE(is_listed(i)) << i;
  EXPECT_EQ(listeners.find(10 + count), nullptr);
}

TEST_F(listening_windows, are_removed_in_any_order_and_the_others_stay) {
  for (std::uint32_t first : {1u, 0u, 2u}) {
    listeners.remove(all[first]);
    for (std::uint32_t i = 0; i < count; ++i)
      EXPECT_EQ(listeners.find(10 + i), i == first ? nullptr : &all[i])
          << i << " without " << first;
    listeners.remove(all[first]);  // is not there any more
    EXPECT_EQ(listeners.find(10 + first), nullptr);
    listeners.add(all[first]);
    EXPECT_TRUE(is_listed(first));
  }
}

}  // namespace
}  // namespace baton::window
