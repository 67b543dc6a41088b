// The commands of baton-bus. Each adds its options, and returns what the program ends with: 0 only
// when it did what it says. JSON goes to --out or standard output, all else to standard error.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>

#include "sim/bus/report.hpp"

namespace baton::bus {

struct Output {
  std::string path;  // empty: standard output
  bool quiet = false;
};

void add_output_options(CLI::App& command, Output& output);

/// Writes all or nothing. False (and said so) when it could not.
bool write(const Output& output, const Json& report);

/// Prints "baton-bus: ..." to standard error; returns 1.
int fail(const std::string& text);

using Command = std::function<int()>;
Command add_replay(CLI::App& command);
Command add_run(CLI::App& command);
Command add_sweep(CLI::App& command);
Command add_beyond(CLI::App& command);
Command add_inverse(CLI::App& command);

}  // namespace baton::bus
