#include "launch/run/threads.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "launch/options/environment.hpp"

namespace baton::launch {

namespace {

int threads_asked_for(const Options& options, const Program& program) {
  auto threads = find_variable(program_environment(options, program), "OMP_NUM_THREADS");
  return threads ? std::max(1, std::atoi(threads->c_str())) : 1;
}

bool says(const Variables& variables, std::string_view name) {
  return std::ranges::find(variables, name, &Variables::value_type::first) != variables.end();
}

}  // namespace

int rank_width(const Options& options) {
  if (options.layout) return options.layout->threads;
  if (options.width > 0) return options.width;
  int width = 1;
  for (const Program& program : options.programs)
    width = std::max(width, threads_asked_for(options, program));
  return width;
}

std::string places_text(const machine::Machine& machine, const machine::PlannedRank& rank) {
  std::string text;
  int last = -1;
  for (const machine::Cpu& cpu : machine.cpus) {
    if (!std::ranges::binary_search(rank.cpus, cpu.os)) continue;
    if (text.empty())
      text += '{';
    else
      text += cpu.core == last ? "," : "},{";
    text += std::to_string(cpu.os);
    last = cpu.core;
  }
  return text + '}';
}

void set_thread_variables(const ThreadPlan& plan, const Program& program, int rank,
                          std::vector<std::string>& environment) {
  if (!plan.options.layout) return;
  const machine::PlannedRank& planned = plan.placement.ranks[static_cast<std::size_t>(rank)];
  auto set = [&](const char* name, const std::string& value) {
    if (!says(plan.options.variables, name) && !says(program.variables, name))
      set_variable(environment, name, value);
  };
  set("OMP_NUM_THREADS", std::to_string(planned.threads));
  const bool bound = plan.placement.bound_to != machine::Level::machine;
  set("OMP_PROC_BIND", bound ? "close" : "false");
  if (bound) set("OMP_PLACES", places_text(plan.machine, planned));
}

std::vector<std::string> thread_warnings(const Options& options,
                                         const machine::Placement& placement) {
  std::vector<std::string> warnings;
  int rank = 0;
  for (const Program& program : options.programs) {
    const bool told =
        says(options.variables, "OMP_NUM_THREADS") || says(program.variables, "OMP_NUM_THREADS");
    const int first = rank;
    rank += program.ranks ? program.ranks : static_cast<int>(placement.ranks.size());
    const machine::PlannedRank& planned = placement.ranks[static_cast<std::size_t>(rank - 1)];
    const int threads =
        options.layout && !told ? planned.threads : threads_asked_for(options, program);
    const int ranks = rank - first, cpus = static_cast<int>(planned.cpus.size());
    long in_all = 0;  // summed, since a master has fewer
    for (int i = first; i < rank; ++i)
      in_all +=
          options.layout && !told ? placement.ranks[static_cast<std::size_t>(i)].threads : threads;
    const bool bound = placement.bound_to != machine::Level::machine;
    if (bound && threads > cpus)
      warnings.push_back(fmt::format(
          "{} threads of a rank (OMP_NUM_THREADS) share {} CPU{}; give each rank as many: "
          "--layout {}x{}",
          threads, cpus, cpus > 1 ? "s" : "", ranks, threads));
    if (!bound && threads > 1 && in_all > placement.cpus_usable)
      warnings.push_back(
          fmt::format("{} rank{} with {} threads in all share {} usable CPU{}; fewer ranks or "
                      "threads would be faster",
                      ranks, ranks > 1 ? "s" : "", in_all, placement.cpus_usable,
                      placement.cpus_usable > 1 ? "s" : ""));
  }
  return warnings;
}

}  // namespace baton::launch
