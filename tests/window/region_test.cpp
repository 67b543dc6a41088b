// Memory that is attached to dynamic windows, as its owner sees it, rank 0, and as another rank
// does.
#include <sys/mman.h>

#include "tests/window/windows.hpp"

namespace baton::window {
namespace {

struct attached_memory : windows_test {
  attached_memory() : windows_test(message::Ranks::Nodes::one, 4 << 20) {
    for (std::uint32_t rank = 0; rank < Windows::count; ++rank)
      windows.window(rank).flavor = MPI_WIN_FLAVOR_DYNAMIC;
    its.row_is_shared = true;
  }
  ~attached_memory() {
    for (std::uint32_t rank = 0; rank < Windows::count; ++rank)
      ranks.as(rank, [&] { forget_regions(windows.window(rank)); });
  }
  Error attach(std::int64_t offset, MPI_Aint bytes) {
    return ranks.as(0, [&] { return window::attach(its, memory + offset, bytes); });
  }
  Error detach(std::int64_t offset) {
    return ranks.as(0, [&] { return window::detach(its, memory + offset); });
  }
  // Where bytes lie, on which both ranks agree; and in `region` in which region.
  Lies find(std::int64_t offset, std::int64_t bytes) {
    const auto address = reinterpret_cast<std::uint64_t>(memory + offset);
    lockfree::WindowRegion seen{};
    Window& other = windows.window(1);
    const Lies lies =
        ranks.as(0, [&] { return find_region(its, its.own(), address, bytes, &region); });
    EXPECT_EQ(
        ranks.as(1, [&] { return find_region(other, other.targets[0], address, bytes, &seen); }),
        lies)
        << offset;
    EXPECT_TRUE(is_current(windows.row(0).regions, other.targets[0].regions->version));
    EXPECT_EQ(seen.address, region.address);
    EXPECT_EQ(seen.bytes, region.bytes);
    return lies;
  }
  std::int64_t region_offset() const {
    return static_cast<std::int64_t>(region.address - reinterpret_cast<std::uint64_t>(memory));
  }

  Window& its = windows.window();
  char* memory = windows.memory(0);
  lockfree::WindowRegion region{};
};

TEST_F(attached_memory, is_found_to_its_last_byte) {
  EXPECT_EQ(find(100, 1), Lies::nowhere);
  ASSERT_EQ(attach(100, 50), MPI_SUCCESS);
  EXPECT_EQ(find(100, 50), Lies::attached);
  EXPECT_EQ(find(149, 1), Lies::attached);
  EXPECT_EQ(region_offset(), 100);
  EXPECT_EQ(region.bytes, 50u);
  EXPECT_EQ(find(99, 2), Lies::nowhere);
  EXPECT_EQ(find(149, 2), Lies::nowhere);
  EXPECT_EQ(find(150, 1), Lies::nowhere);
  EXPECT_EQ(find(99, 1), Lies::nowhere);
}

TEST_F(attached_memory, in_any_order_is_joined_where_there_is_no_gap) {
  for (std::int64_t offset : {200, 100, 150, 260}) ASSERT_EQ(attach(offset, 50), MPI_SUCCESS);
  EXPECT_EQ(find(120, 120), Lies::attached);
  EXPECT_EQ(region_offset(), 100);
  EXPECT_EQ(region.bytes, 150u);
  EXPECT_EQ(find(110, 10), Lies::attached);
  EXPECT_EQ(region.bytes, 50u);  // no more than is wanted
  EXPECT_EQ(find(240, 30), Lies::nowhere);
}

TEST_F(attached_memory, must_not_overlap) {
  ASSERT_EQ(attach(100, 50), MPI_SUCCESS);
  ASSERT_EQ(attach(200, 0), MPI_SUCCESS);
  for (auto [offset, bytes] :
       {std::pair{100, 50}, {100, 0}, {149, 1}, {90, 11}, {0, 500}, {120, 5}})
    EXPECT_EQ(attach(offset, bytes), MPI_ERR_RMA_ATTACH) << offset;
  EXPECT_EQ(attach(150, 50), MPI_SUCCESS);
  EXPECT_EQ(attach(90, 10), MPI_SUCCESS);
  EXPECT_EQ(attach(300, -1), MPI_ERR_SIZE);
  EXPECT_EQ(find(90, 110), Lies::attached);
}

TEST_F(attached_memory, is_detached_by_its_first_address_and_known_for_a_while) {
  ASSERT_EQ(attach(100, 50), MPI_SUCCESS);
  ASSERT_EQ(attach(150, 50), MPI_SUCCESS);
  EXPECT_EQ(detach(101), MPI_ERR_RMA_ATTACH);
  EXPECT_EQ(detach(200), MPI_ERR_RMA_ATTACH);
  ASSERT_EQ(detach(100), MPI_SUCCESS);
  EXPECT_EQ(detach(100), MPI_ERR_RMA_ATTACH);
  EXPECT_EQ(find(150, 50), Lies::attached);
  EXPECT_EQ(find(120, 10), Lies::detached);
  EXPECT_EQ(find(120, 80), Lies::detached);  // some of it
  EXPECT_EQ(find(120, 81), Lies::nowhere);
  ASSERT_EQ(attach(100, 50), MPI_SUCCESS);
  EXPECT_EQ(find(100, 100), Lies::attached);
  ASSERT_EQ(attach(300, 50), MPI_SUCCESS);
  ASSERT_EQ(detach(300), MPI_SUCCESS);
  ASSERT_EQ(attach(290, 70), MPI_SUCCESS);
  ASSERT_EQ(detach(290), MPI_SUCCESS);
  EXPECT_EQ(its.attached.detached, 1u);  // the longer one has replaced it
}

TEST_F(attached_memory, that_was_detached_long_ago_is_forgotten) {
  constexpr auto most = static_cast<std::int64_t>(Regions::detached_max);
  for (std::int64_t i = 0; i <= most; ++i) {
    ASSERT_EQ(attach(100 * i, 50), MPI_SUCCESS);
    ASSERT_EQ(detach(100 * i), MPI_SUCCESS);
  }
  EXPECT_EQ(find(0, 50), Lies::nowhere);
  for (std::int64_t i = 1; i <= most; ++i) EXPECT_EQ(find(100 * i, 50), Lies::detached) << i;
}

TEST_F(attached_memory, of_no_bytes_leaves_nothing) {
  ASSERT_EQ(attach(100, 0), MPI_SUCCESS);
  ASSERT_EQ(detach(100), MPI_SUCCESS);
  EXPECT_EQ(its.attached.detached, 0u);
  EXPECT_EQ(find(100, 1), Lies::nowhere);
}

TEST_F(attached_memory, is_usable_as_long_as_it_exists) {
  void* page =
      ::mmap(nullptr, page_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(page, MAP_FAILED);
  const auto address = reinterpret_cast<std::uint64_t>(page);
  const auto usable = [&] { return ranks.as(0, [&] { return is_usable(its, address, 64); }); };
  EXPECT_FALSE(usable());
  ranks.as(0, [&] { EXPECT_EQ(window::attach(its, page, 64), MPI_SUCCESS); });
  EXPECT_TRUE(usable());
  ranks.as(0, [&] { EXPECT_EQ(window::detach(its, page), MPI_SUCCESS); });
  EXPECT_TRUE(usable());
  ::munmap(page, page_bytes);
  EXPECT_FALSE(usable());
}

TEST_F(attached_memory, is_listed_in_longer_lists_for_the_others) {
  constexpr std::int64_t many = 3 * page_bytes / sizeof(lockfree::WindowRegion);
  for (std::int64_t i = 0; i < many; ++i) {
    ASSERT_EQ(attach(100 * i, 50), MPI_SUCCESS);
    if (i % 97 == 0) {
      EXPECT_EQ(find(100 * i, 50), Lies::attached) << i;
    }
  }
  for (std::int64_t i = 0; i < many; ++i) ASSERT_EQ(find(100 * i, 50), Lies::attached) << i;
  for (std::int64_t i = 0; i < many; ++i) ASSERT_EQ(detach(100 * i), MPI_SUCCESS);
  EXPECT_EQ(find(0, 50), Lies::nowhere);
}

TEST_F(attached_memory, belongs_to_dynamic_windows_only) {
  its.flavor = MPI_WIN_FLAVOR_CREATE;
  EXPECT_EQ(attach(0, 10), MPI_ERR_RMA_FLAVOR);
  EXPECT_EQ(detach(0), MPI_ERR_RMA_FLAVOR);
}

TEST_F(attached_memory, at_the_end_of_the_address_space_does_not_wrap_around) {
  ASSERT_EQ(attach(100, 50), MPI_SUCCESS);
  ASSERT_EQ(detach(100), MPI_SUCCESS);
  lockfree::WindowRegion found;
  EXPECT_EQ(
      ranks.as(0, [&] { return find_region(its, its.own(), ~std::uint64_t{0} - 5, 10, &found); }),
      Lies::nowhere);
}

}  // namespace
}  // namespace baton::window
