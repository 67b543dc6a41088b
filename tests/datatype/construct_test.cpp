// Random trees of constructors against the reference: bounds, sizes, and packing and unpacking any
// part of several elements.
#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <set>

#include "datatype/datatype.hpp"
#include "datatype/pack.hpp"
#include "tests/datatype/reference.hpp"

namespace baton::datatype {
namespace {

using Random = std::mt19937_64;

struct Both {
  Datatype* type;
  reference::Type expected;
  bool owned;
};

std::int64_t between(Random& random, std::int64_t low, std::int64_t high) {
  return low + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(high - low + 1));
}

Both make_basic(Random& random) {
  make_predefined_datatypes();
  MPI_Datatype handles[] = {MPI_BYTE, MPI_SHORT, MPI_INT, MPI_DOUBLE, MPI_SHORT_INT};
  Datatype* type = datatypes.find(handles[random() % std::size(handles)]);
  reference::Type expected;
  for (std::int64_t i = 0; i < type->size; ++i)
    expected.bytes.push_back(type->handle == MPI_SHORT_INT && i >= 2 ? i + 2 : i);
  expected.upper = type->extent;
  return {type, expected, false};
}

void drop(Both& both) {
  if (both.owned) release(*both.type);
}

Both make_random(Random& random, int depth);

Both vector_of(Random& random, int depth) {
  Both old = make_random(random, depth - 1);
  std::int64_t count = between(random, 0, 4), length = between(random, 0, 3);
  std::int64_t stride = between(random, -3, 5) * between(random, 1, 9);
  Both made{nullptr, {}, true};
  EXPECT_EQ(make_hvector(count, length, stride, *old.type, &made.type), MPI_SUCCESS);
  bool first = true;
  for (std::int64_t i = 0; i < count; ++i)
    append(made.expected, old.expected, i * stride, length, first);
  drop(old);
  return made;
}

Both contiguous_of(Random& random, int depth) {
  Both old = make_random(random, depth - 1);
  std::int64_t count = between(random, 0, 5);
  Both made{nullptr, {}, true};
  EXPECT_EQ(make_contiguous(count, *old.type, &made.type), MPI_SUCCESS);
  bool first = true;
  append(made.expected, old.expected, 0, count, first);
  drop(old);
  return made;
}

Both struct_of(Random& random, int depth) {
  std::vector<Both> olds;
  std::vector<StructBlock> blocks;
  Both made{nullptr, {}, true};
  bool first = true;
  for (std::int64_t i = between(random, 0, 4); i > 0; --i) {
    olds.push_back(make_random(random, depth - 1));
    // Every other block touches the one before it, so that joining is tried, too.
    std::int64_t displacement = random() % 2 && !made.expected.bytes.empty()
                                    ? made.expected.bytes.back() + 1
                                    : between(random, -40, 60);
    blocks.push_back({between(random, 0, 3), displacement, olds.back().type});
    append(made.expected, olds.back().expected, displacement, blocks.back().length, first);
  }
  EXPECT_EQ(make_struct(blocks.data(), static_cast<std::int64_t>(blocks.size()), &made.type),
            MPI_SUCCESS);
  for (Both& old : olds) drop(old);
  return made;
}

Both resized_of(Random& random, int depth) {
  Both old = make_random(random, depth - 1);
  Both made{nullptr, old.expected, true};
  std::int64_t lower = between(random, -10, 10), extent = between(random, -5, 60);
  EXPECT_EQ(make_resized(*old.type, lower, extent, &made.type), MPI_SUCCESS);
  made.expected.lower = lower;
  made.expected.upper = lower + extent;
  drop(old);
  return made;
}

Both duplicate_of(Random& random, int depth) {
  Both old = make_random(random, depth - 1);
  Both made{nullptr, old.expected, true};
  EXPECT_EQ(duplicate(*old.type, &made.type), MPI_SUCCESS);
  drop(old);
  return made;
}

Both make_random(Random& random, int depth) {
  if (depth == 0) return make_basic(random);
  switch (random() % 6) {
    case 0:
      return make_basic(random);
    case 1:
      return contiguous_of(random, depth);
    case 2:
      return struct_of(random, depth);
    case 3:
      return resized_of(random, depth);
    case 4:
      return duplicate_of(random, depth);
    default:
      return vector_of(random, depth);
  }
}

void compare_bounds(const Both& both) {
  const Datatype& type = *both.type;
  const auto& bytes = both.expected.bytes;
  ASSERT_EQ(type.size, static_cast<std::int64_t>(bytes.size()));
  EXPECT_EQ(type.lower_bound, both.expected.lower);
  EXPECT_EQ(type.extent, both.expected.extent());
  auto [low, high] = std::minmax_element(bytes.begin(), bytes.end());
  EXPECT_EQ(type.true_lower_bound, bytes.empty() ? 0 : *low);
  EXPECT_EQ(type.true_extent, bytes.empty() ? 0 : *high + 1 - *low);
}

// Packs and unpacks a random part of some elements; bytes beside it must stay as they are.
void compare_part(Random& random, const Both& both) {
  auto layout = lay_out(both.expected, between(random, 1, 3));
  auto total = static_cast<std::int64_t>(layout.size());
  std::int64_t position = between(random, 0, total), bytes = between(random, 0, total - position);
  constexpr std::int64_t middle = 1 << 16;
  std::vector<char> memory(2 * middle), packed(static_cast<std::size_t>(bytes) + 2, 'p');
  for (char& byte : memory) byte = static_cast<char>(random());
  for (std::int64_t at : layout) ASSERT_LT(std::abs(at), middle);
  pack(*both.type, memory.data() + middle, position, packed.data() + 1, bytes);
  for (std::int64_t i = 0; i < bytes; ++i)
    ASSERT_EQ(
        packed[static_cast<std::size_t>(i + 1)],
        memory[static_cast<std::size_t>(middle + layout[static_cast<std::size_t>(position + i)])]);
  EXPECT_EQ(packed.front(), 'p');
  EXPECT_EQ(packed.back(), 'p');
  // Where entries overlap the standard leaves open which one an unpack writes last.
  if (std::set<std::int64_t>(layout.begin(), layout.end()).size() != layout.size()) return;
  for (char& byte : packed) byte = static_cast<char>(random());
  std::vector<char> expected = memory;
  for (std::int64_t i = 0; i < bytes; ++i)
    expected[static_cast<std::size_t>(middle + layout[static_cast<std::size_t>(position + i)])] =
        packed[static_cast<std::size_t>(i + 1)];
  unpack(*both.type, memory.data() + middle, position, packed.data() + 1, bytes);
  ASSERT_TRUE(memory == expected);
}

TEST(construct, random_types_pack_and_unpack_as_their_definition_says) {
  for (std::uint64_t seed = 1; seed <= 1500 && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    Both both = make_random(random, 4);
    compare_bounds(both);
    if (both.type->size > 0 && both.type->size < 4000)
      for (int i = 0; i < 4; ++i) compare_part(random, both);
    drop(both);
  }
}

TEST(construct, contiguous_is_said_only_of_types_that_are_one_run) {
  for (std::uint64_t seed = 1; seed <= 3000 && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    Both both = make_random(random, 3);
    auto layout = lay_out(both.expected, 3);
    bool one_run = true;
    for (std::size_t i = 0; i < layout.size(); ++i)
      one_run &= layout[i] == static_cast<std::int64_t>(i);
    EXPECT_TRUE(one_run || !both.type->contiguous);
    drop(both);
  }
}

TEST(construct, a_large_vector_takes_no_more_memory_than_a_small_one) {
  make_predefined_datatypes();
  Datatype* made = nullptr;
  ASSERT_EQ(make_hvector(std::int64_t{1} << 40, 1, 16, *datatypes.find(MPI_DOUBLE), &made),
            MPI_SUCCESS);
  EXPECT_EQ(made->size, std::int64_t{8} << 40);
  EXPECT_EQ(made->extent, ((std::int64_t{1} << 40) - 1) * 16 + 8);
  EXPECT_EQ(made->shape->kind, Shape::Kind::loop);
  EXPECT_TRUE(is_block(made->shape->child));
  release(*made);
}

}  // namespace
}  // namespace baton::datatype
