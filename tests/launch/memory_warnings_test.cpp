// Which of a kernel's habits undo which plan, on captured machines and with invented kernels.
#include "launch/reports/memory_warnings.hpp"

#include <gtest/gtest.h>

#include "machine/discover.hpp"

using namespace baton;
using namespace baton::launch;

namespace {

// A job as mpiexec would plan it.
struct Job {
  machine::Machine machine;
  machine::Placement placement;
  MemoryPlan plan;

  Job(const char* name, const char* memory, machine::PlacementPolicy policy = {}) {
    machine = machine::read_captured_machine(std::string(MACHINES_FOLDER "/") + name + ".xml")
                  .value_or(machine::Machine{});
    placement = machine::place(machine, policy).value_or(machine::Placement{});
    EXPECT_FALSE(placement.ranks.empty());
    MemoryWordError error;
    if (*memory) {
      EXPECT_TRUE(parse_numa_policies(memory, &plan.policies, &error)) << error.text;
    }
    for (int rank = 0; rank < static_cast<int>(placement.ranks.size()); ++rank) {
      HomePlan home;
      home.home =
          machine::home_node(machine, placement.ranks[static_cast<std::size_t>(rank)], rank);
      home.ranks = {rank};
      auto planned = [&](const NumaPolicy& wanted) {
        return machine::plan_memory(machine, home.home, wanted).value_or(machine::PlannedMemory{});
      };
      home.queues = planned(plan.policies.queues);
      home.heap = planned(plan.policies.heap);
      home.all = planned(plan.policies.all);
      plan.homes.push_back(home);
    }
  }

  // All sentences, a line each.
  std::string warned(const machine::KernelRules& kernel, bool huge_granted = true) const {
    std::string text;
    for (const std::string& one : memory_warnings(plan, machine, placement, kernel, huge_granted))
      text += one + '\n';
    return text;
  }
};

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

const machine::KernelRules quiet{.huge_private = "madvise", .huge_shared = "never"};
const machine::KernelRules balancing{.balances = true};
const machine::KernelRules demoting{.demotes = true};
const machine::KernelRules always_huge{.huge_private = "always", .huge_shared = "always"};

}  // namespace

TEST(memory_warnings, a_quiet_kernel_undoes_nothing) {
  for (const char* memory :
       {"", "queues=hbm,heap=hbm", "all=interleave", "all=near", "heap=large!"})
    EXPECT_EQ(Job("xeon-max-flat", memory).warned(quiet), "") << memory;
}

TEST(memory_warnings, demotion_takes_what_lies_in_faster_memory_than_there_is) {
  const std::string text = Job("xeon-max-flat", "queues=hbm,heap=hbm!").warned(demoting);
  EXPECT_TRUE(has(text, "queues=hbm,heap=hbm!: when NUMA node 2-3 fills up")) << text;
  EXPECT_TRUE(has(text, "demotion_enabled is on; as root write false there")) << text;
  EXPECT_TRUE(has(Job("cxl", "all=near").warned(demoting), "all=near")) << "CXL is slower";
}

TEST(memory_warnings, demotion_takes_nothing_from_the_slowest_memory) {
  EXPECT_EQ(Job("xeon-max-flat", "queues=near").warned(demoting), "");
  EXPECT_EQ(Job("cxl", "heap=large").warned(demoting), "");
  EXPECT_EQ(Job("two-sockets", "all=near").warned(demoting), "");
  EXPECT_EQ(Job("laptop", "all=hbm").warned(demoting), "");
  EXPECT_EQ(Job("xeon-max-flat", "").warned(demoting), "") << "nothing was planned";
}

TEST(memory_warnings, balancing_moves_what_ranks_of_several_nodes_touch) {
  const Job wide("two-sockets", "", {.ranks = 1, .width = 8});
  const std::string text = wide.warned(balancing);
  EXPECT_TRUE(has(text, "what rank 0 first touches does not stay")) << text;
  EXPECT_TRUE(has(text, "--memory all=near or another")) << text;
  EXPECT_TRUE(
      has(Job("two-sockets", "heap=near", {.ranks = 1, .width = 8}).warned(balancing), "AutoNUMA"))
      << "the heap's policy says nothing of the rest";
}

TEST(memory_warnings, balancing_leaves_policies_and_ranks_of_one_node_alone) {
  for (const char* memory : {"all=near", "all=interleave", "all=node:0!", "all=remote"})
    EXPECT_EQ(Job("two-sockets", memory, {.ranks = 1, .width = 8}).warned(balancing), "") << memory;
  EXPECT_EQ(Job("two-sockets", "queues=near").warned(balancing), "");
  EXPECT_EQ(Job("two-sockets", "", {.ranks = 4, .width = 2}).warned(balancing), "");
  EXPECT_EQ(Job("knl-flat", "", {.ranks = 1, .width = 68}).warned(balancing), "")
      << "one node has CPUs";
  EXPECT_EQ(Job("two-sockets", "", {.ranks = 1, .width = 8, .bind_to = machine::Level::machine})
                .warned(balancing),
            "")
      << "not bound: nothing was planned";
}

TEST(memory_warnings, promotion_alone_undoes_nothing) {
  EXPECT_EQ(Job("cxl", "heap=large", {.ranks = 1, .width = 48}).warned({.promotes = true}), "");
}

TEST(memory_warnings, huge_pages_make_turns_coarse) {
  const std::string text = Job("two-sockets", "all=interleave").warned(always_huge);
  EXPECT_TRUE(has(text, "all=interleave: memory is interleaved in units of 2 MiB")) << text;
  EXPECT_TRUE(has(text, "transparent_hugepage/enabled is always; as root write madvise")) << text;
  const std::string queues = Job("two-sockets", "queues=interleave").warned(always_huge);
  EXPECT_TRUE(has(queues, "shmem_enabled is always; as root write advise")) << queues;
}

TEST(memory_warnings, turns_stay_fine_where_huge_pages_are_only_for_those_who_ask) {
  EXPECT_EQ(Job("two-sockets", "queues=interleave").warned({.huge_private = "always"}), "");
  EXPECT_EQ(Job("two-sockets", "all=near").warned(always_huge), "");
  EXPECT_EQ(Job("two-sockets", "all=node:1+0").warned(always_huge), "");
  EXPECT_EQ(Job("laptop", "all=interleave").warned(always_huge), "") << "there are no turns";
}

TEST(memory_warnings, huge_pages_that_nothing_grants_are_told_with_the_remedy) {
  const Job job("laptop", "heap=near,huge");
  const std::string text = job.warned(quiet, false);
  EXPECT_TRUE(has(text, "shmem_enabled is never; as root write advise")) << text;
  EXPECT_TRUE(has(job.warned({}, false), "CONFIG_TRANSPARENT_HUGEPAGE"));
  EXPECT_EQ(job.warned(quiet, true), "");
  EXPECT_EQ(Job("laptop", "heap=near").warned(quiet, false), "") << "nobody asked";
}
