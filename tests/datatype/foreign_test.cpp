// Typed data in foreign memory, on either side, is moved by copies of its kind alone.
#include "datatype/foreign.hpp"

#include <numeric>

#include "datatype/pack.hpp"
#include "tests/datatype/make.hpp"
#include "tests/datatype/opaque.hpp"

namespace baton::datatype {
namespace {

Datatype& byte_type() {
  make_predefined_datatypes();
  return *datatypes.find(MPI_BYTE);
}

// Three bytes of every five, twice; the elements follow each other backwards from a lower bound
// below the address.
Datatype& gapped() {
  Datatype* made = nullptr;
  const StructBlock blocks[] = {{3, -7, &byte_type()}, {2, 1, &byte_type()}};
  EXPECT_EQ(make_struct(blocks, 2, &made), MPI_SUCCESS);
  return *made;
}

std::vector<char> numbers(std::size_t count) {
  std::vector<char> all(count);
  std::iota(all.begin(), all.end(), 1);
  return all;
}

TEST(foreign, is_told_by_where_the_data_begins) {
  Opaque opaque;
  char host[64];
  EXPECT_NE(kind_of(byte_type(), opaque.memory()), nullptr);
  EXPECT_EQ(kind_of(byte_type(), host), nullptr);
  EXPECT_NE(kind_of(gapped(), opaque.memory() + 7), nullptr);
  EXPECT_EQ(kind_of(gapped(), opaque.memory()), nullptr) << "the data begins 7 bytes before";
  EXPECT_FALSE(is_run(byte_type(), opaque.memory()));
  EXPECT_TRUE(is_run(byte_type(), host));
  EXPECT_FALSE(is_run(gapped(), host));
}

TEST(foreign, runs_are_packed_and_unpacked_from_any_byte_to_any_other) {
  Opaque opaque;
  const auto data = numbers(100);
  std::memcpy(opaque.view(), data.data(), 100);
  std::vector<char> packed(100);
  pack(byte_type(), opaque.memory(), 10, packed.data(), 50);
  EXPECT_EQ(std::memcmp(packed.data(), data.data() + 10, 50), 0);
  EXPECT_EQ(packed[50], 0);
  unpack(byte_type(), opaque.memory() + 1000, 3, data.data(), 20);
  EXPECT_EQ(std::memcmp(opaque.view() + 1003, data.data(), 20), 0);
  EXPECT_EQ(opaque.view()[1002], 0);
  EXPECT_EQ(opaque.view()[1023], 0);
  EXPECT_EQ(Opaque::copies, 2);
}

TEST(foreign, data_with_gaps_moves_as_it_does_in_host_memory) {
  constexpr std::int64_t elements = 9;
  Opaque opaque;
  Datatype& type = gapped();
  const auto data = numbers(200);
  std::memcpy(opaque.view(), data.data(), data.size());
  const std::int64_t bytes = elements * type.size;
  std::vector<char> expected(static_cast<std::size_t>(bytes)), got = expected;
  for (std::int64_t begin = 0; begin < bytes; ++begin)
    for (std::int64_t end = begin; end <= bytes; ++end) {
      pack(type, data.data() + 7, begin, expected.data(), end - begin);
      pack(type, opaque.memory() + 7, begin, got.data(), end - begin);
      ASSERT_EQ(expected, got) << begin << " to " << end;
      std::vector<char> there(200);
      unpack(type, there.data() + 7, begin, data.data(), end - begin);
      std::memset(opaque.view() + 4096, 0, 200);
      unpack(type, opaque.memory() + 4096 + 7, begin, data.data(), end - begin);
      ASSERT_EQ(std::memcmp(opaque.view() + 4096, there.data(), 200), 0) << begin << " to " << end;
    }
}

TEST(foreign, both_sides_may_be) {
  constexpr std::int64_t elements = 900;  // beyond what a copy between two types moves at once
  Opaque opaque;
  Datatype& type = gapped();
  const std::int64_t bytes = elements * type.size;
  for (int i = 0; i < 20000; ++i) opaque.view()[i] = static_cast<char>(i % 251);
  copy(type, opaque.memory() + 7, type, opaque.memory() + 40007, bytes);
  std::vector<char> expected(20000);
  copy(type, opaque.view() + 7, type, expected.data() + 7, bytes);
  EXPECT_EQ(std::memcmp(opaque.view() + 40000, expected.data(), expected.size()), 0);
  copy(byte_type(), opaque.memory(), byte_type(), opaque.memory() + 100000, 1000);
  EXPECT_EQ(std::memcmp(opaque.view() + 100000, opaque.view(), 1000), 0);
  EXPECT_EQ(opaque.view()[101000], 0);
}

}  // namespace
}  // namespace baton::datatype
