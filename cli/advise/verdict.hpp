// This evaluates runs of a command in several configurations. It is pure: values in, recommendation
// out.
#pragma once

#include <string>
#include <vector>

#include "cli/advise/candidate.hpp"
#include "cli/tune/question.hpp"

namespace baton::cli::advise {

// This is a configuration and its results: a value for each round, in the same rounds for all.
struct Trial {
  Candidate candidate;
  std::vector<double> values;  // seconds, or the program's figure
  std::string failure;         // why it is not tried again; empty: it still is
};

// Returns the trial with which others are compared: the first that did not fail; null: all failed.
const Trial* base_of(const std::vector<Trial>& trials);

double median(std::vector<double> values);

// Returns how a trial compares with another: a ratio below 1 says that it is better.
tune::Comparison compare(const Trial& one, const Trial& other, bool higher_is_better);

// Returns after how many rounds a difference counts, where the best of `rivals` others is sought:
// in fewer rounds chance would make one of them better in all rounds more than once in twenty
// times.
int rounds_needed(std::size_t rivals);

// Returns whether `one` is better than `other` by more than the noise between rounds, and in more
// rounds than chance makes one of the rivals better.
bool is_better(const Trial& one, const Trial& other, bool higher_is_better, std::size_t rivals);

// Returns whether a trial is too far behind for another round: at once, or clearly after a few.
bool is_behind(const Trial& trial, const Trial& base, bool higher_is_better);

// Returns whether no round can change the result: each remaining trial differs clearly from the
// first.
bool is_settled(const std::vector<Trial>& trials, bool higher_is_better);

struct Verdict {
  enum class Kind { none, stay, change };  // none: no statement is possible
  Kind kind = Kind::none;
  std::size_t recommended = 0;  // index of the trial; `stay`: the base
  std::string reason;
};

Verdict decide(const std::vector<Trial>& trials, bool higher_is_better);

// Finds the number that a program printed: the last match of the pattern, its first group if it has
// one. False: *problem says why there is none.
bool find_figure(const std::string& output, const std::string& pattern, double* figure,
                 std::string* problem);

}  // namespace baton::cli::advise
