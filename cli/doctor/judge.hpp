// This judges what the facts that `baton doctor` finds out mean for jobs, and how to mend problems.
// It is pure: facts in, findings out, so that tests cover systems that nobody has at hand. Facts
// come from look.hpp.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/doctor/finding.hpp"
#include "machine/kernel.hpp"
#include "machine/machine.hpp"

namespace baton::cli::doctor {

// In all facts an error is an errno; 0: it works.
struct HugePages {
  machine::KernelRules kernel;
  bool files_have_them = false;  // memory files get them when asked: this was tried
  int collapse_error = 0;
};
std::vector<Finding> judge_huge_pages(const HugePages& facts);

struct Counters {
  int process_error = 0;  // of counting this process' cycles
  int machine_error = 0;  // of counting on a whole CPU, as memory controllers need
  int paranoid = 2;
};
Finding judge_counters(const Counters& facts);

// These files are examined, since packages of other MPI libraries have files of the same names.
struct InstalledFile {
  std::string path;  // empty: not there
  bool ours = false;
};
struct Installation {
  InstalledFile mpiexec, library;  // beside the tool
  InstalledFile first_on_path;     // the mpiexec that a shell finds
};
std::vector<Finding> judge_installation(const Installation& facts);

inline constexpr std::uint64_t unlimited = ~std::uint64_t{0};
struct Limits {
  std::uint64_t locked_bytes = unlimited;
  std::uint64_t address_bytes = unlimited;
  std::uint64_t open_files = unlimited;
  std::uint64_t core_bytes = unlimited;
  std::uint64_t pair_bytes = 0;  // memory that a job of 2 ranks maps
  std::uint64_t job_bytes = 0;   // memory that a job of 64 ranks maps
};
std::vector<Finding> judge_limits(const Limits& facts);

// Compares the control group's limit with the memory of the machine.
Finding judge_memory_limit(const machine::Machine& machine);

struct NumaCalls {
  int set_mempolicy_error = 0;
  int mbind_error = 0;
  int move_pages_error = 0;
};
Finding judge_numa_calls(const NumaCalls& facts, const machine::Machine& machine);

// These facts say how ranks reach memory of windows that is the program's own (MPI_Win_create,
// MPI_Win_attach).
struct PrivateWindows {
  int read_error = 0;            // of one rank's copy from another rank
  bool cma = true;               // BATON_CMA
  bool progress_thread = false;  // BATON_PROGRESS_THREAD
};
Finding judge_windows(const PrivateWindows& facts);

// Judges AutoNUMA, demotion, and the weights of interleaving.
std::vector<Finding> judge_page_moving(const machine::KernelRules& kernel,
                                       const machine::Machine& machine);

}  // namespace baton::cli::doctor
