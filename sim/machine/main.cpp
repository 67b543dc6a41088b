// The program baton-machine: machines that nobody here has, as flows through their memory, links
// and caches, under Baton's own placement. Simulated, not measured.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <fstream>
#include <iostream>

#include "sim/machine/report.hpp"

namespace {

using namespace baton::model;

int fail(const std::string& text) {
  fmt::print(stderr, "baton-machine: {}\n", text);
  return 1;
}

int write(const std::string& path, const Json& report) {
  const std::string text = report.dump(1) + "\n";
  if (path.empty()) return std::fwrite(text.data(), 1, text.size(), stdout) == text.size() ? 0 : 1;
  std::ofstream file(path);
  file << text;
  file.close();
  return file ? 0 : fail(fmt::format("{}: cannot be written", path));
}

Json read(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error(fmt::format("{}: no such file", path));
  try {
    return Json::parse(file);
  } catch (const std::exception& error) {
    throw std::runtime_error(fmt::format("{}: {}", path, error.what()));
  }
}

}  // namespace

int main(int count, char** words) {
  CLI::App program(
      "Machines that nobody here has: what their memory, links and caches do for ranks that Baton "
      "has placed. Simulated, not measured.",
      "baton-machine");
  program.require_subcommand(1);
  std::string machine, cases, out;
  int steps = 100;
  auto add = [&](const char* name, const char* what) {
    CLI::App* command = program.add_subcommand(name, what);
    command->add_option("--machine", machine, "The machine's file")->required();
    command->add_option("--out", out, "Where the report goes (default: standard output)");
    return command;
  };
  add("show", "the machine's numbers, each with its reference");
  CLI::App* run = add("run", "some cases, one after the other");
  run->add_option("--cases", cases, "Their file: a list in JSON")->required();
  run->add_option("--steps", steps, "Each rank's work is divided into so many")
      ->check(CLI::Range(1, 100000))
      ->capture_default_str();
  CLI11_PARSE(program, count, words);
  try {
    const Description description = Description::read(machine);
    if (!run->parsed()) return write(out, describe(description));
    const Json given = read(cases);
    if (!given.is_array() || given.empty()) return fail(cases + ": is no list of cases");
    std::vector<Planned> planned;
    std::vector<Case> made;
    for (const Json& one : given) {
      planned.push_back(planned_from(description, one));
      made.push_back(planned.back().made);
    }
    return write(out, report_of(description, given, planned, simulate(made, steps)));
  } catch (const std::exception& error) {
    return fail(error.what());
  }
}
