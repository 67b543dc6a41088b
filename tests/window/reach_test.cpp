// What all reaches have in common: the same operations have the same effects, whatever the way. And
// which way is chosen for a target.
#include "window/reach.hpp"

#include "tests/datatype/make.hpp"
#include "tests/window/windows.hpp"

namespace baton::window {
namespace {

struct Kind {
  const char* name;
  const Reach& reach;
};
const Kind kinds[] = {
    {"mapped", mapped_reach}, {"kernel", kernel_reach}, {"messages", message_reach}};
void PrintTo(const Kind& kind, std::ostream* to) {
  *to << kind.name;
}

// A type of two ranges of bytes, each with a gap of 8 bytes behind it.
MPI_Datatype datatypes_in_turn(std::int64_t first, std::int64_t second) {
  Datatype *ranges = nullptr, *type = nullptr;
  EXPECT_EQ(datatype::make_indexed(MPI_COMBINER_INDEXED, {first, second}, {0, first + 8},
                                   message::Ranks::byte(), &ranges),
            MPI_SUCCESS);
  EXPECT_EQ(datatype::make_resized(*ranges, 0, first + second + 16, &type), MPI_SUCCESS);
  return type->handle;
}

struct any_reach : windows_test, testing::WithParamInterface<Kind> {
  any_reach() { windows.use(GetParam().reach); }
};
INSTANTIATE_TEST_SUITE_P(each, any_reach, testing::ValuesIn(kinds),
                         [](const auto& kind) { return kind.param.name; });

// Short ones, those that are longer than a message or a batch, and those of several ranges.
constexpr std::int64_t lengths[] = {1, 8, 3000, 5000, 300000};

TEST_P(any_reach, puts_runs_of_any_length) {
  for (std::int64_t bytes : lengths) {
    const auto data = message::pattern(bytes);
    ASSERT_EQ(windows.put(data.data(), bytes, MPI_BYTE, 16), MPI_SUCCESS);
    ASSERT_EQ(windows.flush(), MPI_SUCCESS);
    EXPECT_EQ(std::memcmp(windows.memory() + 16, data.data(), data.size()), 0) << bytes;
    EXPECT_EQ(windows.memory()[15], 0);
    EXPECT_EQ(windows.memory()[16 + bytes], 0);
  }
}

TEST_P(any_reach, gets_runs_of_any_length) {
  const auto there = message::pattern(Windows::bytes);
  std::memcpy(windows.memory(), there.data(), there.size());
  for (std::int64_t bytes : lengths) {
    std::vector<char> data(static_cast<std::size_t>(bytes) + 1);
    ASSERT_EQ(windows.get(data.data(), bytes, MPI_BYTE, 32), MPI_SUCCESS);
    ASSERT_EQ(windows.flush(), MPI_SUCCESS);
    EXPECT_EQ(std::memcmp(data.data(), there.data() + 32, data.size() - 1), 0) << bytes;
    EXPECT_EQ(data.back(), 0);
  }
}

struct Pair {  // MPI_DOUBLE_INT
  double value;
  int index;
  int gap;
};

TEST_P(any_reach, data_with_gaps_leaves_the_gaps_on_both_sides) {
  for (std::int64_t pairs : {1, 3, 700}) {
    const auto size = static_cast<std::size_t>(pairs);
    std::vector<Pair> from(size), to(size, {0, 0, 7});
    auto* there = reinterpret_cast<Pair*>(windows.memory());
    for (std::size_t i = 0; i < size; ++i) {
      from[i] = {1.5 + static_cast<double>(i), static_cast<int>(i), 3};
      there[i] = {0, 0, 5};
    }
    ASSERT_EQ(windows.put(from.data(), pairs, MPI_DOUBLE_INT, 0), MPI_SUCCESS);
    ASSERT_EQ(windows.flush(), MPI_SUCCESS);
    ASSERT_EQ(windows.get(to.data(), pairs, MPI_DOUBLE_INT, 0), MPI_SUCCESS);
    ASSERT_EQ(windows.flush(), MPI_SUCCESS);
    for (std::size_t i = 0; i < size; ++i) {
      const auto [value, index, gap] = from[i];
      EXPECT_TRUE(there[i].value == value && there[i].index == index && there[i].gap == 5) << i;
      EXPECT_TRUE(to[i].value == value && to[i].index == index && to[i].gap == 7) << i;
    }
  }
}

TEST_P(any_reach, long_and_short_pieces_of_one_type_come_to_their_places) {
  // 8 B, 20000 B, 8 B, 20000 B, ... with gaps of 8 B.
  MPI_Datatype type = datatypes_in_turn(8, 20000);
  const auto from = message::pattern(200000);
  std::vector<char> to(200000);
  ASSERT_EQ(windows.put(from.data(), 4, type, 0), MPI_SUCCESS);
  ASSERT_EQ(windows.flush(), MPI_SUCCESS);
  ASSERT_EQ(windows.get(to.data(), 4, type, 0), MPI_SUCCESS);
  ASSERT_EQ(windows.flush(), MPI_SUCCESS);
  for (std::size_t first = 0; first < 4 * 20024; first += 20024)
    for (auto [begin, end] : {std::pair{0, 8}, std::pair{16, 20016}}) {
      const std::size_t at = first + static_cast<std::size_t>(begin);
      const auto bytes = static_cast<std::size_t>(end - begin);
      EXPECT_EQ(std::memcmp(windows.memory() + at, from.data() + at, bytes), 0) << at;
      EXPECT_EQ(std::memcmp(to.data() + at, from.data() + at, bytes), 0) << at;
      EXPECT_EQ(windows.memory()[at + bytes], 0);
    }
}

TEST_P(any_reach, changes_every_element_once_and_returns_what_was_there) {
  for (std::int64_t elements : {1, 5, 1000, 40000}) {
    const auto size = static_cast<std::size_t>(elements);
    std::vector<std::int64_t> from(size), old(size, -1);
    auto* there = reinterpret_cast<std::int64_t*>(windows.memory());
    for (std::size_t i = 0; i < size; ++i) from[i] = static_cast<std::int64_t>(there[i] = 10 * i);
    ASSERT_EQ(windows.change(MPI_SUM, from.data(), nullptr, elements, MPI_INT64_T, 0), MPI_SUCCESS);
    ASSERT_EQ(windows.flush(), MPI_SUCCESS);
    ASSERT_EQ(windows.change(MPI_MAX, from.data(), old.data(), elements, MPI_INT64_T, 0),
              MPI_SUCCESS);
    ASSERT_EQ(windows.flush(), MPI_SUCCESS);
    for (std::size_t i = 0; i < size; ++i) {
      ASSERT_EQ(there[i], 2 * from[i]) << i << " of " << elements;
      ASSERT_EQ(old[i], 2 * from[i]) << i << " of " << elements;
    }
    EXPECT_EQ(there[size], 0);
    std::memset(windows.memory(), 0, Windows::bytes);
  }
}

TEST_P(any_reach, an_operation_that_only_reads_changes_nothing) {
  std::int64_t old[3] = {}, there[3] = {4, 5, 6};
  std::memcpy(windows.memory() + 8, there, sizeof there);
  ASSERT_EQ(windows.change(MPI_NO_OP, nullptr, old, 3, MPI_INT64_T, 8), MPI_SUCCESS);
  ASSERT_EQ(windows.flush(), MPI_SUCCESS);
  EXPECT_EQ(std::memcmp(old, there, sizeof there), 0);
  EXPECT_EQ(std::memcmp(windows.memory() + 8, there, sizeof there), 0);
}

TEST_P(any_reach, changes_of_pairs_leave_their_gaps) {
  Pair from[2] = {{1, 1, 9}, {4, 4, 9}}, old[2] = {{0, 0, 7}, {0, 0, 7}};
  auto* there = reinterpret_cast<Pair*>(windows.memory());
  there[0] = {2, 20, 5};
  there[1] = {3, 30, 5};
  ASSERT_EQ(windows.change(MPI_MINLOC, from, old, 2, MPI_DOUBLE_INT, 0), MPI_SUCCESS);
  ASSERT_EQ(windows.flush(), MPI_SUCCESS);
  EXPECT_TRUE(there[0].value == 1 && there[0].index == 1 && there[0].gap == 5);
  EXPECT_TRUE(there[1].value == 3 && there[1].index == 30 && there[1].gap == 5);
  EXPECT_TRUE(old[0].value == 2 && old[0].index == 20 && old[0].gap == 7);
  EXPECT_TRUE(old[1].value == 3 && old[1].index == 30 && old[1].gap == 7);
}

TEST_P(any_reach, changes_are_made_in_the_order_of_the_calls) {
  std::vector<std::int64_t> ones(3000, 1), twos(3000, 2);
  const std::int64_t three = 3;
  ASSERT_EQ(windows.change(MPI_REPLACE, ones.data(), nullptr, 3000, MPI_INT64_T, 0), MPI_SUCCESS);
  ASSERT_EQ(windows.change(MPI_SUM, &three, nullptr, 1, MPI_INT64_T, 0), MPI_SUCCESS);
  ASSERT_EQ(windows.change(MPI_PROD, twos.data(), nullptr, 3000, MPI_INT64_T, 0), MPI_SUCCESS);
  ASSERT_EQ(windows.change(MPI_SUM, &three, nullptr, 1, MPI_INT64_T, 0), MPI_SUCCESS);
  ASSERT_EQ(windows.flush(), MPI_SUCCESS);
  auto* there = reinterpret_cast<std::int64_t*>(windows.memory());
  EXPECT_EQ(there[0], (1 + 3) * 2 + 3);
  EXPECT_EQ(there[1], 2);
}

TEST_P(any_reach, swaps_only_what_is_as_expected) {
  auto* there = reinterpret_cast<std::int32_t*>(windows.memory() + 12);
  *there = 5;
  std::int32_t wanted = 6, expected = 5, result = 0;
  for (std::int32_t before : {5, 6}) {
    ASSERT_EQ(windows.swap(&wanted, &expected, &result, MPI_INT32_T, 12), MPI_SUCCESS);
    ASSERT_EQ(windows.flush(), MPI_SUCCESS);
    EXPECT_EQ(result, before);
    EXPECT_EQ(*there, 6);
    wanted = 7;
  }
}

struct chosen_reach : windows_test {
  // The reach that rank 0 finds for rank 1, of whom it knows nothing yet.
  const Reach* choose() {
    windows.target().reach = nullptr;
    windows.target().row = nullptr;
    ranks.as(0, [&] { reach(windows.window(), windows.target()); });
    return windows.target().reach;
  }
};

TEST_F(chosen_reach, is_by_messages_where_the_row_cannot_be_mapped) {
  windows.target().row_address = 0;
  EXPECT_EQ(choose(), &message_reach);
  EXPECT_TRUE(windows.window().sends);
  EXPECT_FALSE(windows.target().mapped);
}

TEST_F(chosen_reach, is_the_providers_only_for_another_node) {
  windows.window().provider = &kernel_reach;  // stands for it
  windows.target().row_address = 0;
  EXPECT_EQ(choose(), &message_reach);
  windows.target().local_rank = not_on_this_node;
  EXPECT_EQ(choose(), &kernel_reach);
  windows.window().provider = nullptr;
  EXPECT_EQ(choose(), &message_reach);
}

}  // namespace
}  // namespace baton::window
