#include "machine/quota.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "machine/machine.hpp"

using namespace baton::machine;

namespace {

// A folder that looks like / to the reader; gone at the end.
struct FakeRoot {
  std::string path;
  FakeRoot() {
    char pattern[] = "/tmp/quota_test.XXXXXX";
    path = ::mkdtemp(pattern);
  }
  ~FakeRoot() { std::filesystem::remove_all(path); }
  void write(const std::string& name, const std::string& text) const {
    std::filesystem::path file = path + name;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }
};

}  // namespace

TEST(quota, cpu_max_is_read) {
  EXPECT_DOUBLE_EQ(quota_from_cpu_max("150000 100000\n"), 1.5);
  EXPECT_DOUBLE_EQ(quota_from_cpu_max("max 100000\n"), 0);
  EXPECT_DOUBLE_EQ(quota_from_cpu_max(""), 0);
}

TEST(quota, version_1_says_unlimited_with_minus_one) {
  EXPECT_DOUBLE_EQ(quota_from_cfs("-1\n", "100000\n"), 0);
  EXPECT_DOUBLE_EQ(quota_from_cfs("200000\n", "100000\n"), 2);
}

TEST(quota, the_tightest_group_on_the_way_up_counts) {
  FakeRoot root;
  root.write("/proc/self/cgroup", "0::/a/b\n");
  root.write("/sys/fs/cgroup/a/cpu.max", "300000 100000\n");
  root.write("/sys/fs/cgroup/a/b/cpu.max", "max 100000\n");
  EXPECT_DOUBLE_EQ(read_quota_cpus(root.path), 3);
  root.write("/sys/fs/cgroup/cpu.max", "50000 100000\n");
  EXPECT_DOUBLE_EQ(read_quota_cpus(root.path), 0.5);
}

TEST(quota, version_1_mounts_are_found) {
  FakeRoot root;
  root.write("/proc/self/cgroup", "4:memory:/m\n3:cpu,cpuacct:/c\n");
  root.write("/sys/fs/cgroup/cpu,cpuacct/c/cpu.cfs_quota_us", "400000\n");
  root.write("/sys/fs/cgroup/cpu,cpuacct/c/cpu.cfs_period_us", "100000\n");
  EXPECT_DOUBLE_EQ(read_quota_cpus(root.path), 4);
}

TEST(quota, no_groups_means_no_limit) {
  EXPECT_DOUBLE_EQ(read_quota_cpus("/no/such/root"), 0);
}

TEST(quota, at_least_one_cpu_is_usable) {
  Machine machine;
  machine.cpus.resize(4);
  machine.quota_cpus = 0.5;
  EXPECT_EQ(cpus_usable(machine), 1);
  machine.quota_cpus = 2.5;
  EXPECT_EQ(cpus_usable(machine), 2);
  machine.quota_cpus = 0;
  EXPECT_EQ(cpus_usable(machine), 4);
}

TEST(machine, cpu_lists_join_neighbours) {
  EXPECT_EQ(cpu_list({3, 1, 0, 2, 8}), "0-3,8");
  EXPECT_EQ(cpu_list({}), "");
}

TEST(memory_limit, both_versions_are_read_and_the_tightest_counts) {
  FakeRoot root;
  root.write("/proc/self/cgroup", "4:memory:/m\n3:cpu:/c\n0::/a\n");
  EXPECT_EQ(read_memory_limit_bytes(root.path), 0u);
  root.write("/sys/fs/cgroup/memory/m/memory.limit_in_bytes", "9223372036854771712\n");
  root.write("/sys/fs/cgroup/a/memory.max", "max\n");
  EXPECT_EQ(read_memory_limit_bytes(root.path), 0u);
  root.write("/sys/fs/cgroup/a/memory.max", "2147483648\n");
  EXPECT_EQ(read_memory_limit_bytes(root.path), 2147483648u);
  root.write("/sys/fs/cgroup/memory/memory.limit_in_bytes", "1073741824\n");
  EXPECT_EQ(read_memory_limit_bytes(root.path), 1073741824u);
}
