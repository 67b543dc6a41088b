// How lanes with something in them are found: each is looked at, or where a doorbell rang.
#include "message/core/lanes.hpp"
#include "message/core/engine.hpp"

#include <memory>

#include "message/core/point_to_point.hpp"
#include "tests/message/ranks.hpp"

namespace baton::message {
namespace {

struct lanes : protocol {
  static bool rings(Ranks& ranks, std::uint32_t rank) {
    return ranks.as(rank, [] { return engine.doorbells; });
  }
  // Sends its number from a rank to rank 0.
  static void tell(Ranks& ranks, std::uint32_t from) {
    ranks.as(from, [&] {
      const Context context = ranks.context(from);
      EXPECT_EQ(send(context, &from, sizeof from, Ranks::byte(), 0, 1), MPI_SUCCESS);
    });
  }
  // What rank 0 receives from a rank.
  static std::uint32_t heard(Ranks& ranks, std::uint32_t from) {
    std::uint32_t in = ~0u;
    Request request;
    ranks.receive(0, static_cast<int>(from), &in, sizeof in, 1, request);
    ranks.settle();
    EXPECT_TRUE(is_complete(request)) << from;
    return in;
  }
};

TEST_F(lanes, up_to_sixteen_lanes_are_looked_at_and_beyond_that_doorbells_are_trusted) {
  constexpr std::uint32_t many = 20;
  auto ranks = std::make_unique<Ranks>(many, Lines::lanes);
  for (std::uint32_t rank = 1; rank < many; ++rank) {
    tell(*ranks, rank);
    EXPECT_EQ(heard(*ranks, rank), rank);
    ranks->as(0, [&] { EXPECT_EQ(engine.contact_count, rank); });
    EXPECT_EQ(rings(*ranks, 0), rank > 16) << rank;
  }
  EXPECT_FALSE(rings(*ranks, 1)) << "nobody talks to that one";
  // Again, now that rank 0 looks only where it rings.
  for (std::uint32_t rank = 1; rank < many; ++rank) tell(*ranks, rank);
  for (std::uint32_t rank = many - 1; rank > 0; --rank) EXPECT_EQ(heard(*ranks, rank), rank);
}

TEST_F(lanes, what_came_before_doorbells_were_trusted_is_not_forgotten) {
  constexpr std::uint32_t many = 18;
  auto ranks = std::make_unique<Ranks>(many, Lines::lanes);
  for (std::uint32_t rank = 1; rank <= 16; ++rank) {
    tell(*ranks, rank);
    EXPECT_EQ(heard(*ranks, rank), rank);
  }
  // Nobody rings for these: rank 0 looks by itself so far.
  for (std::uint32_t rank = 1; rank <= 16; ++rank) tell(*ranks, rank);
  tell(*ranks, 17);  // its first, which makes rank 0 trust doorbells
  EXPECT_EQ(heard(*ranks, 17), 17u);
  EXPECT_TRUE(rings(*ranks, 0));
  for (std::uint32_t rank = 1; rank <= 16; ++rank) EXPECT_EQ(heard(*ranks, rank), rank);
}

TEST_F(lanes, a_burst_longer_than_one_look_takes_in_is_found_again) {
  constexpr std::uint32_t many = 18;
  auto ranks = std::make_unique<Ranks>(many, Lines::lanes);
  for (std::uint32_t rank = 1; rank < many; ++rank) tell(*ranks, rank);
  ranks->settle();
  ASSERT_TRUE(rings(*ranks, 0));
  for (int i = 0; i < 70; ++i) tell(*ranks, 5);
  ranks->settle();
  EXPECT_EQ(ranks->unexpected(0), many - 1 + 70);
}

}  // namespace
}  // namespace baton::message
