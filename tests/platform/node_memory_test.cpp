#include "platform/node_memory.hpp"

#include <gtest/gtest.h>
#include <linux/mempolicy.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstring>
#include <thread>
#include <utility>

#include "base/cache_line.hpp"
#include "platform/memory_file.hpp"
#include "platform/memory_policy.hpp"

using namespace baton;
using namespace baton::platform;

namespace {

// A memory file of 4 MiB, mapped twice as two ranks have it.
struct SharedFile {
  static constexpr std::uint64_t bytes = 4 << 20;
  int descriptor = make_memory_file("test", bytes);
  char* one = static_cast<char*>(map_memory_file(descriptor, bytes));
  char* other = static_cast<char*>(map_memory_file(descriptor, bytes));
  ~SharedFile() {
    unmap_memory(one, bytes);
    unmap_memory(other, bytes);
    ::close(descriptor);
  }
};

// What the kernel has as the policy of an address, or of this thread (null): MPOL_...; -1: unknown.
int kernel_mode(const void* address) {
  int mode = -1;
  unsigned long flags = address ? MPOL_F_ADDR : 0;
  return ::syscall(SYS_get_mempolicy, &mode, nullptr, 0UL, address, flags) == 0 ? mode : -1;
}

int first_allowed() {
  NodeMask allowed = allowed_nodes();
  for (int node = 0; node < numa_nodes_max; ++node)
    if (allowed & node_bit(node)) return node;
  return -1;
}

}  // namespace

TEST(node_memory, meminfo_tells_what_is_free_and_what_can_be_dropped) {
  NodeSpace space = node_space_from(
      "Node 2 MemTotal:       1000 kB\nNode 2 MemFree:         300 kB\n"
      "Node 2 Active(file):     50 kB\nNode 2 Inactive(file):   60 kB\n"
      "Node 2 Dirty:            20 kB\nNode 2 Writeback:         0 kB\n");
  EXPECT_EQ(space.bytes, 1000u << 10);
  EXPECT_EQ(space.free_bytes, 300u << 10);
  EXPECT_EQ(space.reclaimable_bytes, 90u << 10);
  EXPECT_EQ(node_space_from("").bytes, 0u);
  space = node_space_from(
      " MemTotal: 9 kB\n Active(file): 30 kB\n Inactive(file): 0 kB\n Dirty: 5 kB\n"
      " Writeback: 7 kB\n");
  EXPECT_EQ(space.reclaimable_bytes, 18u << 10);
  EXPECT_EQ(node_space_from(" MemTotal: 9 kB\n Dirty: 5 kB\n").reclaimable_bytes, 0u);
}

TEST(node_memory, space_is_what_is_free_less_what_is_kept_back_and_a_margin) {
  constexpr std::uint64_t mib = 1 << 20;
  NodeSpace space{.bytes = 256 * mib,
                  .free_bytes = 20 * mib,
                  .reclaimable_bytes = 10 * mib,
                  .low_bytes = 1 * mib,
                  .high_bytes = 2 * mib};
  EXPECT_EQ(space_without_pressure(space), (20 - 1 - 1) * mib);
  EXPECT_EQ(space_under_pressure(space), (20 + 10 / 2 - 2 - 1 - 4) * mib);
  space.free_bytes = 1 * mib;
  EXPECT_EQ(space_without_pressure(space), 0u);
  EXPECT_EQ(space_under_pressure(space), 0u);
}

TEST(node_memory, a_nodes_space_comes_with_what_its_kernel_keeps_back) {
  int node = first_allowed();
  if (node < 0 || ::access("/proc/zoneinfo", R_OK) != 0) GTEST_SKIP() << "the kernel does not say";
  NodeSpace space = node_space(node);
  if (space.bytes == 0) GTEST_SKIP() << "no sysfs here";
  EXPECT_GT(space.low_bytes, 0u);
  EXPECT_GE(space.high_bytes, space.low_bytes);
  EXPECT_LT(space.high_bytes, space.bytes);
}

TEST(node_memory, what_the_kernel_keeps_back_is_no_space) {
  NodeKept kept[numa_nodes_max];
  int node = -1;
  for (const char* line :
       {"Node 2, zone   Normal\n", "        min      300\n", "        low      400\n",
        "        high     500\n", "              high:     0\n", "Node 2, zone  Movable\n",
        "        low      2\n", "Node 3, zone Normal\n", "        high     7\n",
        "Node 64, zone Normal\n", "        high     9\n"})
    add_zone_line(line, &node, kept);
  EXPECT_EQ(kept[2].low_bytes, 402u * 4096);
  EXPECT_EQ(kept[2].high_bytes, 500u * 4096);
  EXPECT_EQ(kept[3].high_bytes, 7u * 4096);
  NodeSpace space{.bytes = 256 << 20, .free_bytes = 20 << 20, .reclaimable_bytes = 0};
  std::uint64_t without = space_without_pressure(space), under = space_under_pressure(space);
  space.low_bytes = 10 << 20;
  space.high_bytes = 12 << 20;
  EXPECT_EQ(space_without_pressure(space), without - (10 << 20));
  EXPECT_EQ(space_under_pressure(space), under - (12 << 20));
}

TEST(node_memory, an_unknown_node_has_space_for_all) {
  EXPECT_EQ(space_without_pressure({}), ~std::uint64_t{0});
  EXPECT_EQ(space_under_pressure({}), ~std::uint64_t{0});
}

TEST(node_memory, only_strict_memory_may_push_file_pages_out) {
  NodeSpace space{.bytes = 1 << 30, .free_bytes = 100 << 20, .reclaimable_bytes = 500 << 20};
  EXPECT_LT(space_without_pressure(space), std::uint64_t{100} << 20);
  EXPECT_GT(space_under_pressure(space), std::uint64_t{300} << 20);
  space.free_bytes = 0;
  EXPECT_EQ(space_without_pressure(space), 0u);
}

TEST(node_memory, a_node_that_is_not_there_has_unknown_space) {
  EXPECT_EQ(node_space(63).bytes, 0u);
}

TEST(node_memory, numa_maps_lines_count_by_node_and_page_size) {
  NodeBytes counts;
  count_numa_line("7f00 default anon=3 dirty=3 N0=2 N3=1 kernelpagesize_kB=4\n", "/memfd:x",
                  &counts);
  count_numa_line("7f00 bind:1 huge anon=2 N1=2 kernelpagesize_kB=2048\n", "/memfd:x", &counts);
  count_numa_line("7f00 default file=/memfd:x\\040(deleted) N0=9 kernelpagesize_kB=4\n", "/memfd:x",
                  &counts);
  count_numa_line("7f00 default file=/lib/N7=x.so mapped=1 N0=1 kernelpagesize_kB=4\n", "/memfd:x",
                  &counts);
  EXPECT_EQ(counts.on[0], 3u * 4096);
  EXPECT_EQ(counts.on[3], 4096u);
  EXPECT_EQ(counts.on[1], 4u << 20);
  EXPECT_EQ(counts.total(), counts.on[0] + counts.on[1] + counts.on[3]);
  count_numa_line("7f00 default anon=1 N64=5 kernelpagesize_kB=4\n", "/memfd:x", &counts);
  EXPECT_EQ(counts.elsewhere, 5u * 4096);
}

TEST(node_memory, sums_are_of_all_nodes_and_of_what_lies_elsewhere) {
  NodeBytes sum, more;
  sum.on[1] = 10;
  sum.elsewhere = 3;
  more.on[1] = 5;
  more.on[63] = 2;
  more.elsewhere = 1;
  sum.add(more);
  EXPECT_EQ(sum.on[1], 15u);
  EXPECT_EQ(sum.elsewhere, 4u);
  EXPECT_EQ(sum.total(), 21u);
}

TEST(node_memory, pages_are_counted_that_there_are_however_many_there_could_be) {
  constexpr std::uint64_t bytes = 1500 * page_bytes;
  auto* memory = static_cast<char*>(make_private_memory(bytes, page_bytes));
  ASSERT_TRUE(memory);
  for (std::uint64_t page : {0, 511, 512, 1200, 1499}) memory[page * page_bytes] = 1;
  NodeBytes counts;
  bool told = count_pages(memory, bytes, &counts);
  unmap_memory(memory, bytes);
  if (!told) GTEST_SKIP() << "move_pages is refused here";
  EXPECT_EQ(counts.total(), 5 * page_bytes);
}

TEST(node_memory, address_space_is_no_memory_of_the_process) {
  constexpr std::uint64_t bytes = std::uint64_t{64} << 30;
  void* space =
      ::mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (space == MAP_FAILED) GTEST_SKIP() << "address space is limited here";
  EXPECT_GT(process_peak_bytes(), std::uint64_t{1} << 20);
  EXPECT_LT(process_peak_bytes(), bytes);
  ::munmap(space, bytes);
}

TEST(node_memory, pages_of_a_file_are_counted_whoever_wrote_them) {
  SharedFile file;
  std::memset(file.one + 5 * page_bytes, 1, 3 * page_bytes);
  std::memset(file.one + (1 << 20), 1, page_bytes);
  NodeBytes counts;
  if (!count_file_pages(file.descriptor, 0, file.other, SharedFile::bytes, &counts))
    GTEST_SKIP() << "move_pages is refused here";
  EXPECT_EQ(counts.total(), 4 * page_bytes);
  NodeBytes part;
  ASSERT_TRUE(count_file_pages(file.descriptor, 6 * page_bytes, file.other + 6 * page_bytes,
                               page_bytes, &part));
  EXPECT_EQ(part.total(), page_bytes);
  NodeBytes none;  // there are some only behind it
  EXPECT_TRUE(count_file_pages(file.descriptor, 0, file.other, page_bytes, &none));
  EXPECT_EQ(none.total(), 0u);
}

TEST(memory_policy, a_policy_on_shared_memory_holds_for_who_reserves_it_later) {
  int node = first_allowed();
  if (node < 0) GTEST_SKIP() << "no memory policies here";
  SharedFile file;
  ASSERT_TRUE(bind_memory(file.one, 1 << 20, {MemoryMode::bind, node_bit(node)}));
  // Once nobody maps it any more, as the launcher's slices.
  unmap_memory(file.one, SharedFile::bytes);
  file.one = static_cast<char*>(map_memory_file(file.descriptor, SharedFile::bytes));
  EXPECT_EQ(policy_nodes(file.one), node_bit(node));
  EXPECT_EQ(policy_nodes(file.other), node_bit(node));
  EXPECT_EQ(policy_nodes(file.other + (2 << 20)), 0u);
}

TEST(memory_policy, a_policy_is_forgotten_through_the_mapping_that_set_it) {
  int node = first_allowed();
  if (node < 0) GTEST_SKIP() << "no memory policies here";
  SharedFile file;
  ASSERT_TRUE(bind_memory(file.one, 1 << 20, {MemoryMode::bind, node_bit(node)}));
  ASSERT_TRUE(bind_memory(file.one, 1 << 20, {}));
  EXPECT_EQ(policy_nodes(file.other), 0u);
}

TEST(memory_policy, modes_that_an_old_kernel_lacks_get_the_next_best) {
  int node = first_allowed();
  if (node < 0) GTEST_SKIP() << "no memory policies here";
  SharedFile file;
  for (auto [mode, kernels] : {std::pair{MemoryMode::prefer, MPOL_PREFERRED},
                               {MemoryMode::bind, MPOL_BIND},
                               {MemoryMode::interleave, MPOL_INTERLEAVE}}) {
    EXPECT_TRUE(bind_memory(file.one, 1 << 20, {mode, node_bit(node)}));
    EXPECT_EQ(kernel_mode(file.one), kernels);
  }
  EXPECT_TRUE(bind_memory(file.one, 1 << 20, {MemoryMode::weighted, node_bit(node)}));
  constexpr int weighted = 6;  // MPOL_WEIGHTED_INTERLEAVE, Linux 6.9
  EXPECT_TRUE(kernel_mode(file.one) == weighted || kernel_mode(file.one) == MPOL_INTERLEAVE);
  EXPECT_TRUE(bind_memory(file.one, 1 << 20, {MemoryMode::local, 0}));
}

TEST(memory_policy, of_a_process_it_holds_for_the_thread_that_sets_it) {
  int node = first_allowed();
  if (node < 0) GTEST_SKIP() << "no memory policies here";
  std::thread([node] {
    ASSERT_TRUE(bind_process({MemoryMode::bind, node_bit(node)}));
    EXPECT_EQ(kernel_mode(nullptr), MPOL_BIND);
    ASSERT_TRUE(bind_process({}));
    EXPECT_EQ(kernel_mode(nullptr), MPOL_DEFAULT);
  }).join();
}

TEST(memory_policy, a_node_that_is_not_there_is_refused) {
  if (first_allowed() < 0 || (allowed_nodes() & node_bit(63))) GTEST_SKIP();
  SharedFile file;
  EXPECT_FALSE(bind_memory(file.one, 1 << 20, {MemoryMode::bind, node_bit(63)}));
}
