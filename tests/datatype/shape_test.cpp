#include "datatype/shape.hpp"
#include "datatype/pack.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "platform/cpu.hpp"

namespace baton::datatype {
namespace {

TEST(shape, adjoining_blocks_become_one) {
  const Shape* block = make_block(4);
  Part parts[] = {{8, 0, block}, {12, 0, block}, {16, 0, block}};
  const Shape* joined = make_sequence(parts, 3);
  EXPECT_EQ(joined->bytes, 12);
  EXPECT_EQ(joined->kind, Shape::Kind::loop) << "one block away from the origin";
  EXPECT_TRUE(is_block(joined->child));
  const Shape* run = make_loop(5, 4, 0, block);
  EXPECT_TRUE(is_block(run));
  EXPECT_EQ(run->bytes, 20);
  EXPECT_EQ(block->references.load(), 1) << "joining keeps nothing of the pieces";
  for (const Shape* shape : {block, joined, run}) release_shape(shape);
}

TEST(shape, nothing_repeated_is_an_empty_block) {
  const Shape* block = make_block(4);
  const Shape* empty = make_block(0);
  const Shape* shapes[] = {make_loop(0, 8, 3, block), make_loop(7, 8, 0, empty),
                           make_sequence(nullptr, 0)};
  for (const Shape* shape : shapes) {
    EXPECT_TRUE(is_block(shape));
    EXPECT_EQ(shape->bytes, 0);
    release_shape(shape);
  }
  release_shape(block);
  release_shape(empty);
}

TEST(shape, a_shape_lives_as_long_as_whoever_holds_it) {
  const Shape* block = make_block(4);
  const Shape* loop = make_loop(3, 8, 0, block);
  EXPECT_EQ(block->references.load(), 2);
  release_shape(block);
  const Shape* kept = loop->child;
  retain_shape(kept);
  release_shape(loop);
  EXPECT_EQ(kept->references.load(), 1);
  release_shape(kept);
}

// Each byte of the packed form, one at a time: starts and stops everywhere.
TEST(shape, packing_may_start_and_stop_at_any_byte) {
  const Shape* block = make_block(3);
  const Shape* inner = make_loop(2, 5, 1, block);
  Part parts[] = {{20, 0, inner}, {0, 0, block}, {40, 0, inner}};
  const Shape* shape = make_sequence(parts, 3);
  const int places[] = {21, 22, 23, 26, 27, 28, 0, 1, 2, 41, 42, 43, 46, 47, 48};
  ASSERT_EQ(shape->bytes, 15);
  char memory[64];
  for (int i = 0; i < 64; ++i) memory[i] = static_cast<char>(i);
  for (int from = 0; from <= 15; ++from)
    for (int bytes = 0; from + bytes <= 15; ++bytes) {
      char packed[15];
      pack_shape(shape, memory, from, packed, bytes);
      for (int i = 0; i < bytes; ++i) ASSERT_EQ(packed[i], places[from + i]);
      char other[64] = {};
      unpack_shape(shape, other, from, packed, bytes);
      int changed = 0;
      for (int i = 0; i < 64; ++i) changed += other[i] != 0;
      int zero = from <= 6 && 6 < from + bytes;  // the byte that holds 0 cannot be told
      ASSERT_EQ(changed, bytes - zero);
      for (int i = 0; i < bytes; ++i) ASSERT_EQ(other[places[from + i]], places[from + i]);
    }
  for (const Shape* each : {block, inner, shape}) release_shape(each);
}

TEST(shape, common_block_sizes_copy_the_same_bytes_as_others) {
  for (std::int64_t size : {1, 4, 8, 12, 16, 24}) {
    const Shape* block = make_block(size);
    const Shape* loop = make_loop(5, size + 3, 0, block);
    std::vector<char> memory(200), packed(static_cast<std::size_t>(5 * size)), back(200);
    for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = static_cast<char>(i + 1);
    pack_shape(loop, memory.data(), 0, packed.data(), 5 * size);
    unpack_shape(loop, back.data(), 0, packed.data(), 5 * size);
    for (std::int64_t i = 0; i < 5 * (size + 3); ++i) {
      bool data = i % (size + 3) < size;
      ASSERT_EQ(back[static_cast<std::size_t>(i)], data ? static_cast<char>(i + 1) : 0)
          << size << " " << i;
    }
    release_shape(loop);
    release_shape(block);
  }
}

// Blocks of every small size at several distances, on every level of vector instructions.
TEST(shape, evenly_spaced_blocks_move_and_leave_alone_what_lies_between) {
  for (int level = 1; level <= platform::cpu_level(); ++level) {
    choose_walks(level);
    for (std::int64_t bytes = 1; bytes <= 70; ++bytes)
      for (std::int64_t stride : {bytes + 1, 2 * bytes, 3 * bytes + 2, -2 * bytes})
        for (std::int64_t count : {1, 2, 7, 8, 9, 16, 17, 33}) {
          const Shape* block = make_block(bytes);
          const Shape* loop =
              make_loop(count, stride, stride < 0 ? -stride * (count - 1) : 0, block);
          std::int64_t step = stride < 0 ? -stride : stride;
          // No byte more than there is, so that a sanitizer sees a look beyond.
          std::vector<char> memory(static_cast<std::size_t>((count - 1) * step + bytes));
          for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = static_cast<char>(i * 7 + 1);
          std::vector<char> packed(static_cast<std::size_t>(loop->bytes));
          pack_shape(loop, memory.data(), 0, packed.data(), loop->bytes);
          std::vector<char> spread(memory.size(), 'x'), expected = spread;
          unpack_shape(loop, spread.data(), 0, packed.data(), loop->bytes);
          for (std::int64_t i = 0; i < count; ++i)
            for (std::int64_t j = 0; j < bytes; ++j) {
              std::int64_t at = (stride < 0 ? count - 1 - i : i) * step + j;
              ASSERT_EQ(packed[static_cast<std::size_t>(i * bytes + j)],
                        memory[static_cast<std::size_t>(at)]);
              expected[static_cast<std::size_t>(at)] = memory[static_cast<std::size_t>(at)];
            }
          ASSERT_TRUE(spread == expected) << bytes << " bytes, stride " << stride << ", " << count;
          release_shape(block);
          release_shape(loop);
        }
  }
}

}  // namespace
}  // namespace baton::datatype
