// These are options of other launchers that do nothing here (a warning names them), and options
// whose work another option does here (an error names that option).
#include "launch/options/option_table.hpp"

namespace baton::launch {

namespace {

constexpr unsigned hydra = mpich | intel;

constexpr OptionRow ignored(const char* names, const char* value, unsigned origins) {
  return {Group::ignored, names, value, origins, "", read_ignored};
}

constexpr OptionRow elsewhere(const char* names, unsigned origins, const char* text) {
  return {Group::elsewhere, names, "", origins, text, read_elsewhere};
}

constexpr OptionRow rows[] = {
    ignored("--mca --gmca --prtemca --gprtemca --pmixmca --gpmixmca --omca", "NAME VALUE",
            open_mpi),
    ignored("--prefix --personality --launch-agent --tune --am --pset --default-hostfile "
            "--report-uri --report-pid "
            "--max-restarts --forward-signals --runtime-options --rto --ompi-server "
            "--spawn-timeout --dvm "
            "--preload-files --set-sandbox",
            "VALUE", open_mpi),
    ignored(
        "--noprefix --quiet -q --show-progress --disable-recovery "
        "--novm --no-local-syslog "
        "--hetero-nodes --stream-buffering --debug-daemons --debug-devel --leave-session-attached "
        "--do-not-resolve --do-not-connect --daemonize --preload-binary --nolocal --gpu-support "
        "--bynode --byslot",
        "", open_mpi),
    ignored("-file", "FILE", standard),
    ignored("-launcher -bootstrap -launcher-exec -bootstrap-exec -rmk -iface -demux -topolib "
            "-nameserver -pmi-port "
            "-order-nodes -gpus-per-proc -gpu-subdevs-per-proc -branch-count -tmpdir -localhost",
            "VALUE", hydra),
    ignored("-v -verbose", "", mpich | open_mpi | intel),
    ignored("-rr -grr -enable-x -disable-x -disable-hostname-propagation "
            "-skip-launch-node "
            "-hostname-propagation -pmi-aggregate -pmi-noaggregate -cleanup -noconf -nocleanup "
            "-ordered-output -ilp64 "
            "-use-app-topology -silent-abort -rdma -RDMA -dapl -DAPL -psm -psm2 -PSM -PSM2 -ofi "
            "-OFI -ib -IB "
            "-mxm -MXM",
            "", hydra),
    elsewhere("--rankfile -rf", open_mpi,
              "use --cores LIST for the CPUs that ranks take, in order"),
    elsewhere(
        "--cpus-per-proc --cpus-per-rank --cpus-per-task", open_mpi | slurm,
        "use --map-by core:pe=N for the CPUs of each rank, --layout RANKSxTHREADS with threads"),
    elsewhere("--bind-to-core --bycore", open_mpi, "say --bind-to core"),
    elsewhere("--bind-to-socket --bysocket", open_mpi,
              "say --bind-to package, or --map-by package"),
    elsewhere("--bind-to-none", open_mpi, "say --bind-to none"),
    elsewhere("--xml --xterm", open_mpi, "-l puts the rank before each line"),
    elsewhere("--get-stack-traces --report-state-on-timeout", open_mpi,
              "--timeout SECONDS and --hang-after SECONDS say where the ranks are"),
    elsewhere("--index-argv-by-rank", open_mpi, "ranks find their number in BATON_RANK"),
    elsewhere("-membind", mpich | intel,
              "say --memory all=near, or another NUMA policy (docs/placement.md)"),
    elsewhere("-genvexcl -envexcl", hydra, "say which variables ranks get: -genvlist NAMES"),
    elsewhere("-gdb -gdba", intel, "attach to the ranks: docs/launching.md, Debuggers and tools"),
    elsewhere("-t -trace-pt2pt -trace-collectives -aps -mps", intel,
              "--stats says where time goes, --trace FILE draws a timeline"),
    elsewhere("-gtool -gtoolfile", intel,
              "put the tool before the program: mpiexec -n 4 valgrind ./program"),
    elsewhere("-mpitune", intel, "baton tune measures this machine"),
    elsewhere("-s", intel | open_mpi, "use --stdin all, none or a rank"),
    elsewhere("--ntasks", slurm, "use -n N"),
    elsewhere("--ntasks-per-node", slurm, "use -ppn N"),
    elsewhere("--ntasks-per-socket", slurm, "use --map-by ppr:N:package"),
    elsewhere("--nodes --nodelist", slurm,
              "this mpiexec starts ranks on one node, the one it runs on; leave it out"),
    elsewhere("--label", slurm, "-l puts the rank before every line"),
    elsewhere("--cpu-bind --cpu_bind", slurm, "use --bind-to"),
    elsewhere("--distribution -m", slurm, "use --map-by and --rank-by"),
    elsewhere("--mem-bind --mem_bind", slurm, "use --memory"),
    elsewhere("--chdir -D", slurm, "use -wdir FOLDER"),
    elsewhere("--export", slurm,
              "use -x NAME=VALUE; -genvlist NAMES says which variables are inherited"),
    elsewhere("--input -i", slurm,
              "use --stdin for the rank, and the shell's redirection for the file"),
    elsewhere("--error -e", slurm,
              "use -outfile-pattern and -errfile-pattern, with %r for the rank"),
    elsewhere("--time", slurm, "use --timeout SECONDS"),
    elsewhere("--multi-prog", slurm, "separate programs by ':', or put them into a -configfile"),
    elsewhere("--hint --threads-per-core", slurm, "use --use-hwthread-cpus"),
    elsewhere("--overcommit --exclusive -O", slurm,
              "more ranks than CPUs are always permitted; leave it out"),
    elsewhere("--kill-on-bad-exit -K", slurm,
              "a rank that fails always ends the job; leave it out"),
    elsewhere("--mpi", slurm, "ranks need no PMI here; leave it out"),
};

}  // namespace

void read_nothing(Reader&) {}

void read_ignored(Reader& reader) {
  const OptionRow* row = find_option(reader.option);
  std::string words = reader.option;
  for (int left = row ? values_of(*row) : 0; left > 0; --left)
    words += ' ' + reader.take("a value");
  reader.attached.reset();
  reader.ignored += (reader.ignored.empty() ? "" : ", ") + words;
}

void read_elsewhere(Reader& reader) {
  const OptionRow* row = find_option(reader.option);
  reader.fail(std::string(" is not known here: ") + (row ? row->text : ""));
}

std::span<const OptionRow> foreign_option_rows() {
  return rows;
}

}  // namespace baton::launch
