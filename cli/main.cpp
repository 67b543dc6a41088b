// The `baton` tool reads the command line here, and does nothing else. The subcommands stand in
// files of their own.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include "base/nearest_name.hpp"
#include "cli/commands.hpp"
#include "cli/pages.hpp"
#include "cli/print.hpp"
#include "platform/standard_descriptors.hpp"

namespace {

using baton::cli::write_error;

// This replaces the exit codes of CLI11 for errors in the command line.
int usage_code(int parsers) {
  return parsers == 0 ? 0 : 2;
}

// These commands are planned, so that a script that asks for one gets a plain answer.
struct Planned {
  const char* name;
  const char* instead;
};
constexpr Planned planned[] = {
    {"explain", "mpiexec --explain prints which protocols the messages of a job used"},
};

struct TuneTimes {
  double usual, quick, most;  // seconds
};
constexpr TuneTimes of_settings{100, 20, 120}, of_collectives{180, 30, 900},
    of_network{60, 15, 300};

// Completes the options. Returns what is wrong with them; empty: nothing.
std::string complete(baton::cli::TuneOptions& tuning, const TuneTimes& times, bool quick) {
  if (tuning.seconds == 0) tuning.seconds = quick ? times.quick : times.usual;
  if (tuning.seconds < 1 || tuning.seconds > times.most)
    return fmt::format("--seconds takes 1 to {:.0f}", times.most);
  std::ranges::sort(tuning.ranks);
  for (int ranks : tuning.ranks)
    if (ranks < 2 || ranks > 256) return "--ranks takes numbers from 2 to 256";
  return {};
}

// This is the command line of `baton tune`.
struct Tuning {
  baton::cli::TuneOptions options;
  bool quick = false, collectives = false, network = false;
  std::optional<std::string> shown;

  void add_to(CLI::App& app, int& code);
  // Accepts hosts as mpiexec takes them, also with one dash.
  static void rename_hosts(int count, char** words);

 private:
  int run();
  std::string problem();
};

void Tuning::rename_hosts(int count, char** words) {
  static char host[] = "--host", host_file[] = "--hostfile";
  if (count < 2 || std::string(words[1]) != "tune") return;
  for (int i = 2; i < count; ++i) {
    const std::string word = words[i];
    if (word == "-host" || word == "-hosts" || word == "-H") words[i] = host;
    if (word == "-hostfile" || word == "-machinefile" || word == "-f") words[i] = host_file;
  }
}

// Returns what is wrong with the options; empty: nothing.
std::string Tuning::problem() {
  if (collectives && network) return "--collectives and --net are measured one after the other";
  if (!network && !(options.hosts.empty() && options.host_file.empty()))
    return "--host is for the network: baton tune --net --host A,B";
  if (!options.hosts.empty() && !options.host_file.empty()) return "--host or --hostfile, not both";
  return complete(options,
                  collectives ? of_collectives
                  : network   ? of_network
                              : of_settings,
                  quick);
}

int Tuning::run() {
  if (shown) return baton::cli::show_profile(*shown);
  if (const std::string words = problem(); !words.empty()) {
    write_error("baton tune: {}\n", words);
    return 2;
  }
  return collectives ? baton::cli::tune_collectives(options)
         : network   ? baton::cli::tune_network(options)
                     : baton::cli::tune_machine(options);
}

void Tuning::add_to(CLI::App& app, int& code) {
  CLI::App* tuner = app.add_subcommand(
      "tune", "Measure this machine and write its profile, from which mpiexec takes defaults");
  tuner->add_flag("--collectives", collectives,
                  "Measure which algorithms collectives should use, instead of settings");
  tuner->add_flag("--net", network,
                  "Measure the network between two hosts, or without --host the loopback");
  tuner->add_option("--host,--hosts", options.hosts,
                    "The two hosts for --net, as mpiexec -host takes them: A,B");
  tuner->add_option("--hostfile", options.host_file, "A file that names them");
  tuner->add_option("--seconds", options.seconds,
                    "How long to measure: 100, up to 120; collectives 180, up to 900; network 60, "
                    "up to 300");
  tuner->add_flag("--quick", quick, "In 20 seconds (collectives 30, network 15): less reliable");
  tuner
      ->add_option("--ranks", options.ranks,
                   "Numbers of ranks for collectives, separated by commas")
      ->delimiter(',');
  tuner->add_option("--output", options.output,
                    "The profile's file (default: where mpiexec looks)");
  tuner->add_flag("--anew", options.anew, "Do not continue an interrupted run");
  tuner
      ->add_option("--show", shown, "Print a profile (default: the one in use) and measure nothing")
      ->expected(0, 1)
      ->default_str("");
  tuner->callback([this, &code] { code = run(); });
}

// Completes the options. Returns what is wrong with them; empty: nothing.
std::string complete(baton::cli::AdviseOptions& advice, const CLI::App& words) {
  const std::vector<std::string> extras = words.remaining();
  const bool ranks_said = words.count("-n") > 0;
  constexpr double seconds_most = 3600;
  const bool runs = !advice.command.empty();
  if (!extras.empty())
    return fmt::format(
        "what is \"{}\"? A command goes behind --, as in: baton advise -n 4 -- ./program",
        extras.front());
  if (runs && advice.command.front().empty()) return "nothing follows --; a command is needed";
  if (runs && !advice.topology.empty())
    return "a command runs on this machine; leave it out, or --topology";
  if (!runs && (!advice.figure.empty() || advice.layouts || advice.lower_is_better))
    return "--figure, --better and --layouts are for a command: baton advise ... -- ./program";
  if (advice.lower_is_better && advice.figure.empty())
    return "--better is for --figure; fewer seconds are always better";
  if (advice.ranks < (ranks_said ? 1 : 0) || advice.ranks > 4096)
    return "-n takes a number of ranks from 1 to 4096";
  if (advice.seconds < 1 || advice.seconds > seconds_most)
    return fmt::format("--seconds takes 1 to {:.0f}", seconds_most);
  if (advice.run_seconds == 0) advice.run_seconds = advice.seconds / 4;
  if (advice.run_seconds < 0.01 || advice.run_seconds > advice.seconds)
    return "--run-seconds takes 0.01 up to what --seconds has";
  return {};
}

int advise(baton::cli::AdviseOptions& advice, const CLI::App& words) {
  const std::string problem = complete(advice, words);
  if (problem.empty()) return baton::cli::advise_user(advice);
  write_error("baton advise: {}\n", problem);
  return 2;
}

constexpr const char* advise_page = R"(
Without a command it reasons from the topology: which options of mpiexec are worth trying here, for
which programs, and why. With one it runs the command on this machine through mpiexec, in each of the
configurations that differ here, round after round in changing order, and recommends one only where
it is better by more than the noise between rounds, in five rounds or more, and in more of them than
chance would make it. What is within 3 % is the same.
Fewer ranks of more threads are tried where the program uses OpenMP. The command's input is empty and
its output is not shown; a configuration in which it fails is reported. Ctrl-C ends it and tells what
is known. The code is 0 if there is an answer, 1 if not, 2 for wrong words, 130 after Ctrl-C.

  baton advise                                              this machine, as many ranks as it has cores
  baton advise --topology machine.xml -n 16                 a machine captured by lstopo --of xml
  baton advise -n 4 -- ./program input                      by the time of whole runs
  baton advise --figure 'GB/s: ([0-9.]+)' -- ./program      by a number that it prints, more is better)";

// This is the command line of `baton advise`.
struct Advising {
  baton::cli::AdviseOptions advice;
  std::string better = "higher";
  bool nothing_follows = false;

  void add_to(CLI::App& app, int& code);
  // Takes the words behind -- as the command, whatever they look like.
  void take_command(int& count, char** words) {
    if (count < 2 || std::string(words[1]) != "advise") return;
    for (int i = 2; i < count; ++i)
      if (std::string(words[i]) == "--") {
        advice.command.assign(words + i + 1, words + count);
        nothing_follows = advice.command.empty();
        count = i;
      }
  }
};

void Advising::add_to(CLI::App& app, int& code) {
  CLI::App* adviser = app.add_subcommand(
      "advise", "Say which cores, memory and layout to try, or which of them speeds up a command");
  adviser->footer(advise_page);
  adviser->allow_extras();
  adviser->add_option("-n", advice.ranks, "Ranks (default: as many as mpiexec starts)");
  adviser->add_option("--topology", advice.topology, "Another machine, captured by lstopo --of xml")
      ->check(CLI::ExistingFile);
  adviser->add_flag("--json", advice.json, "As one JSON object");
  adviser->add_option("--seconds", advice.seconds,
                      "How long to run the command in all (default: 20)");
  adviser->add_option(
      "--run-seconds", advice.run_seconds,
      "Time after which a run is ended and has failed (default: a quarter of --seconds)");
  adviser->add_option("--figure", advice.figure,
                      "Compare by a number that the command prints: the last match of this regular "
                      "expression, or of its first group");
  adviser->add_option("--better", better, "Which figures are better: higher (default) or lower")
      ->check(CLI::IsMember({"higher", "lower"}));
  adviser->add_flag("--layouts", advice.layouts,
                    "Try fewer ranks of more threads though the program names no OpenMP");
  adviser->callback([this, adviser, &code] {
    advice.lower_is_better = better == "lower";
    if (nothing_follows) advice.command.emplace_back();
    code = advise(advice, *adviser);
  });
}

// These are the command lines of the subcommands that look and report.
struct Looking {
  bool markdown = false, json = false;
  std::string captured, svg, folder;
  int job = 0;

  void add_to(CLI::App& app, int& code);
};

void Looking::add_to(CLI::App& app, int& code) {
  auto as_json = [this](CLI::App* command) {
    command->add_flag("--json", json, "As one JSON object");
  };
  CLI::App* settings =
      app.add_subcommand("settings", "List every setting, its default and its reason");
  settings->add_flag("--markdown", markdown, "Print docs/settings.md");
  as_json(settings);
  settings->callback([this, &code] {
    using Form = baton::cli::SettingsForm;
    code = baton::cli::print_settings(json ? Form::json : markdown ? Form::markdown : Form::text);
  });

  CLI::App* info = app.add_subcommand("info", "Print version, build and features");
  as_json(info);
  info->callback([this, &code] { code = baton::cli::print_info(json); });

  CLI::App* topology = app.add_subcommand("topo", "Show the machine as mpiexec sees it");
  topology->add_option("--from", captured, "A machine captured by lstopo --of xml")
      ->check(CLI::ExistingFile);
  topology->add_option("--svg", svg, "Also draw it into this file");
  as_json(topology);
  topology->callback([this, &code] { code = baton::cli::print_topology(captured, svg, json); });

  CLI::App* stat =
      app.add_subcommand("stat", "Say where the ranks of a job are, and who waits for whom");
  stat->add_option("job", job, "The process id of its mpiexec (default: the one job there is)")
      ->type_name("JOB");
  as_json(stat);
  stat->callback([this, &code] { code = baton::cli::show_job(job, json); });

  CLI::App* doctor = app.add_subcommand("doctor", "Check what of this system works for Baton");
  as_json(doctor);
  doctor
      ->add_option("FOLDER", folder,
                   "Check instead what file system lies there, and what of it works for MPI files")
      ->type_name("FOLDER");
  doctor->callback([this, &code] {
    code = folder.empty() ? baton::cli::examine_system(json)
                          : baton::cli::examine_folder(folder, json);
  });
}

// Returns "baton: doctr is not known; did you mean doctor?"; empty where the first word is a
// command.
std::string unknown_command(const CLI::App& app, int count, char** words) {
  const std::string word = count > 1 ? words[1] : "";
  if (word.starts_with('-')) return {};
  std::vector<std::string> names;
  for (const CLI::App* one : app.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(one->get_name());
  if (std::ranges::find(names, word) != names.end()) return {};
  std::vector<const char*> pointers;
  for (const std::string& name : names) pointers.push_back(name.c_str());
  const std::string all = fmt::format("{}", fmt::join(names, ", "));
  if (word.empty()) return fmt::format("baton: say what to do: {}", all);
  const char* near = baton::nearest_name(word, pointers);
  return near ? fmt::format("baton: {} is not known; did you mean {}?", word, near)
              : fmt::format("baton: {} is not known; there are {}", word, all);
}

}  // namespace

int main(int count, char** words) {
  baton::platform::open_standard_descriptors();
  std::signal(SIGPIPE, SIG_IGN);  // a closed pipe is an error of the write
  CLI::App app{"The tool of the Baton MPI library"};
  app.require_subcommand(0, 1);
  app.set_version_flag("--version", "baton (Baton) " BATON_VERSION);
  int code = 0;

  std::string page_form;
  app.add_option("--page", page_form, "Print the man page, or completion: man, bash, zsh, fish")
      ->check(CLI::IsMember({"man", "bash", "zsh", "fish"}));

  Looking looking;
  looking.add_to(app, code);

  Tuning tuning;
  tuning.add_to(app, code);
  Tuning::rename_hosts(count, words);

  Advising advising;
  advising.add_to(app, code);
  advising.take_command(count, words);

  // All of this command's words are the lab's own, so they are never parsed here.
  app.add_subcommand("lab", "Rerun the source studies: a page and its data each");
  if (count > 1 && std::string(words[1]) == "lab") return baton::cli::run_lab(words + 2);

  for (const Planned& one : planned)
    if (count > 1 && std::string(words[1]) == one.name) {
      write_error("baton: {} is not built yet; {}\n", one.name, one.instead);
      return 2;
    }
  if (const std::string problem = unknown_command(app, count, words); !problem.empty()) {
    write_error("{}\n", problem);
    return 2;
  }
  try {
    app.parse(count, words);
  } catch (const CLI::ParseError& error) {
    return baton::cli::end_of_output(usage_code(app.exit(error)));
  }
  if (!page_form.empty()) baton::cli::write_out("{}", baton::cli::page(app, page_form));
  return baton::cli::end_of_output(code);
}
