// This prints the results of `baton advise`, for people or as one JSON object.
#pragma once

#include <string>
#include <vector>

#include "cli/advise/verdict.hpp"
#include "machine/advice.hpp"

namespace baton::cli::advise {

std::string advice_text(const machine::Machine& machine, const std::vector<machine::Advice>& all);
std::string advice_json(const machine::Machine& machine, const std::vector<machine::Advice>& all);

// This is the result of running a command in configurations.
struct Outcome {
  std::vector<std::string> command;
  std::string figure;  // the pattern; empty: seconds count
  bool higher_is_better = false;
  std::vector<Trial> trials;
  std::vector<std::string> same;  // options that are equivalent to one that was tried
  std::string why_same;
  std::vector<std::string> left_out;  // configurations for which there was no time
  double seconds = 0;                 // seconds that all took
  bool interrupted = false;
  Verdict verdict;
};

std::string outcome_text(const Outcome& outcome);
std::string outcome_json(const Outcome& outcome);

}  // namespace baton::cli::advise
