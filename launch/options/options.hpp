// The options are the command line of mpiexec as plain data. It is parsed once, before anything
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

// This says which variables of the launcher's environment ranks get.
struct Inheritance {
  bool all = true;
  std::vector<std::string> names;  // if not all: these
};

// This is one program of the job; several are separated by ':'.
struct Program {
  int ranks = 0;                // 0: not said
  std::vector<int> acceptable;  // -soft: numbers of ranks; any number where empty
  Variables variables;
  std::optional<Inheritance> inherits;  // nothing: as for all programs
  std::string folder;                   // -wdir; empty: the launcher's
  std::string search_path;              // -path; empty: PATH
  std::vector<std::string> arguments;
};

// This is --layout: ranks times threads.
struct Layout {
  int ranks = 0;  // without the master rank
  int threads = 1;
  bool master = false;  // one more rank, rank 0, with one thread

  int all_ranks() const { return ranks + master; }
};

// This says how the output of ranks leaves, other than by their writing to the launcher's own.
struct OutputForm {
  std::string prefix;  // before every line; %r is the rank; empty: none
  bool timestamp = false;
  bool merged = false;  // standard error goes where standard output goes
  std::string folder;   // with a file for each rank and stream; empty: none
  bool copied = true;   // the contents of such a file go to the launcher's output, too
  std::string output_file, error_file;  // patterns of files to be written instead; empty: none

  bool relayed() const { return !prefix.empty() || timestamp || !folder.empty(); }
};

// --stdin names a rank, or has one of these values.
inline constexpr int every_rank = -1, no_rank = -2;

// This is a host that was named. With 0 slots it is not known how many ranks it takes.
struct Host {
  std::string name;
  int slots = 0;
  bool elsewhere = false;  // it is another node
};

// This is --on-node: the part of this mpiexec in a job over several nodes (hosts/node_job.hpp).
struct NodeJob {
  std::vector<int> counts;  // ranks by node; empty: the job has this node alone
  int node = 0;             // this node's index
  std::string host;         // this node's name

  bool spans_nodes() const { return !counts.empty(); }
  // Returns the first rank of this node.
  int first_rank() const { return std::accumulate(counts.begin(), counts.begin() + node, 0); }
  int ranks() const { return counts[static_cast<std::size_t>(node)]; }
  int all_ranks() const { return std::accumulate(counts.begin(), counts.end(), 0); }
};

// --help prints one of these.
enum class HelpForm { none, text, man, markdown, variables, bash, zsh, fish };

struct Options {
  std::vector<Program> programs;
  Variables variables;  // -genv
  Inheritance inherits;
  std::vector<std::string> warnings;  // words that were read and have no effect
  machine::Level map_by = machine::Level::core;
  bool by_device = false;  // --map-by gpu
  std::optional<machine::Level> bind_to;
  int width = 0;                                // --map-by LEVEL:pe=N; 0: from OMP_NUM_THREADS
  int per_object = 0;                           // --map-by ppr:N:OBJECT; 0: not said
  std::vector<Host> hosts;                      // hosts that were named
  std::vector<std::vector<std::string>> given;  // the options with their values, as spelt
  std::string on_node;                          // --on-node; empty: not given
  std::string spawned_by;                       // --spawned: the parents' port; empty: not given
  int spawned_number = 0;                       // of a job that was spawned: this process's id
  NodeJob node_job;                             // --on-node, parsed
  int universe = 0;            // -usize: processes that the program may use; 0: not given
  int slots = 0;               // of the named hosts: ranks where nobody gives a number
  int per_node = 0;            // -ppn, -N; 0: not given
  bool per_node_most = false;  // more ranks are an error
  machine::Ranking ranking;
  bool hwthreads = false;      // ranks are placed on hardware threads
  bool may_share = false;      // bound ranks may share CPUs
  bool may_not_share = false;  // more ranks than CPUs are an error
  machine::CoreChoice cores;
  std::optional<Layout> layout;
  std::string config;  // --config; empty: not given
  double timeout_seconds = 0;
  double hang_after_seconds = 0;  // 0: hangs are not looked for
  bool hang_ends = false;         // a hang ends the job, with the code of a timeout
  bool continues = false;         // a rank that dies does not end the job
  bool dies_together = false;     // it does, whatever the ranks' settings say
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
  std::string stats_file;  // into this file, as JSON or, by its name, as an HTML page; empty: none
  std::string trace_file;  // a timeline of calls and messages; empty: none
  std::uint64_t trace_bytes = std::uint64_t{256} << 20;  // that the file may have
  bool check = false;                                    // collective calls are compared
  std::string memory;                                    // --memory; empty: not given
  bool memory_report = false;
  bool export_heap = false;    // the programs' own malloc uses the exported heap:
  std::string preload;         // preload this file for it, once it is found
  std::string library_folder;  // where ranks find Baton's library, once it is found
  std::string profile;         // --profile; empty: not given
  HelpForm help = HelpForm::none;
  bool version = false;

  bool explains() const { return explain || !explain_file.empty(); }
  bool has_stats() const { return stats || !stats_file.empty(); }
  bool is_timed() const { return has_stats() || !trace_file.empty(); }
};

}  // namespace baton::launch
