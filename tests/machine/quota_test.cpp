#include "machine/quota.hpp"

#include <gtest/gtest.h>

#include "fake_root.hpp"
#include "machine/machine.hpp"

using namespace baton::machine;

namespace {

// A group of version 1 with so many CPUs.
void write_cfs(const FakeRoot& root, const std::string& group, int cpus) {
  root.write("/sys/fs/cgroup/" + group + "/cpu.cfs_quota_us", std::to_string(cpus) + "00000\n");
  root.write("/sys/fs/cgroup/" + group + "/cpu.cfs_period_us", "100000\n");
}

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

TEST(quota, of_version_1_only_the_controllers_own_hierarchy_counts) {
  FakeRoot root;
  root.write("/proc/self/cgroup", "4:memory:/m\n3:cpu:/c\n");
  write_cfs(root, "cpu/m", 1);
  write_cfs(root, "cpu/c", 7);
  EXPECT_DOUBLE_EQ(read_quota_cpus(root.path), 7);
}

TEST(quota, where_both_versions_are_mounted_the_second_is_found_too) {
  FakeRoot root;
  root.write("/proc/self/cgroup", "1:name=systemd:/s\n0::/g\n");
  root.write("/sys/fs/cgroup/unified/g/cpu.max", "200000 100000\n");
  root.write("/sys/fs/cgroup/unified/g/memory.max", "4096\n");
  EXPECT_DOUBLE_EQ(read_quota_cpus(root.path), 2);
  EXPECT_EQ(read_memory_limit_bytes(root.path), 4096u);
}

TEST(quota, version_1_mounts_are_found) {
  FakeRoot root;
  root.write("/proc/self/cgroup", "4:memory:/m\n3:cpu,cpuacct:/c\n");
  write_cfs(root, "cpu,cpuacct/c", 4);
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

TEST(machine, cpu_lists_join_neighbors) {
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

TEST(memory_kills, both_versions_and_the_machines_are_counted) {
  FakeRoot root;
  root.write("/proc/self/cgroup", "4:memory:/m\n0::/a\n");
  EXPECT_EQ(read_memory_kills(root.path).in_group, 0u);
  root.write("/sys/fs/cgroup/memory/m/memory.oom_control", "oom_kill_disable 0\noom_kill 2\n");
  EXPECT_EQ(read_memory_kills(root.path).in_group, 2u);
  root.write("/sys/fs/cgroup/a/memory.events", "oom 9\noom_kill 3\noom_group_kill 8\n");
  root.write("/proc/vmstat", "oom_kill 7\n");
  EXPECT_EQ(read_memory_kills(root.path).in_group, 3u);
  EXPECT_EQ(read_memory_kills(root.path).on_machine, 7u);
}
