// The `baton` tool: reads the command line, nothing else. The subcommands stand in files of their
// own.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
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
    {"lab", "./dev bench compares this machine's MPI libraries"},
};

constexpr double tune_seconds = 100, tune_seconds_quick = 20, tune_seconds_max = 120;

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

  std::string captured;
  CLI::App* topology = app.add_subcommand("topo", "Show the machine as mpiexec sees it");
  topology->add_option("--from", captured, "A machine captured by lstopo --of xml")
      ->check(CLI::ExistingFile);
  topology->callback([&] { code = baton::cli::print_topology(captured); });

  CLI::App* doctor = app.add_subcommand("doctor", "Say what of this system works for Baton");
  doctor->callback([&] { code = baton::cli::examine_system(); });

  baton::cli::TuneOptions tuning;
  bool quick = false;
  CLI::App* tune = app.add_subcommand(
      "tune", "Measure this machine and write its profile, from which mpiexec takes defaults");
  tuning.seconds = tune_seconds;
  tune->add_option("--seconds", tuning.seconds, "How long to measure")
      ->check(CLI::Range(1.0, tune_seconds_max))
      ->capture_default_str();
  tune->add_flag("--quick", quick, "In 20 seconds: less sure");
  tune->add_option("--output", tuning.output, "The profile's file (default: where mpiexec looks)");
  tune->add_flag("--anew", tuning.anew, "Do not go on where an interrupted run stopped");
  std::optional<std::string> shown;
  tune->add_option("--show", shown, "Print a profile (default: the one in use) and measure nothing")
      ->expected(0, 1)
      ->default_str("");
  tune->callback([&] {
    if (quick) tuning.seconds = tune_seconds_quick;
    code = shown ? baton::cli::show_profile(*shown) : baton::cli::tune_machine(tuning);
  });

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
