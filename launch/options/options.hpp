// What the user asked of mpiexec: the command line as plain data. Parsed once, before anything
// starts (command_line.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "machine/cores.hpp"
#include "machine/machine.hpp"
#include "machine/placement.hpp"

namespace baton::launch {

using Variables = std::vector<std::pair<std::string, std::string>>;

// Which variables of the launcher's environment ranks get.
struct Inheritance {
  bool all = true;
  std::vector<std::string> names;  // else these
};

// One program of the job; several are separated by ':'.
struct Program {
  int ranks = 0;                // 0: not said
  std::vector<int> acceptable;  // -soft: so many ranks, or any number where empty
  Variables variables;
  std::optional<Inheritance> inherits;  // else what holds for all programs
  std::string folder;                   // -wdir; empty: the launcher's
  std::string search_path;              // -path; empty: PATH
  std::vector<std::string> arguments;
};

// --layout: ranks times threads.
struct Layout {
  int ranks = 0;  // without the master
  int threads = 1;
  bool master = false;  // one rank more, rank 0, with one thread

  int all_ranks() const { return ranks + master; }
};

// How the output of ranks leaves, other than by their writing to the launcher's own.
struct OutputForm {
  std::string prefix;  // of every line; %r is the rank; empty: none
  bool timestamp = false;
  bool merged = false;  // standard error goes where standard output goes
  std::string folder;   // of a file for each rank and stream; empty: none
  bool copied = true;   // what goes into such a file is written to the launcher's, too
  std::string output_file, error_file;  // patterns of files to be written instead; empty: none

  bool relayed() const { return !prefix.empty() || timestamp || !folder.empty(); }
};

// --stdin: a rank, or one of these.
inline constexpr int every_rank = -1, no_rank = -2;

// A host that was named; 0 slots: it is not said how many ranks it takes.
struct Host {
  std::string name;
  int slots = 0;
  bool elsewhere = false;  // it is not this node
};

// --on-node: the part of this mpiexec in a job over several nodes (hosts/node_job.hpp).
struct NodeJob {
  std::vector<int> counts;  // ranks by node; empty: a job of this node alone
  int node = 0;             // this one
  std::string host;         // its name

  bool spans_nodes() const { return !counts.empty(); }
  // Of this node.
  int first_rank() const { return std::accumulate(counts.begin(), counts.begin() + node, 0); }
  int ranks() const { return counts[static_cast<std::size_t>(node)]; }
  int all_ranks() const { return std::accumulate(counts.begin(), counts.end(), 0); }
};

// What --help prints.
enum class HelpForm { none, text, man, markdown, variables, bash, zsh, fish };

struct Options {
  std::vector<Program> programs;
  Variables variables;  // -genv
  Inheritance inherits;
  std::vector<std::string> warnings;  // what was read and has no effect
  machine::Level map_by = machine::Level::core;
  std::optional<machine::Level> bind_to;
  int width = 0;                                // --map-by LEVEL:pe=N; 0: from OMP_NUM_THREADS
  int per_object = 0;                           // --map-by ppr:N:OBJECT; 0: not said
  std::vector<Host> hosts;                      // that were named
  std::vector<std::vector<std::string>> given;  // the options, as they stood, with their values
  std::string on_node;                          // --on-node; empty: not said
  NodeJob node_job;                             // what it says
  int slots = 0;               // that hosts were given: ranks where nobody says how many
  int per_node = 0;            // -ppn, -N; 0: not said
  bool per_node_most = false;  // and more is an error
  machine::Ranking ranking;
  bool hwthreads = false;      // hardware threads are what ranks are placed on
  bool may_share = false;      // bound ranks may share CPUs
  bool may_not_share = false;  // more ranks than CPUs are an error
  machine::CoreChoice cores;
  std::optional<Layout> layout;
  std::string config;  // --config; empty: not said
  double timeout_seconds = 0;
  double hang_after_seconds = 0;  // 0: nobody looks
  bool hang_ends = false;         // the job, with the code of a timeout
  OutputForm output;
  int input = 0;  // the rank that gets standard input
  bool all_exit_codes = false;
  bool report_binding = false;
  std::string binding_file;  // --report-binding=FILE: the drawing as SVG; empty: none
  bool dry_run = false;
  bool explain = false;       // to standard error at the end: as text,
  bool explain_json = false;  // or as JSON
  std::string explain_file;   // JSON into this file; empty: none
  bool stats = false;         // where time went, to standard error at the end: as text,
  bool stats_json = false;    // or as JSON
  std::string stats_file;     // into this file, as JSON or, by its name, as a page; empty: none
  std::string trace_file;     // a timeline of calls and messages; empty: none
  std::uint64_t trace_bytes = std::uint64_t{256} << 20;  // that it may have
  bool check = false;                                    // collective calls are compared
  std::string memory;                                    // --memory; empty: not said
  bool memory_report = false;
  bool export_heap = false;    // the programs' own malloc in the exported heap:
  std::string preload;         // by this file, once it is found
  std::string library_folder;  // by which ranks find Baton's library, once it is found
  std::string profile;         // --profile; empty: not said
  HelpForm help = HelpForm::none;
  bool version = false;

  bool explains() const { return explain || !explain_file.empty(); }
  bool has_stats() const { return stats || !stats_file.empty(); }
  bool is_timed() const { return has_stats() || !trace_file.empty(); }
};

}  // namespace baton::launch
