// Copies in host memory of data that lies in foreign memory.
#include "datatype/host_copy.hpp"

#include "tests/datatype/make.hpp"
#include "tests/datatype/opaque.hpp"

namespace baton::datatype {
namespace {

Datatype& every_second() {
  make_predefined_datatypes();
  Datatype* made = nullptr;
  EXPECT_EQ(make_vector(3, 1, 2, *datatypes.find(MPI_BYTE), &made), MPI_SUCCESS);
  return *made;
}

TEST(host_copy, of_host_memory_is_that_memory) {
  Opaque opaque;
  char host[32] = {};
  HostCopy copy(every_second(), host, 2, true);
  EXPECT_TRUE(copy.has_memory());
  EXPECT_EQ(copy.address(), host);
  copy.bring_back();
  EXPECT_EQ(Opaque::copies, 0);
}

TEST(host_copy, has_the_data_where_the_type_has_it_and_brings_no_gap_back) {
  Opaque opaque;
  Datatype& type = every_second();
  const std::int64_t last = type.extent + 4;  // of two elements' bytes
  for (int i = 0; i < 100; ++i) opaque.view()[i] = static_cast<char>(i);
  HostCopy copy(type, opaque.memory() + 10, 2, true);
  ASSERT_TRUE(copy.has_memory());
  char* here = static_cast<char*>(copy.address());
  for (std::int64_t i = 0; i <= 4; i += 2) EXPECT_EQ(here[i], 10 + i);
  EXPECT_EQ(here[last], 10 + last);
  std::memset(here, 77, static_cast<std::size_t>(last) + 1);
  copy.bring_back();
  EXPECT_EQ(opaque.view()[9], 9);
  EXPECT_EQ(opaque.view()[10], 77);
  EXPECT_EQ(opaque.view()[11], 11) << "a gap";
  EXPECT_EQ(opaque.view()[10 + last], 77);
  EXPECT_EQ(opaque.view()[11 + last], 11 + last);
}

TEST(host_copy, of_nothing_needs_no_memory) {
  Opaque opaque;
  HostCopy copy(every_second(), opaque.memory(), 0, true);
  EXPECT_TRUE(copy.has_memory());
  copy.bring_back();
  EXPECT_EQ(Opaque::copies, 0);
}

TEST(host_copy, spans_cover_all_blocks) {
  Span all;
  EXPECT_TRUE(all.is_empty());
  auto* at = reinterpret_cast<char*>(1000);
  all.include(span_of(every_second(), at, 1));
  EXPECT_EQ(all.first, 1000);
  EXPECT_EQ(all.end, 1005);
  all.include(span_of(every_second(), at - 100, 0));
  EXPECT_EQ(all.first, 1000);
  all.include(span_of(every_second(), at - 100, 2));
  EXPECT_EQ(all.first, 900);
  EXPECT_EQ(all.end, 1005);
}

TEST(host_copy, keeps_the_alignment_of_addresses_and_its_bounds) {
  alignas(64) char memory[512];
  for (std::intptr_t first = 1000; first < 1064; ++first)
    for (char* begin = memory; begin < memory + 64; ++begin) {
      const Span span{first, first + 100};
      const std::intptr_t here = first + span.shift_to(begin);
      EXPECT_EQ((here - first) % 64, 0);
      EXPECT_GE(here, reinterpret_cast<std::intptr_t>(begin));
      EXPECT_LE(here + 100,
                reinterpret_cast<std::intptr_t>(begin) + std::intptr_t(span.copy_bytes()));
    }
}

}  // namespace
}  // namespace baton::datatype
