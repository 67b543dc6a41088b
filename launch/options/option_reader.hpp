// This reads the options' values: it walks over the arguments and keeps the first error, and has
// one reader for each row of option_table.cpp.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "launch/options/options.hpp"

namespace baton::launch {

struct Reader {
  std::vector<std::string> arguments;
  Options options = {};
  std::size_t next = 0;
  std::string error = {};
  std::string option = {};                   // the option being read, as it is spelt
  std::optional<std::string> attached = {};  // VALUE of --option=VALUE
  Program program = {};                      // the program being read
  std::string ignored = {};                  // options without effect, as spelt
  bool allocation_read = false;              // hosts or a host file have been named
  std::string between_programs = ":";        // the word between two programs

  bool more() const { return next < arguments.size() && error.empty(); }
  std::string take(const char* what);
  // Takes the part of "VALUE" that the option needs; an empty value is an error.
  std::string take_some(const char* what);
  long number(const char* what, long minimum, long maximum);
  // Keeps the error OPTION + `problem`, if it is the first.
  void fail(const std::string& problem);
};

// These read the ranks and what they start with (read_ranks.cpp).
void read_ranks(Reader& reader);
void read_soft(Reader& reader);
void read_universe(Reader& reader);
void read_arch(Reader& reader);
void read_path(Reader& reader);
void read_folder(Reader& reader);
void read_handler(Reader& reader);
void read_env(Reader& reader);
void read_genv(Reader& reader);
void read_export(Reader& reader);
void read_env_all(Reader& reader);
void read_env_none(Reader& reader);
void read_env_list(Reader& reader);
void read_genv_all(Reader& reader);
void read_genv_none(Reader& reader);
void read_genv_list(Reader& reader);
void read_input(Reader& reader);

// These read hosts and files of arguments (read_hosts.cpp).
void read_hosts(Reader& reader);
void read_host_file(Reader& reader);
void read_arguments(Reader& reader);
void read_on_node(Reader& reader);
void read_spawned(Reader& reader);

// These read where ranks and memory go (read_place.cpp).
void read_per_node(Reader& reader);
void read_most_per_node(Reader& reader);
void read_one_per_node(Reader& reader);
void read_per_package(Reader& reader);
void read_map_by(Reader& reader);
void read_rank_by(Reader& reader);
void read_bind_to(Reader& reader);
void read_cores(Reader& reader);
void read_cpu_set(Reader& reader);
void read_hwthreads(Reader& reader);
void read_oversubscribe(Reader& reader);
void read_no_oversubscribe(Reader& reader);
void read_config(Reader& reader);
void read_layout(Reader& reader);
void read_memory(Reader& reader);
void read_export_heap(Reader& reader);
// Returns which options of placement contradict each other; empty: none.
std::string place_conflict(const Options& options, long ranks);

// These read output and reports (read_output.cpp).
void read_prefix(Reader& reader);
void read_prefix_pattern(Reader& reader);
void read_timestamp(Reader& reader);
void read_merged(Reader& reader);
void read_output_words(Reader& reader);
void read_output_folder(Reader& reader);
void read_output_pattern(Reader& reader);
void read_error_pattern(Reader& reader);
void read_exit_codes(Reader& reader);
void read_report_binding(Reader& reader);
void read_display(Reader& reader);
void read_display_map(Reader& reader);
void read_memory_report(Reader& reader);
void read_dry_run(Reader& reader);
void read_explain(Reader& reader);
void read_explain_file(Reader& reader);
void read_stats(Reader& reader);
void read_stats_file(Reader& reader);
void read_trace(Reader& reader);
void read_trace_bytes(Reader& reader);
void read_profile_name(Reader& reader);
void read_check(Reader& reader);
void read_timeout(Reader& reader);
void read_hang_after(Reader& reader);
void read_continue(Reader& reader);
void read_fault_tolerance(Reader& reader);
void read_help(Reader& reader);
void read_version(Reader& reader);
// Returns which options of output contradict each other; empty: none.
std::string output_conflict(const OutputForm& output);

// These read options of other launchers: without effect, or with another name here
// (foreign_options.cpp).
void read_ignored(Reader& reader);
void read_elsewhere(Reader& reader);
void read_nothing(Reader& reader);

}  // namespace baton::launch
