// What runs of a command in several configurations say. Pure: values in, recommendation out.
#pragma once

#include <string>
#include <vector>

#include "cli/advise/candidate.hpp"
#include "cli/tune/question.hpp"

namespace baton::cli::advise {

// A configuration and what it came to: a value a round, the same rounds for all.
struct Trial {
  Candidate candidate;
  std::vector<double> values;  // seconds, or the program's figure
  std::string failure;         // why it is not tried again; empty: it is
};

// With which the others are compared: the first that did not fail; null: all did.
const Trial* base_of(const std::vector<Trial>& trials);

double median(std::vector<double> values);

// How a trial compares with another: a ratio below 1 says that it is better.
tune::Comparison compare(const Trial& one, const Trial& other, bool higher_is_better);

// Rounds after which a difference counts, where the best of so many others is looked for: chance
// makes one of them better in all of fewer rounds more than once in twenty times.
int rounds_needed(std::size_t rivals);

// Whether `one` is better than `other` by more than the noise between rounds, and in more rounds
// than chance makes one of the rivals better.
bool is_better(const Trial& one, const Trial& other, bool higher_is_better, std::size_t rivals);

// So far behind that another round would be a waste of time: at once, or clearly after a few.
bool is_behind(const Trial& trial, const Trial& base, bool higher_is_better);

// Nothing that another round would change: each that is left differs clearly from the first.
bool is_settled(const std::vector<Trial>& trials, bool higher_is_better);

struct Verdict {
  enum class Kind { none, stay, change };  // none: nothing can be said
  Kind kind = Kind::none;
  std::size_t recommended = 0;  // of the trials; `stay`: the base
  std::string reason;
};

Verdict decide(const std::vector<Trial>& trials, bool higher_is_better);

// The number that a program printed: the last match of the pattern, its first group if it has one.
// False: *problem says why there is none.
bool find_figure(const std::string& output, const std::string& pattern, double* figure,
                 std::string* problem);

}  // namespace baton::cli::advise
