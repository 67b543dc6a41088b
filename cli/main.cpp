// The `baton` tool: reads the command line, nothing else. The subcommands stand in files of their
// own.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include "cli/commands.hpp"

namespace {

// Planned, so that a script that asks for one gets a plain answer.
struct Planned {
  const char* name;
  const char* instead;
};
constexpr Planned planned[] = {
    {"explain", "mpiexec --explain prints which way the messages of a job took"},
    {"stat", "there is nothing in its place yet"},
    {"advise", "mpiexec --report-binding --dry-run shows where ranks would run"},
};

struct TuneTimes {
  double usual, quick, most;  // seconds
};
constexpr TuneTimes of_settings{100, 20, 120}, of_collectives{180, 30, 900};

// What is wrong with what was asked for; empty: nothing.
std::string complete(baton::cli::TuneOptions& tuning, const TuneTimes& times, bool quick) {
  if (tuning.seconds == 0) tuning.seconds = quick ? times.quick : times.usual;
  if (tuning.seconds < 1 || tuning.seconds > times.most)
    return fmt::format("--seconds takes 1 to {:.0f}", times.most);
  std::ranges::sort(tuning.ranks);
  for (int ranks : tuning.ranks)
    if (ranks < 2 || ranks > 256) return "--ranks takes numbers from 2 to 256";
  return {};
}

int tune(baton::cli::TuneOptions& tuning, bool quick, bool collectives) {
  const std::string problem = complete(tuning, collectives ? of_collectives : of_settings, quick);
  if (problem.empty())
    return collectives ? baton::cli::tune_collectives(tuning) : baton::cli::tune_machine(tuning);
  fmt::print(stderr, "baton tune: {}\n", problem);
  return 2;
}

}  // namespace

int main(int count, char** words) {
  CLI::App app{"The tool of the Baton MPI library"};
  app.require_subcommand(1);
  app.set_version_flag("--version", "baton (Baton) " BATON_VERSION);
  int code = 0;

  bool markdown = false;
  CLI::App* settings =
      app.add_subcommand("settings", "List every setting, its default and its reason");
  settings->add_flag("--markdown", markdown, "As docs/settings.md has it");
  settings->callback([&] { code = baton::cli::print_settings(markdown); });

  std::string captured, svg;
  CLI::App* topology = app.add_subcommand("topo", "Show the machine as mpiexec sees it");
  topology->add_option("--from", captured, "A machine captured by lstopo --of xml")
      ->check(CLI::ExistingFile);
  topology->add_option("--svg", svg, "Draw it into this file, too");
  topology->callback([&] { code = baton::cli::print_topology(captured, svg); });

  CLI::App* doctor = app.add_subcommand("doctor", "Say what of this system works for Baton");
  doctor->callback([&] { code = baton::cli::examine_system(); });

  baton::cli::TuneOptions tuning;
  bool quick = false, collectives = false;
  CLI::App* tuner = app.add_subcommand(
      "tune", "Measure this machine and write its profile, from which mpiexec takes defaults");
  tuner->add_flag("--collectives", collectives,
                  "Instead of settings: which algorithms collectives are to take");
  tuner->add_option("--seconds", tuning.seconds,
                    "How long to measure: 100, up to 120; collectives 180, up to 900");
  tuner->add_flag("--quick", quick, "In 20 seconds (collectives 30): less sure");
  tuner->add_option("--ranks", tuning.ranks, "Of collectives: how many, with commas between them")
      ->delimiter(',');
  tuner->add_option("--output", tuning.output, "The profile's file (default: where mpiexec looks)");
  tuner->add_flag("--anew", tuning.anew, "Do not go on where an interrupted run stopped");
  std::optional<std::string> shown;
  tuner
      ->add_option("--show", shown, "Print a profile (default: the one in use) and measure nothing")
      ->expected(0, 1)
      ->default_str("");
  tuner->callback(
      [&] { code = shown ? baton::cli::show_profile(*shown) : tune(tuning, quick, collectives); });

  // All of its words are the lab's own, so it never gets as far as to be parsed.
  app.add_subcommand("lab", "Rerun the studies of the sources: a page and its data each");
  if (count > 1 && std::string(words[1]) == "lab") return baton::cli::run_lab(words + 2);

  for (const Planned& one : planned)
    if (count > 1 && std::string(words[1]) == one.name) {
      fmt::print(stderr, "baton: {} is not built yet; {}\n", one.name, one.instead);
      return 2;
    }
  try {
    app.parse(count, words);
  } catch (const CLI::ParseError& error) {
    return app.exit(error);
  }
  return std::fflush(stdout) == 0 ? code : 1;
}
