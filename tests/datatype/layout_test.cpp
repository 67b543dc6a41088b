// Random trees of constructors against the reference: bounds, sizes, elements, and packing and
// unpacking any part of several elements, from any byte to any byte.
#include <gtest/gtest.h>

#include <random>
#include <set>

#include "datatype/construct.hpp"
#include "datatype/contents.hpp"
#include "datatype/elements.hpp"
#include "datatype/pack.hpp"
#include "tests/datatype/make.hpp"
#include "tests/datatype/reference.hpp"

namespace baton::datatype {
namespace {

using Random = std::mt19937_64;

struct Both {
  Datatype* type = nullptr;
  reference::Type expected;
};

std::int64_t between(Random& random, std::int64_t low, std::int64_t high) {
  return low + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(high - low + 1));
}

Numbers64 some(Random& random, std::int64_t count, std::int64_t low, std::int64_t high) {
  Numbers64 numbers;
  for (std::int64_t i = 0; i < count; ++i) numbers.push_back(between(random, low, high));
  return numbers;
}

struct Basic {
  MPI_Datatype handle;
  std::vector<reference::Entry> entries;
};
const Basic basics[] = {
    {MPI_BYTE, {{0, 1, 1}}},
    {MPI_SHORT, {{0, 2, 2}}},
    {MPI_INT, {{0, 4, 4}}},
    {MPI_DOUBLE, {{0, 8, 8}}},
    {MPI_C_DOUBLE_COMPLEX, {{0, 16, 8}}},
    {MPI_LONG_DOUBLE, {{0, 16, 16}}},
    {MPI_SHORT_INT, {{0, 2, 2}, {4, 4, 4}}},
    {MPI_DOUBLE_INT, {{0, 8, 8}, {8, 4, 4}}},
};

Both make_basic(Random& random) {
  make_predefined_datatypes();
  const Basic& basic = basics[random() % std::size(basics)];
  Both made;
  made.type = datatypes.find(basic.handle);
  made.expected.entries = basic.entries;
  return made;
}

Both make_random(Random& random, int depth);

void vector_of(Random& random, const Both& old, Both& made) {
  std::int64_t count = between(random, 0, 4), length = between(random, 0, 3);
  bool in_bytes = random() % 2;
  std::int64_t stride = between(random, -3, 5) * (in_bytes ? between(random, 1, 9) : 1);
  EXPECT_EQ((in_bytes ? make_hvector : make_vector)(count, length, stride, *old.type, &made.type),
            MPI_SUCCESS);
  if (!in_bytes) stride *= old.expected.extent();
  for (std::int64_t i = 0; i < count; ++i) append(made.expected, old.expected, i * stride, length);
}

void contiguous_of(Random& random, const Both& old, Both& made) {
  std::int64_t count = between(random, 0, 5);
  EXPECT_EQ(make_contiguous(count, *old.type, &made.type), MPI_SUCCESS);
  append(made.expected, old.expected, 0, count);
}

void indexed_of(Random& random, const Both& old, Both& made) {
  std::int64_t count = between(random, 0, 4);
  Numbers64 lengths = some(random, count, 0, 3), displacements = some(random, count, -9, 9);
  bool in_bytes = random() % 2;
  if (random() % 2) {
    EXPECT_EQ(make_indexed(in_bytes ? MPI_COMBINER_HINDEXED : MPI_COMBINER_INDEXED, lengths,
                           displacements, *old.type, &made.type),
              MPI_SUCCESS);
  } else {
    std::int64_t length = between(random, 0, 3);
    lengths.assign(lengths.size(), length);
    EXPECT_EQ(
        make_indexed_block(in_bytes ? MPI_COMBINER_HINDEXED_BLOCK : MPI_COMBINER_INDEXED_BLOCK,
                           length, displacements, *old.type, &made.type),
        MPI_SUCCESS);
  }
  std::int64_t unit = in_bytes ? 1 : old.expected.extent();
  for (std::size_t i = 0; i < lengths.size(); ++i)
    append(made.expected, old.expected, displacements[i] * unit, lengths[i]);
}

void resized_of(Random& random, const Both& old, Both& made) {
  std::int64_t lower = between(random, -10, 10), extent = between(random, -5, 60);
  EXPECT_EQ(make_resized(*old.type, lower, extent, &made.type), MPI_SUCCESS);
  made.expected = old.expected;
  made.expected.mark(lower, lower + extent);
}

// Which indices of each dimension are taken; the reference lays one element for each combination.
void lay_array(const std::vector<Numbers64>& taken, const Numbers64& sizes, int order,
               const Both& old, Both& made) {
  std::size_t dimensions = sizes.size();
  std::vector<std::size_t> at(dimensions, 0);
  std::int64_t all = 1, extent = old.expected.extent(), combinations = 1;
  for (std::size_t i = 0; i < dimensions; ++i) {
    all *= sizes[i];
    combinations *= static_cast<std::int64_t>(taken[i].size());
  }
  auto nth_fastest = [&](std::size_t i) { return order == MPI_ORDER_C ? dimensions - 1 - i : i; };
  for (std::int64_t k = 0; k < combinations; ++k) {
    std::int64_t index = 0, step = 1, rest = k;
    for (std::size_t i = 0; i < dimensions; ++i) {
      std::size_t d = nth_fastest(i);
      auto choices = static_cast<std::int64_t>(taken[d].size());
      index += taken[d][static_cast<std::size_t>(rest % choices)] * step;
      rest /= choices;
      step *= sizes[d];
    }
    append(made.expected, old.expected, index * extent);
  }
  made.expected.mark(0, all * extent);
}

void subarray_of(Random& random, const Both& old, Both& made) {
  std::int64_t dimensions = between(random, 1, 3);
  Numbers64 sizes = some(random, dimensions, 1, 4), subsizes, starts;
  std::vector<Numbers64> taken;
  for (std::int64_t size : sizes) {
    subsizes.push_back(between(random, 1, size));
    starts.push_back(between(random, 0, size - subsizes.back()));
    taken.emplace_back();
    for (std::int64_t i = 0; i < subsizes.back(); ++i) taken.back().push_back(starts.back() + i);
  }
  int order = random() % 2 ? MPI_ORDER_C : MPI_ORDER_FORTRAN;
  EXPECT_EQ(make_subarray(sizes, subsizes, starts, order, *old.type, &made.type), MPI_SUCCESS);
  lay_array(taken, sizes, order, old, made);
}

void darray_of(Random& random, const Both& old, Both& made) {
  std::int64_t dimensions = between(random, 1, 3);
  Numbers64 sizes = some(random, dimensions, 1, 7);
  std::vector<int> kinds, arguments, processes;
  std::vector<std::int64_t> lengths;
  int size = 1;
  for (std::int64_t n : sizes) {
    int kind = static_cast<int>(random() % 3) + MPI_DISTRIBUTE_NONE;
    int grid = kind == MPI_DISTRIBUTE_NONE ? 1 : static_cast<int>(between(random, 1, 3));
    std::int64_t enough = (n + grid - 1) / grid;
    bool by_default = random() % 2;
    std::int64_t length = n;
    if (kind == MPI_DISTRIBUTE_BLOCK) length = by_default ? enough : enough + between(random, 0, 2);
    if (kind == MPI_DISTRIBUTE_CYCLIC) length = by_default ? 1 : between(random, 1, 9);
    kinds.push_back(kind);
    arguments.push_back(by_default ? MPI_DISTRIBUTE_DFLT_DARG : static_cast<int>(length));
    processes.push_back(grid);
    lengths.push_back(length);
    size *= grid;
  }
  int rank = static_cast<int>(between(random, 0, size - 1));
  int order = random() % 2 ? MPI_ORDER_C : MPI_ORDER_FORTRAN;
  EXPECT_EQ(
      make_darray(size, rank, sizes, kinds, arguments, processes, order, *old.type, &made.type),
      MPI_SUCCESS);
  std::vector<Numbers64> taken(sizes.size());
  int slower = rank;
  for (std::size_t i = sizes.size(); i-- > 0; slower /= processes[i])
    for (std::int64_t k = 0; k < sizes[i]; ++k)
      if (k / lengths[i] % processes[i] == slower % processes[i]) taken[i].push_back(k);
  lay_array(taken, sizes, order, old, made);
}

void struct_of(Random& random, int depth, Both& made) {
  std::vector<Both> olds;
  std::vector<StructBlock> blocks;
  for (std::int64_t i = between(random, 0, 4); i > 0; --i) {
    olds.push_back(make_random(random, depth - 1));
    // Every other block touches the one before it, so that joining is tried, too.
    const auto& entries = made.expected.entries;
    std::int64_t displacement = random() % 2 && !entries.empty()
                                    ? entries.back().displacement + entries.back().size
                                    : between(random, -40, 60);
    blocks.push_back({between(random, 0, 3), displacement, olds.back().type});
    append(made.expected, olds.back().expected, displacement, blocks.back().length);
  }
  EXPECT_EQ(make_struct(blocks.data(), static_cast<std::int64_t>(blocks.size()), &made.type),
            MPI_SUCCESS);
  made.expected.round_up();
  for (Both& old : olds) release(*old.type);
}

Both make_random(Random& random, int depth) {
  Both made;
  int kind = depth == 0 ? 0 : static_cast<int>(random() % 9);
  if (kind == 0) return make_basic(random);
  if (kind == 1) {
    struct_of(random, depth, made);
    return made;
  }
  Both old = make_random(random, depth - 1);
  if (old.expected.entries.size() > 2000) return old;
  if (kind == 2) {
    EXPECT_EQ(duplicate(*old.type, &made.type), MPI_SUCCESS);
    made.expected = old.expected;
  } else {
    void (*makers[])(Random&, const Both&, Both&) = {vector_of,  contiguous_of, indexed_of,
                                                     resized_of, subarray_of,   darray_of};
    makers[kind - 3](random, old, made);
  }
  release(*old.type);
  return made;
}

void compare_bounds(const Both& both) {
  const Datatype& type = *both.type;
  ASSERT_EQ(type.size, both.expected.size());
  EXPECT_EQ(type.lower_bound, both.expected.lower());
  EXPECT_EQ(type.extent, both.expected.extent());
  EXPECT_EQ(type.true_lower_bound, both.expected.true_lower());
  EXPECT_EQ(type.true_extent, both.expected.true_upper() - both.expected.true_lower());
  EXPECT_EQ(type.elements, static_cast<std::int64_t>(both.expected.entries.size()));
}

void compare_elements(const Both& both) {
  constexpr std::int64_t several = 2;
  std::int64_t bytes = 0, elements = 0;
  for (std::int64_t i = 0; i < several; ++i) {
    for (const reference::Entry& entry : both.expected.entries) {
      ASSERT_EQ(elements_in(*both.type, bytes), elements);
      ASSERT_EQ(bytes_of_elements(*both.type, elements), bytes);
      if (entry.size > 1) {
        ASSERT_EQ(elements_in(*both.type, bytes + entry.size / 2), -1);
      }
      bytes += entry.size;
      ++elements;
    }
  }
  struct Walk {
    std::int64_t bytes = 0, elements = 0;
  } walk;
  auto take = [](void* taker, const Datatype& basic, std::int64_t how_many) -> Error {
    static_cast<Walk*>(taker)->bytes += basic.size * how_many;
    static_cast<Walk*>(taker)->elements += how_many;
    return MPI_SUCCESS;
  };
  ASSERT_EQ(for_each_run(*both.type, several, take, &walk), MPI_SUCCESS);
  EXPECT_EQ(walk.bytes, bytes);
  EXPECT_EQ(walk.elements, elements);
}

struct Memory {
  explicit Memory(Random& random, std::int64_t low, std::int64_t high) : low_(low) {
    bytes.resize(static_cast<std::size_t>(high - low) + 1);
    for (char& byte : bytes) byte = static_cast<char>(random());
  }
  char* origin() { return bytes.data() - low_; }
  char& at(std::int64_t displacement) {
    return bytes[static_cast<std::size_t>(displacement - low_)];
  }
  std::vector<char> bytes;

 private:
  std::int64_t low_;
};

// Packs and unpacks one part; bytes beside it must stay as they are.
void compare_part(Random& random, const Both& both, const std::vector<std::int64_t>& layout,
                  std::int64_t position, std::int64_t bytes) {
  auto [low, high] = std::minmax_element(layout.begin(), layout.end());
  Memory memory(random, *low, *high);
  std::vector<char> packed(static_cast<std::size_t>(bytes) + 2, 'p');
  auto place = [&](std::int64_t i) { return layout[static_cast<std::size_t>(position + i)]; };
  pack(*both.type, memory.origin(), position, packed.data() + 1, bytes);
  for (std::int64_t i = 0; i < bytes; ++i)
    ASSERT_EQ(packed[static_cast<std::size_t>(i + 1)], memory.at(place(i)));
  EXPECT_EQ(packed.front(), 'p');
  EXPECT_EQ(packed.back(), 'p');
  // Where entries overlap the standard leaves open which one an unpack writes last.
  if (std::set<std::int64_t>(layout.begin(), layout.end()).size() != layout.size()) return;
  for (char& byte : packed) byte = static_cast<char>(random());
  Memory expected = memory;
  for (std::int64_t i = 0; i < bytes; ++i)
    expected.at(place(i)) = packed[static_cast<std::size_t>(i + 1)];
  unpack(*both.type, memory.origin(), position, packed.data() + 1, bytes);
  ASSERT_TRUE(memory.bytes == expected.bytes);
}

TEST(layout, types_have_the_bounds_and_elements_of_their_definition) {
  for (std::uint64_t seed = 1; seed <= 6000 && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    Both both = make_random(random, 4);
    compare_bounds(both);
    if (both.type->size > 0 && both.expected.entries.size() < 500) compare_elements(both);
    release(*both.type);
  }
}

TEST(layout, types_pack_and_unpack_whole_and_in_any_part) {
  for (std::uint64_t seed = 1; seed <= 3000 && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    Both both = make_random(random, 4);
    auto layout = lay_out(both.expected, between(random, 1, 3));
    auto total = static_cast<std::int64_t>(layout.size());
    if (total > 0 && total < 20000) {
      compare_part(random, both, layout, 0, total);
      for (int i = 0; i < 4; ++i) {
        std::int64_t position = between(random, 0, total);
        compare_part(random, both, layout, position, between(random, 0, total - position));
      }
    }
    release(*both.type);
  }
}

TEST(layout, contiguous_is_said_only_of_types_that_are_one_run) {
  for (std::uint64_t seed = 1; seed <= 3000 && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    Both both = make_random(random, 3);
    auto layout = lay_out(both.expected, 3);
    bool one_run = true;
    for (std::size_t i = 0; i < layout.size(); ++i)
      one_run &= layout[i] == static_cast<std::int64_t>(i);
    EXPECT_TRUE(one_run || !both.type->contiguous);
    release(*both.type);
  }
}

TEST(layout, an_equivalent_type_shares_the_record_and_outlives_the_first) {
  Random random(1);
  make_predefined_datatypes();
  for (int i = 0; i < 200; ++i) {
    Both both = make_random(random, 3);
    Datatype* other = nullptr;
    ASSERT_EQ(equivalent(*both.type, &other), MPI_SUCCESS);
    if (both.type->contents) {
      EXPECT_EQ(both.type->contents, other->contents);
      EXPECT_EQ(other->contents->references.load(), 2);
    }
    release(*both.type);
    // The second stands alone.
    EXPECT_EQ(other->size, both.expected.size());
    release(*other);
  }
}

}  // namespace
}  // namespace baton::datatype
