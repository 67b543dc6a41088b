// What the user asked of mpiexec: the command line as plain data. Parsed once, before anything
// starts.
#pragma once

#include <expected>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "machine/cores.hpp"
#include "machine/machine.hpp"

namespace baton::launch {

using Variables = std::vector<std::pair<std::string, std::string>>;

// One program of the job; several are separated by ':'.
struct Program {
  int ranks = 0;  // 0: not said
  Variables variables;
  std::string folder;  // -wdir; empty: the launcher's
  std::vector<std::string> arguments;
};

// --layout: ranks times threads.
struct Layout {
  int ranks = 0;  // without the master
  int threads = 1;
  bool master = false;  // one rank more, rank 0, with one thread

  int all_ranks() const { return ranks + master; }
};

struct Options {
  std::vector<Program> programs;
  Variables variables;  // -genv
  machine::Level map_by = machine::Level::core;
  std::optional<machine::Level> bind_to;
  int width = 0;  // --map-by LEVEL:pe=N; 0: from OMP_NUM_THREADS
  machine::CoreChoice cores;
  std::optional<Layout> layout;
  std::string config;  // --config; empty: not said
  double timeout_seconds = 0;
  bool prefix_output = false;
  bool report_binding = false;
  std::string binding_file;  // --report-binding=FILE: the drawing as SVG; empty: none
  bool dry_run = false;
  bool explain = false;       // to standard error at the end: as text,
  bool explain_json = false;  // or as JSON
  std::string explain_file;   // JSON into this file; empty: none
  bool check = false;         // collective calls are compared
  std::string memory;         // --memory; empty: not said
  bool memory_report = false;
  bool export_heap = false;  // the programs' own malloc in the exported heap:
  std::string preload;       // by this file, once it is found
  std::string profile;       // --profile; empty: not said
  bool help = false;
  bool version = false;

  bool explains() const { return explain || !explain_file.empty(); }
};

// The error text names the argument and the remedy.
std::expected<Options, std::string> parse_options(const std::vector<std::string>& arguments);

// What `mpiexec --help` prints.
const char* usage();

}  // namespace baton::launch
