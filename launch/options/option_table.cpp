#include "launch/options/option_table.hpp"

#include <algorithm>
#include <cstring>
#include <string>

#include "base/nearest_name.hpp"

namespace baton::launch {

namespace {

constexpr unsigned hydra = mpich | intel;
constexpr unsigned all = standard | mpich | open_mpi | intel;
constexpr const char* levels = "hwthread core l2 l3 numa package node";

constexpr OptionRow rows[] = {
    {Group::ranks, "-n -np -c", "N", all,
     "ranks of this program (one program: as many as there are usable cores)", read_ranks},
    {Group::ranks, "-ppn -perhost", "N", hydra, "ranks per node; without -n the number of ranks",
     read_per_node},
    {Group::ranks, "-N -npernode", "N", open_mpi,
     "the same, but more ranks in all are an error: they would need another node",
     read_most_per_node},
    {Group::ranks, "-pernode", "", open_mpi, "as -N 1", read_one_per_node},
    {Group::ranks, "-npersocket", "N", open_mpi, "as --map-by ppr:N:package", read_per_package},
    {Group::ranks, "-soft", "LIST", standard,
     "acceptable numbers of ranks, as in 2,4:16:4: the largest up to -n is taken, else up to the "
     "usable cores",
     read_soft},
    {Group::ranks, "-host -hosts -H", "HOSTS", all,
     "hosts, separated by commas; :N after one: N ranks. This node is known by its name, one of "
     "its "
     "addresses or localhost; others are left to srun, prterun or mpiexec.hydra",
     read_hosts},
    {Group::ranks, "-hostfile -machinefile -f", "FILE", mpich | open_mpi | intel,
     "the same, with one host per line (NAME, NAME:N or NAME slots=N)", read_host_file, "<file>"},
    {Group::ranks, "-configfile -app", "FILE", all,
     "options and programs from a file, one program per line, quoted as in a shell; # begins a "
     "comment",
     read_arguments, "<file>"},
    {Group::ranks, "--on-node", "NODES", own,
     "what mpiexec tells the mpiexec that another launcher starts for it on each host: NAME:RANKS "
     "of all, in the order of ranks",
     read_on_node},
    {Group::ranks, "--spawned", "FILE", own,
     "what MPI_Comm_spawn tells mpiexec: where the parents wait, and the other words",
     read_spawned},
    {Group::ranks, "-usize", "N", mpich,
     "the attribute MPI_UNIVERSE_SIZE (default: the usable CPUs, and no less than the ranks)",
     read_universe},
    {Group::surroundings, "-env", "NAME VALUE", hydra,
     "environment variable for this program's ranks", read_env},
    {Group::surroundings, "-genv", "NAME VALUE", hydra, "environment variable for all ranks",
     read_genv},
    {Group::surroundings, "-x", "NAME[=VALUE]", open_mpi,
     "the same; ranks inherit all of mpiexec's variables anyway", read_export},
    {Group::surroundings, "-envall", "", hydra,
     "this program's ranks get all of mpiexec's variables (default)", read_env_all},
    {Group::surroundings, "-envnone", "", hydra, "or none of them", read_env_none},
    {Group::surroundings, "-envlist", "NAMES", hydra, "or these, separated by commas",
     read_env_list},
    {Group::surroundings, "-genvall", "", hydra, "the same three for all programs", read_genv_all},
    {Group::surroundings, "-genvnone", "", hydra, "", read_genv_none},
    {Group::surroundings, "-genvlist", "NAMES", hydra, "", read_genv_list},
    {Group::surroundings, "-wdir -wd", "FOLDER", all, "working folder of this program's ranks",
     read_folder, "<folder>"},
    {Group::surroundings, "-path", "FOLDERS", all,
     "folders in which this program is looked for first, separated by colons", read_path,
     "<folder>"},
    {Group::surroundings, "-arch", "NAME", standard,
     "the machine's architecture, as uname -m prints it; another one is an error", read_arch},
    {Group::surroundings, "-initial-errhandler", "NAME", standard | open_mpi,
     "the error handler its ranks begin with: mpi_errors_are_fatal (default), mpi_errors_abort, "
     "mpi_errors_return",
     read_handler, "mpi_errors_are_fatal mpi_errors_abort mpi_errors_return"},
    {Group::surroundings, "--stdin", "WHO", open_mpi,
     "which rank gets standard input (default: 0), or all, or none; the others read an empty one",
     read_input, "all none 0"},
    {Group::place, "--map-by", "LEVEL", mpich | open_mpi | intel,
     "consecutive ranks go to consecutive: hwthread, core (default), l2, l3, numa, package, or "
     "near "
     "consecutive devices: gpu; "
     "LEVEL:pe=N gives each rank N CPUs (default: OMP_NUM_THREADS, or 1); ppr:N:LEVEL puts N ranks "
     "on each. Also :oversubscribe, :nooversubscribe, :hwtcpus",
     read_map_by, levels},
    {Group::place, "--rank-by", "ORDER", open_mpi,
     "the order in which ranks are numbered: slot (as they are mapped), fill (one object after "
     "another), span or a LEVEL (round-robin)",
     read_rank_by, "slot fill span l3 numa package"},
    {Group::place, "--bind-to", "LEVEL", mpich | open_mpi | intel,
     "none, hwthread, core, l2, l3, numa, package (default: core when every rank can have its own, "
     "none when oversubscribed); :overload-allowed: ranks share where there are too few",
     read_bind_to, "none hwthread core l2 l3 numa package"},
    {Group::place, "--cores", "CPUS", own,
     "the CPUs that the job takes: package:LIST (or socket:), numa:, l3:, l2:, core:LIST; "
     "spread[:N] distributes the ranks over N NUMA nodes (default: all), consecutive ranks staying "
     "together; a LIST of CPUs such as 0-3,8 is taken in that order",
     read_cores, "package: numa: l3: l2: core: spread all"},
    {Group::place, "--cpu-set -cpu-list", "LIST", open_mpi,
     "as --cores core:LIST: cores by the numbers that `baton topo` shows", read_cpu_set},
    {Group::place, "--use-hwthread-cpus", "", open_mpi,
     "hardware threads count as cores: as many ranks as there are, each bound to one",
     read_hwthreads},
    {Group::place, "--oversubscribe", "", open_mpi,
     "more ranks than CPUs, which is always permitted; bound ranks share", read_oversubscribe},
    {Group::place, "--nooversubscribe", "", open_mpi, "more ranks than CPUs are an error",
     read_no_oversubscribe},
    {Group::place, "--config", "NAME", own,
     "cores and memory of the whole process at once: local (as few NUMA nodes as hold the ranks), "
     "interleave (the same, memory over all nodes), spread (ranks over all nodes, memory on the "
     "first), spread-interleave (both over all), remote (memory elsewhere)",
     read_config, "local interleave spread spread-interleave remote"},
    {Group::place, "--layout", "MxN", own,
     "M ranks of N threads, each rank's inside one cache, NUMA node or package where they fit, "
     "with OMP_NUM_THREADS, OMP_PLACES and OMP_PROC_BIND set to match; 1+MxN: also rank 0, a "
     "master of one thread with a core of its own",
     read_layout},
    {Group::memory, "--memory", "WHAT=WHERE,...", own,
     "NUMA policy: queues (what ranks receive through), heap (MPI_Alloc_mem), all (the whole "
     "process); near, hbm, large, interleave, remote, node:N. A trailing ! makes it strict, "
     "otherwise memory falls back to other nodes when one is full; huge: heap in huge pages. Also "
     "BATON_MEMORY (docs/placement.md)",
     read_memory},
    {Group::memory, "--export-heap", "", own,
     "large blocks of the programs' own malloc (from 64 KiB, after MPI_Init) where other ranks "
     "reach them without a system call, by preloading jemalloc: not for programs with a malloc of "
     "their own. A forked child gets a copy first, which takes time and memory; with threads, what "
     "the others write meanwhile may be incomplete in it (posix_spawn, system and popen need no "
     "copy). In --memory these blocks count as heap",
     read_export_heap},
    {Group::memory, "--memory-report", "", own,
     "at the end, print on which NUMA nodes the pages of each rank lie", read_memory_report},
    {Group::output, "-l -prepend-rank --tag-output", "", mpich | open_mpi | intel,
     "put the rank before every line of output: [3] text", read_prefix},
    {Group::output, "-prepend-pattern", "TEXT", hydra,
     "put this before every line; %r is the rank, %h the host", read_prefix_pattern},
    {Group::output, "--timestamp-output", "", open_mpi, "put the time before every line",
     read_timestamp},
    {Group::output, "--merge-stderr-to-stdout", "", open_mpi,
     "standard error of ranks goes where their standard output goes", read_merged},
    {Group::output, "--output-filename --output-directory", "FOLDER", open_mpi,
     "write output also into FOLDER/1/rank.N/stdout and stderr; FOLDER:nocopy: only there",
     read_output_folder, "<folder>"},
    {Group::output, "-outfile-pattern", "FILE", hydra,
     "write standard output into this file instead; %r in its name is the rank, %h the host",
     read_output_pattern, "<file>"},
    {Group::output, "-errfile-pattern", "FILE", hydra, "the same for standard error",
     read_error_pattern, "<file>"},
    {Group::output, "--output", "WORDS", open_mpi,
     "tag, timestamp, merge, dir=FOLDER, nocopy, file=NAME (NAME.N for rank N), separated by "
     "commas",
     read_output_words, "tag timestamp merge"},
    {Group::reports, "--report-binding --report-bindings", "[=FILE]", own | open_mpi,
     "draw where the ranks go; --report-binding=FILE.svg also draws it into a file",
     read_report_binding},
    {Group::reports, "--display", "WORDS", open_mpi, "the same, of map, bind, allocation or topo",
     read_display, "map bind allocation topo"},
    {Group::reports,
     "--display-map --display-allocation --display-topo --display-devel-map -print-rank-map", "",
     open_mpi | intel, "the same", read_display_map},
    {Group::reports, "--dry-run --do-not-launch", "", own | open_mpi,
     "start nothing (with --report-binding: only draw)", read_dry_run},
    {Group::reports, "-print-all-exitcodes", "", hydra,
     "at the end, print the exit code of each rank", read_exit_codes},
    {Group::reports, "--explain", "[=FORM]", own,
     "at the end, print where the ranks ran and which protocols their messages used, by peer and "
     "by size, and why no cheaper one; --explain=json prints one line of JSON",
     read_explain},
    {Group::reports, "--explain-file", "FILE", own, "write that JSON to a file", read_explain_file,
     "<file>"},
    {Group::reports, "--stats", "[=FORM]", own,
     "at the end, print where the ranks' time went: in MPI by call, size and pair of ranks, "
     "waiting "
     "apart from moving data, and how unevenly ranks come to collective calls; --stats=json prints "
     "one line of JSON (docs/finding-time.md)",
     read_stats},
    {Group::reports, "--stats-file", "FILE", own,
     "write that to a file: a page, FILE.html, or JSON, FILE.json", read_stats_file, "<file>"},
    {Group::reports, "--trace", "FILE", own,
     "write a timeline of the ranks' calls and messages, which Perfetto (ui.perfetto.dev) and "
     "chrome://tracing open",
     read_trace, "<file>"},
    {Group::reports, "--trace-bytes", "SIZE", own,
     "how large that file may become (256M); what comes later is left out, and said",
     read_trace_bytes},
    {Group::reports, "--profile", "FILE", own,
     "take defaults of settings from this profile of the machine (`baton tune` makes one; default: "
     "BATON_PROFILE, else ~/.config/baton/profile.json); none: no profile; the name of a family of "
     "processors (zen4): only what Baton ships for it",
     read_profile_name, "<file>"},
    {Group::reports, "--check -check-mpi -check_mpi", "", own | intel,
     "compare collective calls before they begin: the call fails and names the ranks that call "
     "different procedures, or with other roots, operations, counts or types, and ranks that wait "
     "for each other, instead of hanging; find conflicting accesses to windows (as BATON_CHECK=1; "
     "costs time)",
     read_check},
    {Group::ends, "--timeout", "SECONDS", mpich | open_mpi | intel,
     "end the job after this time, with code 124, and print where its ranks were", read_timeout},
    {Group::ends, "--hang-after", "SECONDS[:end]", own,
     "print where the ranks are when nothing has moved for this time: all wait, sleep or are "
     "stopped (also at any time: `baton stat`, or SIGQUIT to mpiexec); :end also ends the job, "
     "with "
     "code 124",
     read_hang_after},
    {Group::ends, "--continue-on-failure -disable-auto-cleanup --enable-recovery --continuous", "",
     own | hydra | open_mpi,
     "a rank that dies does not end the job: the other ranks' calls that need it fail with "
     "MPIX_ERR_PROC_FAILED, and they may go on (docs/faults.md)",
     read_continue},
    {Group::ends, "--with-ft", "MODE", open_mpi, "ulfm or mpi: the same; no: ranks die together",
     read_fault_tolerance},
    {Group::ends, "--help -h", "[=FORM]", all,
     "this text; as man, markdown, variables (those of other MPIs that are read), or completion "
     "for "
     "bash, zsh or fish",
     read_help},
    {Group::ends, "--version -V -info", "", all, "the version", read_version},
    {Group::ends, "--allow-run-as-root", "", open_mpi, "needs no permission here", read_nothing},
};

std::string_view bare(std::string_view spelling) {
  spelling.remove_prefix(
      std::min<std::size_t>(spelling.starts_with("--") ? 2 : 1, spelling.size()));
  return spelling;
}

std::vector<std::string_view> words_in(std::string_view text) {
  std::vector<std::string_view> words;
  while (!text.empty()) {
    const std::size_t space = std::min(text.find(' '), text.size());
    words.push_back(text.substr(0, space));
    text.remove_prefix(std::min(space + 1, text.size()));
  }
  return words;
}

}  // namespace

std::span<const OptionRow> option_rows() {
  return rows;
}

std::vector<std::string_view> spellings(const OptionRow& row) {
  return words_in(row.names);
}

int values_of(const OptionRow& row) {
  return row.value[0] == '[' ? 0 : static_cast<int>(words_in(row.value).size());
}

const OptionRow* find_option(std::string_view spelling) {
  const std::string_view name = bare(spelling);
  for (std::span<const OptionRow> some : {option_rows(), foreign_option_rows()})
    for (const OptionRow& row : some)
      for (std::string_view one : words_in(row.names))
        if (bare(one) == name) return &row;
  return nullptr;
}

std::string nearest_option(std::string_view spelling) {
  std::vector<std::string> names;
  for (const OptionRow& row : rows)
    for (std::string_view one : words_in(row.names)) names.emplace_back(bare(one));
  std::vector<const char*> pointers;
  for (const std::string& name : names) pointers.push_back(name.c_str());
  const std::string name(bare(spelling));
  // A name of one letter is near to any other, so it gets no suggestion.
  const char* near = name.size() > 2 ? nearest_name(name, pointers) : nullptr;
  if (!near) return {};
  for (const OptionRow& row : rows)
    for (std::string_view one : words_in(row.names))
      if (bare(one) == near) return "; did you mean " + std::string(one) + '?';
  return {};
}

}  // namespace baton::launch
