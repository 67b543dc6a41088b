#include "launch/options.hpp"

#include <strings.h>

#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "lockfree/job.hpp"

namespace baton::launch {

namespace {

constexpr long threads_max = 4096;  // of a rank; beyond any machine's CPUs

// Walks the arguments; the first error sticks.
struct Reader {
  const std::vector<std::string>& arguments;
  std::size_t next = 0;
  std::string error;
  std::optional<std::string> attached;  // VALUE of --option=VALUE

  bool more() const { return next < arguments.size() && error.empty(); }
  std::string take(const std::string& option, const char* what) {
    if (attached) return *std::exchange(attached, std::nullopt);
    if (next < arguments.size()) return arguments[next++];
    if (error.empty()) error = option + " needs " + what;
    return {};
  }
  long number(const std::string& option, const char* what, long minimum, long maximum) {
    std::string text = take(option, what);
    char* end = nullptr;
    errno = 0;
    long value = std::strtol(text.c_str(), &end, 10);
    if (error.empty() && (text.empty() || *end || errno || value < minimum || value > maximum))
      error = option + " " + text + ": it takes " + what + " from " + std::to_string(minimum) +
              " to " + std::to_string(maximum);
    return value;
  }
};

std::optional<machine::Level> level_named(const std::string& name) {
  using machine::Level;
  static const std::pair<const char*, Level> names[] = {
      {"hwthread", Level::hwthread}, {"core", Level::core},
      {"slot", Level::core},         {"l2", Level::l2},
      {"l2cache", Level::l2},        {"l3", Level::l3},
      {"l3cache", Level::l3},        {"numa", Level::numa},
      {"package", Level::package},   {"socket", Level::package},
      {"board", Level::machine},     {"machine", Level::machine},
      {"node", Level::machine},      {"none", Level::machine},
  };
  for (const auto& [text, level] : names)
    if (name == text) return level;
  return std::nullopt;
}

void read_map_by(Reader& reader, const std::string& option, Options& options) {
  std::string text = reader.take(option, "hwthread, core, l2, l3, numa, package or node");
  std::size_t colon = text.find(':');
  std::string name = text.substr(0, colon);
  auto level = level_named(name);
  if (!level || name == "none") {
    if (reader.error.empty())
      reader.error = option + " " + text +
                     ": it takes hwthread, core, l2, l3, numa, package or "
                     "node, and may end in :pe=N for N CPUs a rank";
    return;
  }
  options.map_by = *level;
  if (colon == std::string::npos) return;
  std::string modifier = text.substr(colon + 1);
  char* end = nullptr;
  long width = modifier.size() > 3 ? std::strtol(modifier.c_str() + 3, &end, 10) : 0;
  if ((modifier.starts_with("pe=") || modifier.starts_with("PE=")) && width > 0 && !*end)
    options.width = static_cast<int>(width);
  else
    reader.error = option + " " + text + ": after the colon only pe=N is known";
}

void read_bind_to(Reader& reader, const std::string& option, Options& options) {
  std::string text = reader.take(option, "none, hwthread, core, l2, l3, numa or package");
  options.bind_to = level_named(text);
  if (!options.bind_to && reader.error.empty())
    reader.error = option + " " + text + ": it takes none, hwthread, core, l2, l3, numa or package";
}

void read_cores(Reader& reader, const std::string& option, Options& options) {
  const std::string text = reader.take(option, "which CPUs, as in package:0, spread:2 or 0-3");
  if (!reader.error.empty()) return;
  auto choice = machine::read_core_choice(text);
  if (choice)
    options.cores = *choice;
  else
    reader.error = option + ": " + choice.error();
}

// Its name is known to machine/configuration.hpp.
void read_config(Reader& reader, const std::string& option, Options& options) {
  options.config = reader.take(option, "local, interleave, spread, spread-interleave or remote");
  if (reader.error.empty() && options.config.empty()) reader.error = option + ": it is empty";
}

// RANKSxTHREADS or 1+RANKSxTHREADS; 0 ranks: it is neither.
Layout layout_of(const std::string& text) {
  const bool master = text.starts_with("1+");
  const char* at = text.c_str() + (master ? 2 : 0);
  char* end = nullptr;
  const long ranks = std::isdigit(static_cast<unsigned char>(*at)) ? std::strtol(at, &end, 10) : 0;
  if (ranks < 1 || ranks + master > lockfree::ranks_max || (*end != 'x' && *end != 'X')) return {};
  at = end + 1;
  const long threads =
      std::isdigit(static_cast<unsigned char>(*at)) ? std::strtol(at, &end, 10) : 0;
  if (threads < 1 || threads > threads_max || *end) return {};
  return {static_cast<int>(ranks), static_cast<int>(threads), master};
}

void read_layout(Reader& reader, const std::string& option, Options& options) {
  const std::string text = reader.take(option, "RANKSxTHREADS or 1+RANKSxTHREADS");
  options.layout = layout_of(text);
  if (options.layout->ranks == 0 && reader.error.empty())
    reader.error = option + " " + text +
                   ": it takes RANKSxTHREADS, as in 4x8, or 1+RANKSxTHREADS for a master besides "
                   "(up to " +
                   std::to_string(lockfree::ranks_max) + " ranks of " +
                   std::to_string(threads_max) + " threads)";
}

// The file is never the next word: that is the program.
void read_report_binding(Reader& reader, const std::string& option, Options& options) {
  options.report_binding = true;
  if (!reader.attached) return;
  options.binding_file = reader.take(option, "a file");
  if (!options.binding_file.ends_with(".svg"))
    reader.error = option + "=" + options.binding_file + ": the drawing is SVG; name it FILE.svg";
}

void read_timeout(Reader& reader, const std::string& option, Options& options) {
  std::string text = reader.take(option, "seconds");
  char* end = nullptr;
  options.timeout_seconds = std::strtod(text.c_str(), &end);
  if (reader.error.empty() && (text.empty() || *end || !(options.timeout_seconds > 0)))
    reader.error = option + " " + text + ": it takes seconds, more than 0";
}

// -x NAME=VALUE, or -x NAME as other launchers have it: ranks inherit the environment anyway.
void read_export(Reader& reader, const std::string& option, Variables& variables) {
  std::string text = reader.take(option, "NAME=VALUE");
  std::size_t equals = text.find('=');
  if (equals == 0 && reader.error.empty())
    reader.error = option + " " + text + ": the name is empty";
  if (equals != std::string::npos)
    variables.emplace_back(text.substr(0, equals), text.substr(equals + 1));
}

void read_pair(Reader& reader, const std::string& option, Variables& variables) {
  std::string name = reader.take(option, "a name and a value");
  std::string value = reader.take(option, "a name and a value");
  if (reader.error.empty() && (name.empty() || name.find('=') != std::string::npos))
    reader.error = option + " " + name + ": not a variable's name; it takes a name and a value";
  variables.emplace_back(std::move(name), std::move(value));
}

// The form is never the next word: that is the program.
void read_explain(Reader& reader, Options& options) {
  options.explain = true;
  if (!reader.attached) return;
  std::string form = reader.take("--explain", "text or json");
  options.explain_json = form == "json";
  if (form != "json" && form != "text")
    reader.error = "--explain=" + form + ": it takes text or json";
}

void read_explain_file(Reader& reader, Options& options) {
  options.explain_file = reader.take("--explain-file", "a file");
  if (reader.error.empty() && options.explain_file.empty())
    reader.error = "--explain-file: the file's name is empty";
}

void read_profile_name(Reader& reader, Options& options) {
  options.profile = reader.take("--profile", "a file, or none");
  if (reader.error.empty() && options.profile.empty())
    reader.error = "--profile: the file's name is empty; it takes a file, or none";
}

// Its words are read with the machine at hand (memory.cpp).
void read_memory(Reader& reader, Options& options) {
  options.memory = reader.take("--memory", "WHAT=WHERE, for example queues=fast");
  if (reader.error.empty() && options.memory.empty())
    reader.error = "--memory: it is empty; it takes WHAT=WHERE, for example queues=fast";
}

// The standard's name of the error handler that ranks begin with; its case does not matter.
void read_handler(Reader& reader, const std::string& option, Variables& variables) {
  static constexpr const char* names[] = {"mpi_errors_are_fatal", "mpi_errors_abort",
                                          "mpi_errors_return"};
  const char* what = "mpi_errors_are_fatal, mpi_errors_abort or mpi_errors_return";
  std::string text = reader.take(option, what);
  for (const char* name : names)
    if (::strcasecmp(text.c_str(), name) == 0)
      return (void)variables.emplace_back("BATON_INITIAL_ERRHANDLER", name);
  if (reader.error.empty()) reader.error = option + " " + text + ": it takes " + what;
}

bool one_of(const std::string& option, std::initializer_list<const char*> names) {
  for (const char* name : names)
    if (option == name) return true;
  return false;
}

bool read_flag(const std::string& option, Options& options) {
  static const std::pair<const char*, bool Options::*> flags[] = {
      {"-l", &Options::prefix_output},
      {"--prefix", &Options::prefix_output},
      {"-prepend-rank", &Options::prefix_output},
      {"--tag-output", &Options::prefix_output},
      {"--dry-run", &Options::dry_run},
      {"--check", &Options::check},
      {"--memory-report", &Options::memory_report},
      {"--export-heap", &Options::export_heap},
      {"--help", &Options::help},
      {"-help", &Options::help},
      {"-h", &Options::help},
      {"--version", &Options::version},
      {"-V", &Options::version},
  };
  for (const auto& [name, field] : flags)
    if (option == name) {
      options.*field = true;
      return true;
    }
  // Needless here, common in scripts written for other launchers.
  return one_of(option, {"--oversubscribe", "-oversubscribe", "--allow-run-as-root"});
}

void read_option(Reader& reader, const std::string& option, Options& options, Program& program) {
  if (read_flag(option, options)) return;
  if (one_of(option, {"-n", "-np", "--n", "--np"}))
    program.ranks =
        static_cast<int>(reader.number(option, "a number of ranks", 1, lockfree::ranks_max));
  else if (one_of(option, {"-env", "--env"}))
    read_pair(reader, option, program.variables);
  else if (one_of(option, {"-genv", "--genv"}))
    read_pair(reader, option, options.variables);
  else if (option == "-x")
    read_export(reader, option, options.variables);
  else if (one_of(option, {"-wdir", "--wdir", "-wd", "--wd"}))
    program.folder = reader.take(option, "a folder");
  else if (one_of(option, {"-initial-errhandler", "--initial-errhandler"}))
    read_handler(reader, option, program.variables);
  else if (one_of(option, {"--map-by", "-map-by"}))
    read_map_by(reader, option, options);
  else if (one_of(option, {"--bind-to", "-bind-to"}))
    read_bind_to(reader, option, options);
  else if (option == "--cores")
    read_cores(reader, option, options);
  else if (option == "--config")
    read_config(reader, option, options);
  else if (option == "--layout")
    read_layout(reader, option, options);
  else if (one_of(option, {"--report-binding", "--report-bindings"}))
    read_report_binding(reader, option, options);
  else if (option == "--explain")
    read_explain(reader, options);
  else if (option == "--explain-file")
    read_explain_file(reader, options);
  else if (option == "--profile")
    read_profile_name(reader, options);
  else if (option == "--memory")
    read_memory(reader, options);
  else if (one_of(option, {"--timeout", "-timeout"}))
    read_timeout(reader, option, options);
  else if (one_of(option, {"-host", "--host", "-hosts", "-f", "--hostfile", "-hostfile"}))
    reader.error = option + ": this mpiexec starts ranks on one node, the one it runs on";
  else
    reader.error = option + " is not known; mpiexec --help lists the options";
}

void read_program(Reader& reader, Options& options) {
  Program program;
  while (reader.more() && reader.arguments[reader.next].starts_with("-")) {
    std::string option = reader.arguments[reader.next++];
    if (option == "--") break;
    std::size_t equals = option.find('=');
    if (option.starts_with("--") && equals != std::string::npos) {
      reader.attached = option.substr(equals + 1);
      option.resize(equals);
    }
    read_option(reader, option, options, program);
    if (reader.attached && reader.error.empty()) reader.error = option + " takes no value";
  }
  while (reader.more() && reader.arguments[reader.next] != ":")
    program.arguments.push_back(reader.arguments[reader.next++]);
  options.programs.push_back(std::move(program));
}

// With a layout the ranks are known; what else says how many must agree.
std::string layout_problem(const Options& options, long ranks) {
  if (!options.layout) return {};
  if (options.width > 0) return "--layout says how many threads a rank has; leave out :pe=N";
  if (ranks == 0 || ranks == options.layout->all_ranks()) return {};
  return "--layout makes " + std::to_string(options.layout->all_ranks()) + " ranks, -n says " +
         std::to_string(ranks) + "; leave out one of them";
}

}  // namespace

std::expected<Options, std::string> parse_options(const std::vector<std::string>& arguments) {
  Options options;
  Reader reader{arguments, 0, {}, {}};
  do {
    read_program(reader, options);
    if (!reader.more()) break;
    ++reader.next;  // the colon
  } while (reader.error.empty());
  if (!reader.error.empty()) return std::unexpected(reader.error);
  if (options.help || options.version) return options;
  long ranks = 0;
  for (const Program& program : options.programs) {
    if (program.arguments.empty() && !(options.dry_run && options.programs.size() == 1))
      return std::unexpected("no program given; mpiexec -n 4 ./program starts four ranks of it");
    if (program.ranks == 0 && options.programs.size() > 1)
      return std::unexpected("with several programs each needs its own -n");
    ranks += program.ranks;
  }
  if (!options.config.empty() && options.cores.kind != machine::CoreChoice::Kind::all)
    return std::unexpected("--config says which cores, too; leave out --cores, or --config");
  if (!options.config.empty() && !options.memory.empty())
    return std::unexpected("--config says which memory, too; leave out --memory, or --config");
  if (std::string problem = layout_problem(options, ranks); !problem.empty())
    return std::unexpected(problem);
  if (options.layout && options.programs.size() == 1)
    options.programs.front().ranks = options.layout->all_ranks();
  if (ranks > lockfree::ranks_max)
    return std::unexpected(std::to_string(ranks) + " ranks are more than one job can have (" +
                           std::to_string(lockfree::ranks_max) + ")");
  return options;
}

const char* usage() {
  return R"(usage: mpiexec [options] program [arguments] [: [options] program [arguments]]...

Starts the ranks of an MPI job on this node and ends when they have ended.

  -n N, -np N          ranks of this program (one program: as many as there are usable cores)
  -env NAME VALUE      environment variable for this program's ranks
  -genv NAME VALUE     environment variable for all ranks (also: -x NAME=VALUE)
  -wdir FOLDER         working folder of this program's ranks
  -initial-errhandler NAME  the error handler its ranks begin with: mpi_errors_are_fatal (default),
                       mpi_errors_abort, mpi_errors_return
  -l                   put the rank before every line of output: [3] text
  --map-by LEVEL       neighbouring ranks go to neighbouring: hwthread, core (default), l2, l3, numa,
                       package; LEVEL:pe=N gives every rank N CPUs (default: OMP_NUM_THREADS, or 1)
  --bind-to LEVEL      none, hwthread, core, l2, l3, numa, package
                       (default: core when every rank can have its own, none when there are more)
  --cores CPUS         the CPUs that the job takes: package:LIST (or socket:), numa:, l3:, l2:, core:LIST;
                       spread[:N] deals the ranks out over N memory nodes (default: all), neighbours staying
                       together; a LIST of CPUs such as 0-3,8 is taken in that order
  --config NAME        cores and memory of the whole process at once: local (as few memory nodes as hold the
                       ranks), interleave (the same, memory over all nodes), spread (ranks over all nodes,
                       memory on the first), spread-interleave (both over all), remote (memory elsewhere)
  --layout MxN         M ranks of N threads, each rank's inside one cache, memory node or package where they
                       fit, with OMP_NUM_THREADS, OMP_PLACES and OMP_PROC_BIND set to match; 1+MxN: and rank 0
                       besides, a master of one thread with a core of its own
  --memory WHAT=WHERE,...  in which memory: queues (what ranks receive through), heap (MPI_Alloc_mem), all
                       (the whole process); near, fast, large, interleave, remote, node:N. A trailing ! makes
                       it strict, else what is full falls back; huge: heap in huge pages. Also BATON_MEMORY
                       (docs/placement.md)
  --export-heap        large blocks of the programs' own malloc (from 64 KiB, after MPI_Init) where other ranks
                       reach them without a system call, by preloading jemalloc: not for programs that bring a
                       malloc of their own. A child that is forked gets a copy first, which takes time and
                       memory; with threads, what the others write meanwhile may be half in it (posix_spawn,
                       system and popen need none). Of heap in --memory these blocks are a part
  --memory-report      say at the end on which memory nodes the pages of each rank lie
  --report-binding     draw where the ranks go; --report-binding=FILE.svg draws it into a file, too
  --dry-run            start nothing (with --report-binding: only draw)
  --explain            say at the end where the ranks ran, which way their messages took, by peer and by
                       size, and why no cheaper one; --explain=json says it as one line of JSON
  --explain-file FILE  write that JSON to a file
  --profile FILE       take defaults of settings from this profile of the machine (`baton tune` makes one;
                       default: BATON_PROFILE, else ~/.config/baton/profile.json); none: from none
  --check              compare collective calls before they begin: ranks that call different ones, or with
                       other roots, operations, counts or types, and ranks that wait for each other, are
                       named and the call fails, instead of hanging (as BATON_CHECK=1; costs time)
  --timeout SECONDS    end the job after that time, with code 124
  --help, --version

Standard input goes to rank 0, the others read an empty one. The job ends at once when a rank dies,
calls MPI_Abort, ends without MPI_Finalize, or (before MPI_Init) ends with a code other than 0, and on
Ctrl-C. The exit code is that of the first rank that failed; a signal n gives 128+n.
)";
}

}  // namespace baton::launch
