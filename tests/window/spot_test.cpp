#include "window/spot.hpp"

#include "tests/datatype/make.hpp"
#include "tests/window/windows.hpp"

namespace baton::window {
namespace {

struct a_spot : windows_test {
  a_spot() {
    windows.use(mapped_reach);
    windows.target().unit = 4;
    windows.window().all_open = true;
  }
  Error find(MPI_Aint displacement, std::int64_t elements, MPI_Datatype type = MPI_BYTE,
             int rank = 1) {
    const Place place{rank, displacement, elements, &type_of(type)};
    return ranks.as(0, [&] {
      mapped = find_mapped(windows.window(), place);
      return find_spot(windows.window(), place, &spot);
    });
  }

  static constexpr MPI_Aint units = Windows::bytes / 4;
  Spot spot{};
  char* mapped = nullptr;  // what the frequent case finds
};

TEST_F(a_spot, is_counted_in_displacement_units) {
  ASSERT_EQ(find(3, 5), MPI_SUCCESS);
  EXPECT_EQ(spot.target, &windows.target());
  EXPECT_EQ(spot.memory, windows.memory() + 12);
  EXPECT_EQ(spot.address, windows.target().address + 12);
  EXPECT_EQ(mapped, spot.memory);
}

TEST_F(a_spot, has_no_memory_here_where_the_target_is_not_mapped) {
  windows.use(kernel_reach);
  ASSERT_EQ(find(3, 5), MPI_SUCCESS);
  EXPECT_EQ(spot.memory, nullptr);
  EXPECT_EQ(spot.address, windows.target().address + 12);
  EXPECT_EQ(mapped, nullptr);
}

TEST_F(a_spot, lies_within_the_targets_memory) {
  EXPECT_EQ(find(0, Windows::bytes), MPI_SUCCESS);
  EXPECT_EQ(find(units - 1, 4), MPI_SUCCESS);
  EXPECT_EQ(mapped, windows.memory() + Windows::bytes - 4);
  struct {
    MPI_Aint displacement;
    std::int64_t elements;
  } const outside[] = {{0, Windows::bytes + 1},
                       {units - 1, 5},
                       {units, 1},
                       {-1, 4},
                       {-1, 1000},
                       {MPI_Aint{1} << 61, 1},
                       {-(MPI_Aint{1} << 61), 1},
                       {(MPI_Aint{1} << 61) - 1, 8}};
  for (auto [displacement, elements] : outside) {
    EXPECT_EQ(find(displacement, elements), MPI_ERR_RMA_RANGE) << displacement << " " << elements;
    EXPECT_EQ(mapped, nullptr);
    EXPECT_NE(std::strstr(last_explanation().text, "rank 1, which has 1048576 bytes"), nullptr);
  }
}

TEST_F(a_spot, is_not_told_to_lie_where_a_displacement_would_wrap_to) {
  EXPECT_EQ(find(MPI_Aint{1} << 62, 1), MPI_ERR_RMA_RANGE);
  EXPECT_NE(std::strstr(last_explanation().text, "to 9223372036854775807 of"), nullptr)
      << last_explanation().text;
  EXPECT_EQ(find(-(MPI_Aint{1} << 62), 1), MPI_ERR_RMA_RANGE);
  EXPECT_NE(std::strstr(last_explanation().text, "bytes -9223372036854775808 to"), nullptr)
      << last_explanation().text;
}

TEST_F(a_spot, of_no_data_may_be_anywhere) {
  EXPECT_EQ(find(units + 100, 0), MPI_SUCCESS);
  EXPECT_EQ(find(-100, 0), MPI_SUCCESS);
}

TEST_F(a_spot, of_no_rank_has_no_target) {
  EXPECT_EQ(find(0, 8, MPI_BYTE, MPI_PROC_NULL), MPI_SUCCESS);
  EXPECT_EQ(spot.target, nullptr);
  EXPECT_EQ(mapped, nullptr);
}

TEST_F(a_spot, needs_an_epoch_that_reaches_the_target) {
  windows.window().all_open = false;
  EXPECT_EQ(find(0, 8), MPI_ERR_RMA_SYNC);
  EXPECT_EQ(mapped, nullptr);
  windows.target().open = true;
  EXPECT_EQ(find(0, 8), MPI_SUCCESS);
  EXPECT_NE(mapped, nullptr);
  windows.target().open = false;
  windows.window().epoch = Epoch::fence;
  EXPECT_EQ(find(0, 8), MPI_SUCCESS);
  EXPECT_TRUE(windows.window().all_open);
}

TEST_F(a_spot, of_data_with_gaps_is_judged_by_its_first_and_last_byte) {
  // Four bytes at -8 and four at 4, one after another every 16 bytes.
  Datatype *ranges = nullptr, *type = nullptr;
  ASSERT_EQ(datatype::make_indexed(MPI_COMBINER_INDEXED, {4, 4}, {-8, 4}, message::Ranks::byte(),
                                   &ranges),
            MPI_SUCCESS);
  ASSERT_EQ(datatype::make_resized(*ranges, 0, 16, &type), MPI_SUCCESS);
  EXPECT_EQ(find(2, 1, type->handle), MPI_SUCCESS);
  EXPECT_EQ(mapped, nullptr);
  EXPECT_EQ(spot.memory, windows.memory() + 8);
  EXPECT_EQ(find(1, 1, type->handle), MPI_ERR_RMA_RANGE);
  EXPECT_EQ(find(units - 2, 1, type->handle), MPI_SUCCESS);
  EXPECT_EQ(find(units - 1, 1, type->handle), MPI_ERR_RMA_RANGE);
  EXPECT_EQ(find(units - 6, 2, type->handle), MPI_SUCCESS);
  EXPECT_EQ(find(units - 5, 2, type->handle), MPI_ERR_RMA_RANGE);
  EXPECT_EQ(find(0, 0, type->handle), MPI_SUCCESS);
}

TEST_F(a_spot, of_data_that_runs_backward_ends_at_its_last_element) {
  Datatype* type = nullptr;
  ASSERT_EQ(datatype::make_resized(message::Ranks::byte(), 0, -8, &type), MPI_SUCCESS);
  EXPECT_EQ(find(4, 3, type->handle), MPI_SUCCESS);
  EXPECT_EQ(find(4, 4, type->handle), MPI_ERR_RMA_RANGE);
  EXPECT_EQ(find(units - 1, 3, type->handle), MPI_SUCCESS);
  EXPECT_EQ(find(units, 3, type->handle), MPI_ERR_RMA_RANGE);
}

struct a_spot_in_attached_memory : a_spot {
  // Rank 0 operates on its own memory.
  a_spot_in_attached_memory() {
    Window& window = windows.window();
    window.flavor = MPI_WIN_FLAVOR_DYNAMIC;
    window.is_special = true;
    ranks.as(0, [&] {
      EXPECT_EQ(attach(window, memory, 100), MPI_SUCCESS);
      EXPECT_EQ(attach(window, memory + 108, 100), MPI_SUCCESS);
    });
  }
  ~a_spot_in_attached_memory() {
    ranks.as(0, [&] { forget_regions(windows.window()); });
  }
  Error find_own(std::int64_t offset, std::int64_t elements, MPI_Datatype type = MPI_BYTE) {
    return find(reinterpret_cast<MPI_Aint>(memory + offset), elements, type, 0);
  }
  char* memory = windows.memory(0);
};

TEST_F(a_spot_in_attached_memory, is_an_address) {
  ASSERT_EQ(find_own(90, 10), MPI_SUCCESS);
  EXPECT_EQ(spot.memory, memory + 90);
  EXPECT_EQ(spot.address, reinterpret_cast<std::uint64_t>(memory + 90));
  EXPECT_EQ(mapped, nullptr);
  EXPECT_EQ(find_own(90, 11), MPI_ERR_RMA_RANGE);
  EXPECT_NE(std::strstr(last_explanation().text, "not attached"), nullptr);
  EXPECT_EQ(find_own(500, 0), MPI_SUCCESS);
}

TEST_F(a_spot_in_attached_memory, may_have_gaps_that_are_not_attached) {
  Datatype* type = nullptr;
  ASSERT_EQ(
      datatype::make_indexed(MPI_COMBINER_INDEXED, {4, 4}, {0, 12}, message::Ranks::byte(), &type),
      MPI_SUCCESS);
  ASSERT_EQ(find_own(96, 1, type->handle), MPI_SUCCESS);
  EXPECT_EQ(spot.memory, memory + 96);
  EXPECT_EQ(find_own(97, 1, type->handle), MPI_ERR_RMA_RANGE);
  EXPECT_EQ(find_own(95, 1, type->handle), MPI_ERR_RMA_RANGE);
}

TEST_F(a_spot_in_attached_memory, is_the_targets_affair_where_it_is_reached_by_messages) {
  windows.use(message_reach);
  ASSERT_EQ(find(12345, 10), MPI_SUCCESS);
  EXPECT_EQ(spot.memory, nullptr);
  EXPECT_EQ(spot.address, 12345u);
}

}  // namespace
}  // namespace baton::window
