// The options of the commands, made into cases. Called by main.cpp and the commands.
// An error names the option and what to give instead.
#pragma once

#include <CLI/CLI.hpp>
#include <expected>
#include <string>

#include "sim/bus/case.hpp"
#include "sim/bus/draw.hpp"

namespace baton::bus {

struct CaseOptions {
  Case given;  // without blocks, channels and flaws
  Draw draw;
  Bytes message = 64;
  std::vector<Bytes> blocks;      // a node each; empty: message for all
  std::vector<std::string> busy;  // RANK:LEFT[:EARLIER], RANK:never, RANK:dead; empty: drawn
  double wrong_share = 0;
  Cycles age = 0;
};

void add_overhead_options(CLI::App& command, Overhead& overhead);
void add_operation_option(CLI::App& command, Operation& operation);
void add_case_options(CLI::App& command, CaseOptions& options);

/// The case that the options ask for, or what is wrong with them.
std::expected<Case, std::string> case_of(const CaseOptions& options);

}  // namespace baton::bus
