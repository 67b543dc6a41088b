// Random shapes against the list of the places of their bytes: what they span, the place of each
// packed byte, how many bytes lie before each address, and their runs as a shape that repeats.
#include "datatype/ascending.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace baton::datatype {
namespace {

using Random = std::mt19937_64;
using Places = std::vector<std::int64_t>;

std::int64_t between(Random& random, std::int64_t low, std::int64_t high) {
  return low + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(high - low + 1));
}

// A shape, and where its bytes lie.
struct Both {
  const Shape* shape = nullptr;
  Places places;

  std::int64_t first() const { return places.empty() ? 0 : places.front(); }
  std::int64_t span() const { return places.empty() ? 0 : places.back() + 1 - places.front(); }
  void append(const Places& more, std::int64_t offset) {
    for (std::int64_t place : more) places.push_back(offset + place);
  }
  bool ascends() const {
    return std::adjacent_find(places.begin(), places.end(), std::greater_equal<>()) == places.end();
  }
};

Both random_block(Random& random) {
  Both made{make_block(between(random, 0, 6)), {}};
  for (std::int64_t i = 0; i < made.shape->bytes; ++i) made.places.push_back(i);
  return made;
}

Both random_shape(Random& random, int depth, bool ascending);

Both random_loop(Random& random, int depth, bool ascending) {
  const Both child = random_shape(random, depth - 1, ascending);
  const std::int64_t count = between(random, 0, 5), offset = between(random, -20, 60);
  const std::int64_t stride =
      ascending ? child.span() + between(random, 0, 9) : between(random, -9, 20);
  Both made{make_loop(count, stride, offset, child.shape), {}};
  for (std::int64_t i = 0; i < count; ++i) made.append(child.places, offset + i * stride);
  release_shape(child.shape);
  return made;
}

Both random_sequence(Random& random, int depth, bool ascending) {
  std::vector<Part> parts;
  std::vector<const Shape*> children;
  Both made;
  std::int64_t end = between(random, -20, 20);
  for (std::int64_t left = between(random, 0, 6); left > 0; --left) {
    Both child = random_shape(random, between(random, 0, depth - 1), ascending);
    children.push_back(child.shape);
    Part part{0, 0, child.shape};
    if (is_block(child.shape) && child.shape->bytes > 0) part = {0, 0, nullptr, child.shape->bytes};
    part.offset = ascending ? end - child.first() + between(random, 0, 1) * between(random, 0, 9)
                            : between(random, -20, 40);
    parts.push_back(part);
    made.append(child.places, part.offset);
    if (!child.places.empty()) end = part.offset + child.first() + child.span();
  }
  made.shape = make_sequence(parts.data(), static_cast<std::int64_t>(parts.size()));
  for (const Shape* child : children) release_shape(child);
  return made;
}

Both random_shape(Random& random, int depth, bool ascending) {
  if (depth <= 0 || between(random, 0, 5) == 0) return random_block(random);
  Both made = between(random, 0, 1) ? random_loop(random, depth, ascending)
                                    : random_sequence(random, depth, ascending);
  if (made.places.size() <= 400) return made;
  release_shape(made.shape);
  return random_block(random);
}

TEST(ascending, the_span_of_a_shape_is_that_of_its_bytes) {
  Random random(1);
  int ascending = 0, others = 0;
  for (int i = 0; i < 20000; ++i) {
    const Both both = random_shape(random, 4, i % 2 == 0);
    const AddressSpan span = span_of(both.shape);
    ASSERT_EQ(span.ascends, both.ascends()) << "shape " << i;
    ++(span.ascends ? ascending : others);
    if (span.ascends) {
      ASSERT_EQ(span.first, both.first()) << "shape " << i;
      ASSERT_EQ(span.end, both.first() + both.span()) << "shape " << i;
    }
    release_shape(both.shape);
  }
  EXPECT_GT(ascending, 10000);
  EXPECT_GT(others, 3000) << "shapes that do not ascend are told";
}

TEST(ascending, bytes_that_lie_twice_or_go_back_do_not_ascend) {
  const Shape* block = make_block(4);
  Part overlap[] = {{0, 0, block}, {3, 0, block}}, back[] = {{8, 0, block}, {0, 0, block}};
  Part gaps[] = {{0, 0, block}, {5, 0, block}, {20, 0, block}};
  const Shape* shapes[] = {make_sequence(overlap, 2), make_sequence(back, 2),
                           make_loop(3, 3, 0, block), make_loop(2, -8, 0, block),
                           make_sequence(gaps, 3)};
  for (const Shape* shape : shapes) {
    EXPECT_EQ(span_of(shape).ascends, shape == shapes[4]);
    release_shape(shape);
  }
  release_shape(block);
}

TEST(ascending, a_packed_byte_and_its_address_determine_each_other) {
  Random random(2);
  for (int i = 0; i < 4000; ++i) {
    const Both both = random_shape(random, 4, true);
    if (!both.places.empty()) {
      const auto bytes = static_cast<std::int64_t>(both.places.size());
      for (std::int64_t k = 0; k < bytes; ++k)
        ASSERT_EQ(address_at(both.shape, k), both.places[static_cast<std::size_t>(k)])
            << "shape " << i << ", byte " << k;
      std::int64_t before = 0;
      for (std::int64_t at = both.first() - 3; at < both.first() + both.span() + 4; ++at) {
        while (before < bytes && both.places[static_cast<std::size_t>(before)] < at) ++before;
        ASSERT_EQ(bytes_before(both.shape, at), before) << "shape " << i << ", address " << at;
      }
    }
    release_shape(both.shape);
  }
}

// Lists all that is asked for, by lists of some space that go on where the one before ended, and
// compares each byte.
void compare_lists(const Both& both, std::int64_t extent, std::int64_t position, std::int64_t bytes,
                   int space) {
  std::vector<ByteRun> runs(static_cast<std::size_t>(space));
  const auto tile = static_cast<std::int64_t>(both.places.size());
  auto place = [&](std::int64_t at) {
    return at / tile * extent + both.places[static_cast<std::size_t>(at % tile)];
  };
  for (const std::int64_t end = position + bytes; position < end;) {
    std::int64_t listed;
    const int count =
        list_runs(both.shape, extent, position, end - position, runs.data(), space, &listed);
    ASSERT_GT(count, 0);
    ASSERT_LE(count, space);
    ASSERT_TRUE(count == space || listed == end - position) << "there was space for more";
    for (int i = 0; i < count; ++i) {
      const ByteRun& run = runs[static_cast<std::size_t>(i)];
      ASSERT_GT(run.bytes, 0);
      if (i > 0) {
        const ByteRun& before = runs[static_cast<std::size_t>(i - 1)];
        ASSERT_NE(run.offset, before.offset + before.bytes) << "runs that adjoin are one";
      }
      listed -= run.bytes;
      for (std::int64_t k = 0; k < run.bytes; ++k)
        ASSERT_EQ(run.offset + k, place(position++)) << "run " << i << " of " << count;
    }
    ASSERT_EQ(listed, 0) << "the bytes of the runs are those that are said to be listed";
  }
}

TEST(ascending, lists_have_each_byte_of_a_shape_that_repeats_and_go_on_where_space_has_ended) {
  Random random(3);
  for (int i = 0; i < 6000; ++i) {
    const bool ascending = i % 3 != 0;
    const Both both = random_shape(random, 4, ascending);
    const auto tile = static_cast<std::int64_t>(both.places.size());
    const std::int64_t extent =
        ascending ? both.span() + between(random, 0, 1) * 7 : between(random, -30, 60);
    if (tile > 0) {
      SCOPED_TRACE(i);
      compare_lists(both, extent, between(random, 0, 3 * tile), between(random, 1, 3 * tile + 1),
                    static_cast<int>(between(random, 1, 12)));
    }
    if (HasFatalFailure()) return;
    release_shape(both.shape);
  }
}

TEST(ascending, runs_that_adjoin_are_listed_as_one) {
  const Shape* block = make_block(4);
  const Shape* pair = make_loop(2, 6, 2, block);  // 2 to 6 and 8 to 12
  ByteRun runs[8];
  std::int64_t listed;
  EXPECT_EQ(list_runs(pair, 10, 0, 24, runs, 8, &listed), 4) << "8 to 16, 18 to 26, ...";
  EXPECT_EQ(listed, 24);
  EXPECT_EQ(runs[1].offset, 8);
  EXPECT_EQ(runs[1].bytes, 8);
  EXPECT_EQ(list_runs(block, 4, 3, 1000, runs, 1, &listed), 1);
  EXPECT_EQ(runs[0].offset, 3);
  EXPECT_EQ(listed, 1000);
  release_shape(pair);
  release_shape(block);
}

TEST(ascending, nothing_has_no_runs) {
  const Shape* empty = make_block(0);
  const Shape* block = make_block(4);
  ByteRun run;
  std::int64_t listed = 7;
  EXPECT_EQ(list_runs(empty, 4, 0, 4, &run, 1, &listed), 0);
  EXPECT_EQ(listed, 0);
  EXPECT_EQ(list_runs(block, 4, 2, 0, &run, 1, &listed), 0);
  EXPECT_EQ(listed, 0);
  release_shape(empty);
  release_shape(block);
}

}  // namespace
}  // namespace baton::datatype
