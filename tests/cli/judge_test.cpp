// What `baton doctor` makes of systems that nobody here has.
#include "cli/doctor/judge.hpp"

#include <gtest/gtest.h>

#include <cerrno>

#include "machine/discover.hpp"

using namespace baton::cli::doctor;
using baton::machine::KernelRules;
using baton::machine::Machine;

namespace {

Machine captured(const std::string& name) {
  return baton::machine::read_captured_machine(MACHINES_FOLDER "/" + name + ".xml")
      .value_or(Machine{});
}

void expect(const Finding& finding, Verdict verdict, const std::string& part) {
  const std::string all = finding.text + "; " + finding.remedy;
  EXPECT_EQ(finding.verdict, verdict) << finding.subject << ": " << all;
  EXPECT_NE(all.find(part), std::string::npos) << finding.subject << ": " << all;
  EXPECT_EQ(finding.remedy.empty(), verdict == Verdict::good)
      << "what is not good has a remedy, what is needs none: " << finding.subject;
}

using enum Verdict;

}  // namespace

TEST(doctor, huge_pages_are_judged_by_who_gets_them) {
  const auto none = judge_huge_pages({{}, false, EINVAL});
  expect(none.at(0), note, "CONFIG_TRANSPARENT_HUGEPAGE");
  expect(none.at(1), note, "CONFIG_TRANSPARENT_HUGEPAGE");
  expect(none.at(2), note, "Linux 6.1");
  expect(none.at(3), good, "nothing set aside");
  KernelRules kernel{.huge_private = "never", .huge_shared = "deny", .huge_pool = 8};
  const auto denied = judge_huge_pages({kernel, false, ENOMEM});
  expect(denied.at(0), note, "write madvise there");
  expect(denied.at(1), note, "shmem_enabled is deny; as root write advise there");
  expect(denied.at(2), note, "compact_memory");
  expect(denied.at(3), note, "8 huge pages are set aside");
  kernel = {.huge_private = "always", .huge_shared = "never"};
  const auto granted = judge_huge_pages({kernel, true, 0});
  expect(granted.at(0), good, "unasked");
  expect(granted.at(1), good, "shmem_enabled is never");
  expect(granted.at(2), good, "merged");
}

TEST(doctor, counters_are_judged_by_what_was_refused_and_why) {
  expect(judge_counters({0, 0, 0}), good, "whole machine");
  expect(judge_counters({0, EACCES, 2}), note, "perf_event_paranoid=0");
  expect(judge_counters({EACCES, EACCES, 3}), note, "perf_event_paranoid=2 (it is 3)");
  expect(judge_counters({EPERM, EPERM, 2}), note, "--cap-add PERFMON");
  expect(judge_counters({ENOENT, 0, 2}), note, "PMU");
}

TEST(doctor, windows_are_judged_by_who_has_to_help) {
  expect(judge_windows({0, true, false}), good, "without help of the target");
  expect(judge_windows({EPERM, true, false}), slower,
         "(process_vm_readv: Operation not permitted): a target carries them out only while it is "
         "in MPI; use MPI_Win_allocate");
  expect(judge_windows({0, false, false}), slower, "BATON_PROGRESS_THREAD=1");
  expect(judge_windows({0, false, true}), slower,
         "(BATON_CMA=0): a target carries them out in its");
}

TEST(doctor, limits_are_judged_by_what_64_ranks_need) {
  Limits limits{.job_bytes = 1 << 30};
  for (const Finding& finding : judge_limits(limits)) expect(finding, good, "");
  limits = {.locked_bytes = 65536,
            .address_bytes = 1 << 20,
            .open_files = 64,
            .core_bytes = 0,
            .job_bytes = 1 << 30};
  const auto small = judge_limits(limits);
  expect(small.at(0), slower, "ulimit -v allows 1 MiB, a job of 64 ranks maps 1024 MiB");
  limits.pair_bytes = 2 << 20;
  expect(judge_limits(limits).at(0), bad, "ulimit -v unlimited");
  expect(small.at(1), good, "64 KiB");
  expect(small.at(2), slower, "ulimit -n is 64");
  expect(small.at(3), note, "ulimit -c unlimited");
}

TEST(doctor, a_groups_memory_limit_counts_where_it_is_less_than_there_is) {
  Machine machine = captured("laptop");
  expect(judge_memory_limit(machine), good, "none");
  machine.memory_limit_bytes = 64ull << 30;
  expect(judge_memory_limit(machine), good, "none");
  machine.memory_limit_bytes = 2ull << 30;
  expect(judge_memory_limit(machine), note, "grants 2048 MiB of 16384 MiB");
}

TEST(doctor, refused_calls_matter_where_there_are_several_nodes) {
  expect(judge_numa_calls({}, captured("two-sockets")), good, "work");
  expect(judge_numa_calls({.mbind_error = EPERM}, captured("two-sockets")), slower,
         "--cap-add SYS_NICE");
  expect(judge_numa_calls({.move_pages_error = EPERM}, captured("laptop")), note, "one NUMA node");
  expect(judge_numa_calls({.set_mempolicy_error = ENOSYS}, captured("laptop")), note,
         "CONFIG_NUMA");
}

TEST(doctor, what_moves_pages_is_told_where_there_is_somewhere_to_move_them) {
  const KernelRules busy{.balances = true, .demotes = true};
  for (const Finding& finding : judge_page_moving(busy, captured("laptop")))
    expect(finding, good, "");
  for (const Finding& finding : judge_page_moving({}, captured("two-sockets")))
    expect(finding, good, "");
  const auto sockets = judge_page_moving(busy, captured("two-sockets"));
  expect(sockets.at(0), note, "numa_balancing=0");
  expect(sockets.at(1), good, "one tier");
  const auto max = judge_page_moving(busy, captured("xeon-max-flat"));
  expect(max.at(1), note, "demotion_enabled");
  expect(max.at(2), note, "Linux 6.9");
  expect(judge_page_moving(busy, captured("knl-flat")).at(0), good, "one NUMA node that has CPUs");
}

TEST(doctor, weights_are_told_and_missed_where_tiers_differ) {
  Machine machine = captured("xeon-max-flat");
  for (auto& node : machine.memory) node.weight = 1;
  expect(judge_page_moving({}, machine).at(2), note, "the same weight");
  machine.memory[2].weight = machine.memory[3].weight = 5;
  expect(judge_page_moving({}, machine).at(2), good, "weighted: node 0 1, node 1 1, node 2 5");
}

TEST(doctor, files_of_another_mpi_in_our_places_are_noticed) {
  const InstalledFile ours{"/x/bin/mpiexec", true}, theirs{"/x/bin/mpiexec", false};
  const InstalledFile library{"/x/lib/libmpi_abi.so.1", true};
  const auto good = judge_installation({ours, library, ours});
  ASSERT_EQ(good.size(), 2u);
  for (const Finding& finding : good) expect(finding, Verdict::good, "/x/");
  const auto over = judge_installation({theirs, {"/x/lib/libmpi_abi.so.1", false}, theirs});
  ASSERT_EQ(over.size(), 2u);
  expect(over[0], bad, "/x/bin/mpiexec is another MPI's");
  expect(over[1], bad, "uninstall the other");
  expect(judge_installation({ours, {}, ours}).at(1), bad, "no libmpi_abi.so.1");
  expect(judge_installation({ours, library, {"/usr/bin/mpiexec", false}}).at(2), note,
         "put its folder first");
}
