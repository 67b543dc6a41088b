// This has the questions of `baton tune` about a machine, and turns answers into values of
// settings. It is pure: times in, value and reason out. The command (tune.cpp) and tests call it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "profile/profile.hpp"

namespace baton::cli::tune {

// This is a variant to be measured: the settings that force it.
struct Variant {
  const char* name;
  std::vector<std::pair<const char*, std::string>> settings;
};

// These variants are measured side by side at the same sizes.
struct Question {
  const char* name;
  std::vector<const char*> patterns;  // of baton-measure
  std::vector<std::int64_t> sizes;
  std::vector<Variant> variants;
  bool needs_cma;
};

std::vector<Question> questions(bool cma_permitted);

// This says how much quicker one variant is than another.
struct Comparison {
  double ratio = 1;  // of the times; below 1: the first is quicker
  double noise = 0;  // difference from 1 that may be chance
  int rounds = 0;    // 0: not measured

  bool first_is_better() const { return rounds > 0 && ratio < 1 - noise; }
  bool second_is_better() const { return rounds > 0 && ratio > 1 + noise; }
};

// Times are paired by round, one of each variant; fewer than `rounds_min` rounds are not compared.
inline constexpr int rounds_min = 3;  // fewer say nothing about noise
Comparison compare_rounds(const std::vector<double>& first, const std::vector<double>& second);

// Compares two variants at one size (0: at all) over all pairs, patterns and the wanted data ("":
// both). Rounds are compared one by one, since both variants of a round saw the same state of the
// machine.
Comparison compare(std::span<const profile::Cell> cells, const char* question, const char* first,
                   const char* second, std::int64_t bytes, const char* data);

// Returns every tuned setting, with the value to use and the reason in words. A value differs from
// the default only where that is better by more than the noise.
std::vector<profile::Chosen> choose(std::span<const profile::Cell> cells, bool cma_permitted);

}  // namespace baton::cli::tune
