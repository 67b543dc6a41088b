// The program baton-bus: the bus model of the scatter study.

#include <fmt/format.h>

#include <csignal>
#include <exception>

#include "sim/bus/commands.hpp"
#include "sim/bus/progress.hpp"

int main(int count, char** words) {
  using namespace baton::bus;
  CLI::App program(
      "A bus-functional model of scatter and gather over a shared bus (100 MHz, four bytes a "
      "cycle): rank order against status order. Simulated, not measured.",
      "baton-bus");
  program.require_subcommand(1);
  program.set_help_all_flag("--help-all", "help of all commands");
  Command chosen;
  auto add = [&](const char* name, const char* what, Command (*made)(CLI::App&)) {
    CLI::App* command = program.add_subcommand(name, what);
    Command run = made(*command);
    command->callback([&chosen, run] { chosen = run; });
  };
  add("replay", "the scatter study's example of 32 nodes, cycle by cycle", add_replay);
  add("run", "one case in both orders", add_run);
  add("sweep", "the scatter study's whole sweep, and what its open assumptions do to it",
      add_sweep);
  add("beyond", "more nodes, ring and mesh, wrong or old status, several roots, cost in hardware",
      add_beyond);
  add("inverse", "whether any setting gives the study's best gain", add_inverse);
  CLI11_PARSE(program, count, words);
  catch_interruptions();
  try {
    return chosen();
  } catch (const Interrupted& interrupted) {
    fail("interrupted; nothing was written, start it again");
    return 128 + interrupted.signal;
  } catch (const std::exception& error) {
    return fail(error.what());
  }
}
