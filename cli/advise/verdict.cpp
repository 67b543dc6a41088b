#include "cli/advise/verdict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <regex>
#include <sstream>

namespace baton::cli::advise {

namespace {

constexpr double hopeless = 3;  // so many times slower in the first round: there is no second one
constexpr double chance_most = 0.05;  // of recommending one that is not better

std::vector<double> costs_of(const Trial& trial, bool higher_is_better) {
  std::vector<double> costs = trial.values;
  if (higher_is_better)
    for (double& value : costs) value = 1 / value;
  return costs;
}

constexpr int rounds_least = 5;  // guess: fewer say little about the noise

// Returns the probability that of two equal ones the same one is better in so many rounds or more.
double chance_of(int better, int rounds) {
  double chance = 0, ways = 1;  // ways to choose the rounds in which the other one is better
  for (int worse = 0; worse <= rounds - better; ++worse) {
    chance += ways * std::pow(0.5, rounds);
    ways = ways * (rounds - worse) / (worse + 1);
  }
  return chance;
}

std::size_t rivals_in(const std::vector<Trial>& trials) {
  return std::max<std::size_t>(trials.size(), 2) - 1;
}

std::string percent(double ratio) {
  return fmt::format("{:.1f} %", 100 * std::abs(ratio));
}

// Returns the quickest of those that are significantly better; of those that are alike the first.
const Trial* winner(const std::vector<Trial>& trials, const Trial& base, bool higher) {
  const Trial* best = nullptr;
  double least = 1;
  for (const Trial& trial : trials) {
    if (&trial == &base || !trial.failure.empty() ||
        !is_better(trial, base, higher, rivals_in(trials)))
      continue;
    if (const double ratio = compare(trial, base, higher).ratio; ratio < least)
      best = &trial, least = ratio;
  }
  if (!best) return nullptr;
  for (const Trial& trial : trials)
    if (&trial != &base && trial.failure.empty() &&
        is_better(trial, base, higher, rivals_in(trials)) &&
        (&trial == best || !is_better(*best, trial, higher, 1)))
      return &trial;
  return best;
}

// Returns the gain as people say it: of a time that is shorter, of a figure that is higher.
double gain_of(double ratio, bool higher_is_better) {
  return higher_is_better ? 1 / ratio - 1 : 1 - ratio;
}

// Returns in how many rounds one is better than the other.
int rounds_better(const Trial& one, const Trial& other, bool higher_is_better) {
  const auto own = costs_of(one, higher_is_better), its = costs_of(other, higher_is_better);
  int better = 0;
  for (std::size_t i = 0; i < std::min(own.size(), its.size()); ++i) better += own[i] < its[i];
  return better;
}

// Returns one whose median is better by more than the noise, though not in enough rounds; null:
// none.
const Trial* uncertain(const std::vector<Trial>& trials, const Trial& base, bool higher) {
  const Trial* best = nullptr;
  double least = 1;
  for (const Trial& trial : trials) {
    if (&trial == &base || !trial.failure.empty()) continue;
    const tune::Comparison seen = compare(trial, base, higher);
    if (seen.first_is_better() && seen.ratio < least) best = &trial, least = seen.ratio;
  }
  return best;
}

}  // namespace

const Trial* base_of(const std::vector<Trial>& trials) {
  for (const Trial& trial : trials)
    if (trial.failure.empty()) return &trial;
  return nullptr;
}

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::ranges::sort(values);
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

tune::Comparison compare(const Trial& one, const Trial& other, bool higher_is_better) {
  return tune::compare_rounds(costs_of(one, higher_is_better), costs_of(other, higher_is_better));
}

int rounds_needed(std::size_t rivals) {
  int rounds = rounds_least;
  while (chance_of(rounds, rounds) * static_cast<double>(std::max<std::size_t>(rivals, 1)) >
         chance_most)
    ++rounds;
  return rounds;
}

bool is_better(const Trial& one, const Trial& other, bool higher_is_better, std::size_t rivals) {
  const tune::Comparison seen = compare(one, other, higher_is_better);
  if (seen.rounds < rounds_least || !seen.first_is_better()) return false;
  const int better = rounds_better(one, other, higher_is_better);
  return chance_of(better, seen.rounds) * static_cast<double>(rivals) <= chance_most;
}

bool is_behind(const Trial& trial, const Trial& base, bool higher_is_better) {
  if (&trial == &base || trial.values.empty() || base.values.empty()) return false;
  if (costs_of(trial, higher_is_better).front() >
      hopeless * costs_of(base, higher_is_better).front())
    return true;
  const tune::Comparison seen = compare(trial, base, higher_is_better);
  return seen.rounds > 0 && std::log(seen.ratio) > 2 * seen.noise;
}

bool is_settled(const std::vector<Trial>& trials, bool higher_is_better) {
  const Trial* base = base_of(trials);
  const int needed = rounds_needed(rivals_in(trials));
  if (!base || base->values.size() < static_cast<std::size_t>(needed)) return false;
  return std::ranges::all_of(trials, [&](const Trial& trial) {
    if (&trial == base || !trial.failure.empty() || is_behind(trial, *base, higher_is_better))
      return true;
    const tune::Comparison seen = compare(trial, *base, higher_is_better);
    return seen.rounds >= needed && std::abs(std::log(seen.ratio)) > 2 * seen.noise;
  });
}

Verdict decide(const std::vector<Trial>& trials, bool higher_is_better) {
  const Trial* base = base_of(trials);
  if (!base) return {Verdict::Kind::none, 0, "the command fails in every configuration"};
  Verdict verdict{Verdict::Kind::none, static_cast<std::size_t>(base - trials.data()), {}};
  const int rounds = static_cast<int>(base->values.size());
  const int needed = rounds_needed(rivals_in(trials));
  if (rounds < needed) {
    verdict.reason =
        fmt::format("{} round{} of all configurations fitted into the time, {} are needed", rounds,
                    rounds == 1 ? "" : "s", needed);
    return verdict;
  }
  const Trial* best = winner(trials, *base, higher_is_better);
  if (best) {
    const tune::Comparison seen = compare(*best, *base, higher_is_better);
    verdict.kind = Verdict::Kind::change;
    verdict.recommended = static_cast<std::size_t>(best - trials.data());
    verdict.reason =
        fmt::format("{}: {} better than {}, noise between rounds {}, {} rounds",
                    best->candidate.effect, percent(gain_of(seen.ratio, higher_is_better)),
                    base->candidate.text(), percent(seen.noise), seen.rounds);
    return verdict;
  }
  verdict.kind = Verdict::Kind::stay;
  if (const Trial* one = uncertain(trials, *base, higher_is_better)) {
    const tune::Comparison seen = compare(*one, *base, higher_is_better);
    verdict.reason = fmt::format(
        "{}: {} better than {} in the median, but better in {} of {} rounds only, which chance may "
        "do to one of {}; more rounds (--seconds) would tell",
        one->candidate.text(), percent(gain_of(seen.ratio, higher_is_better)),
        base->candidate.text(), rounds_better(*one, *base, higher_is_better), seen.rounds,
        trials.size());
    return verdict;
  }
  double noise = 0;
  for (const Trial& trial : trials)
    if (&trial != base && trial.failure.empty() && !is_behind(trial, *base, higher_is_better))
      noise = std::max(noise, compare(trial, *base, higher_is_better).noise);
  verdict.reason = noise > 0
                       ? fmt::format(
                             "no other configuration is better by more than the noise between "
                             "rounds (up to {}), {} rounds",
                             percent(noise), rounds)
                       : fmt::format("no other configuration comes near it, {} rounds", rounds);
  return verdict;
}

bool find_figure(const std::string& output, const std::string& pattern, double* figure,
                 std::string* problem) {
  constexpr std::size_t line_most = 4096;  // the library's regex matcher recurses for each letter
  std::string last;
  try {
    const std::regex wanted(pattern);
    std::istringstream lines(output);
    for (std::string line; std::getline(lines, line);) {
      line.resize(std::min(line.size(), line_most));
      for (auto match = std::sregex_iterator(line.begin(), line.end(), wanted);
           match != std::sregex_iterator(); ++match)
        last = (*match)[match->size() > 1 ? 1 : 0].str();
    }
  } catch (const std::regex_error& error) {
    *problem = fmt::format("--figure {}: {}", pattern, error.what());
    return false;
  }
  if (last.empty()) {
    *problem = fmt::format("it printed nothing that --figure {} finds", pattern);
    return false;
  }
  std::size_t start = last.find_first_of("0123456789");
  while (start != std::string::npos && start > 0 &&
         (last[start - 1] == '.' || last[start - 1] == '-'))
    --start;
  *figure = start == std::string::npos ? 0 : std::strtod(last.c_str() + start, nullptr);
  if (*figure > 0 && std::isfinite(*figure)) return true;
  *problem = fmt::format("--figure {} finds \"{}\", and it takes a number above 0", pattern, last);
  return false;
}

}  // namespace baton::cli::advise
