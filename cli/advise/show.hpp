// How `baton advise` speaks: to people, or as one JSON object.
#pragma once

#include <string>
#include <vector>

#include "cli/advise/verdict.hpp"
#include "machine/advice.hpp"

namespace baton::cli::advise {

std::string advice_text(const machine::Machine& machine, const std::vector<machine::Advice>& all);
std::string advice_json(const machine::Machine& machine, const std::vector<machine::Advice>& all);

// What came of running a command.
struct Outcome {
  std::vector<std::string> command;
  std::string figure;  // the pattern; empty: seconds count
  bool higher_is_better = false;
  std::vector<Trial> trials;
  std::vector<std::string> same;  // options that come to the same as one that was tried
  std::string why_same;
  std::vector<std::string> left_out;  // for want of time
  double seconds = 0;                 // that it took
  bool interrupted = false;
  Verdict verdict;
};

std::string outcome_text(const Outcome& outcome);
std::string outcome_json(const Outcome& outcome);

}  // namespace baton::cli::advise
