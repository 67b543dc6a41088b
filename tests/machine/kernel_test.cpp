#include "machine/kernel.hpp"

#include <gtest/gtest.h>

#include "fake_root.hpp"

using namespace baton::machine;

TEST(kernel, what_is_not_there_is_off) {
  const KernelRules rules = read_kernel_rules("/no/such/root");
  EXPECT_FALSE(rules.balances || rules.promotes || rules.demotes);
  EXPECT_EQ(rules.huge_private + rules.huge_shared, "");
  EXPECT_EQ(rules.huge_pool, 0);
}

TEST(kernel, moving_between_cpus_and_between_tiers_are_told_apart) {
  FakeRoot root;
  for (int value = 0; value < 4; ++value) {
    root.write("/proc/sys/kernel/numa_balancing", std::to_string(value) + "\n");
    const KernelRules rules = read_kernel_rules(root.path);
    EXPECT_EQ(rules.balances, value == 1 || value == 3) << value;
    EXPECT_EQ(rules.promotes, value >= 2) << value;
  }
  root.write("/sys/kernel/mm/numa/demotion_enabled", "true\n");
  EXPECT_TRUE(read_kernel_rules(root.path).demotes);
  root.write("/sys/kernel/mm/numa/demotion_enabled", "false\n");
  EXPECT_FALSE(read_kernel_rules(root.path).demotes);
}

TEST(kernel, of_huge_pages_the_word_in_brackets_holds) {
  FakeRoot root;
  root.write("/sys/kernel/mm/transparent_hugepage/enabled", "[always] madvise never\n");
  root.write("/sys/kernel/mm/transparent_hugepage/shmem_enabled",
             "always within_size [advise] never deny force\n");
  root.write("/proc/sys/vm/nr_hugepages", "12\n");
  const KernelRules rules = read_kernel_rules(root.path);
  EXPECT_EQ(rules.huge_private, "always");
  EXPECT_EQ(rules.huge_shared, "advise");
  EXPECT_EQ(rules.huge_pool, 12);
  EXPECT_FALSE(shares_huge_unasked(rules));
}
