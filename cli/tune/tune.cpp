// `baton tune` asks all questions of the machine in turn, round after round until the time is over,
// and saves its measurements after every question in a partial profile, so that it can be
// interrupted.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <numeric>

#include "base/settings.hpp"
#include "cli/commands.hpp"
#include "cli/print.hpp"
#include "cli/tune/apart.hpp"
#include "cli/tune/job.hpp"
#include "cli/tune/plan.hpp"
#include "cli/tune/session.hpp"
#include "cli/value_text.hpp"
#include "machine/discover.hpp"

namespace baton::cli {

namespace {

using namespace tune;
using profile::Profile;
using Clock = std::chrono::steady_clock;

profile::Cell& cell_of(Profile& result, const Question& question, const Variant& variant,
                       const profile::Pair& pair, const char* pattern, const Measured& one,
                       Distance distance) {
  for (profile::Cell& cell : result.measured)
    if (cell.question == question.name && cell.variant == variant.name &&
        cell.peers == pair.peers && cell.pattern == pattern && cell.data == one.data &&
        cell.bytes == one.bytes && cell.distance == distance)
      return cell;
  return result.measured.emplace_back(profile::Cell{
      question.name, variant.name, pair.peers, pattern, one.data, one.bytes, {}, distance});
}

// This is one run of `baton tune`.
class Tuning {
 public:
  Tuning(Programs programs, Profile start, std::string partial_file)
      : programs_(std::move(programs)),
        profile_(std::move(start)),
        partial_(std::move(partial_file)),
        asked_(questions(profile_.machine.cma_permitted)),
        milliseconds_(milliseconds_each(asked_, profile_.pairs.size(), profile_.budget)),
        took_(asked_.size() * profile_.pairs.size()) {}

  // Measures until the time is over or a signal comes. The error is one after which measuring
  // cannot go on.
  std::expected<void, std::string> run();
  Profile& result() { return profile_; }

 private:
  std::expected<void, std::string> ask(const Question& question, const profile::Pair& pair);
  bool time_is_over(std::size_t step) const {
    return interrupted() || profile_.seconds + took_[step] > profile_.budget;
  }

  Programs programs_;
  Profile profile_;
  std::string partial_;
  std::vector<Question> asked_;
  int milliseconds_;
  std::vector<double> took_;  // by question and pair, seconds of the last time
  std::size_t turn_ = 0;
  Progress progress_{"baton tune"};
};

// Measures all variants in turn, another one first each time. Times count only if all variants have
// them, with the CPUs as far apart as before: the rounds of all are compared one by one.
std::expected<void, std::string> Tuning::ask(const Question& question, const profile::Pair& pair) {
  struct Run {
    const Variant* variant;
    const char* pattern;
    std::vector<Measured> cells;
  };
  std::vector<Run> runs;
  const Distance distance = distance_now(pair);
  for (const char* pattern : question.patterns)
    for (std::size_t i = 0; i < question.variants.size(); ++i) {
      const Variant& variant = question.variants[(i + turn_) % question.variants.size()];
      auto cells = measure(programs_, pair, variant, pattern, question.sizes, milliseconds_);
      if (!cells) return std::unexpected(cells.error());
      if (distance_now(pair) != distance) return {};
      runs.push_back({&variant, pattern, *cells});
    }
  for (const Run& run : runs)
    for (const Measured& one : run.cells)
      cell_of(profile_, question, *run.variant, pair, run.pattern, one, distance)
          .medians_us.push_back(one.us);
  return {};
}

std::expected<void, std::string> Tuning::run() {
  for (;; ++turn_) {
    std::size_t step = 0;
    for (const Question& question : asked_)
      for (const profile::Pair& pair : profile_.pairs) {
        if (time_is_over(step)) {
          progress_.end();
          return {};
        }
        progress_.show(
            profile_.seconds, profile_.budget,
            fmt::format("{} (CPUs {} and {})", question.name, pair.cpus[0], pair.cpus[1]));
        auto start = Clock::now();
        auto answer = ask(question, pair);
        double took = std::chrono::duration<double>(Clock::now() - start).count();
        profile_.seconds += took;
        took_[step++] = took;
        if (!answer && !interrupted()) {
          progress_.end();
          return std::unexpected(answer.error());
        }
        if (auto kept = write_profile(partial_, profile_); !kept) {
          progress_.end();
          return kept;
        }
      }
    // On a busy machine, or one whose jobs start slowly, measurements are shorter, so that rounds
    // suffice.
    double round = std::accumulate(took_.begin(), took_.end(), 0.0);
    if (round * rounds_wanted > profile_.budget)
      milliseconds_ = std::max(milliseconds_least, milliseconds_ / 2);
  }
}

bool same_pairs(const std::vector<profile::Pair>& one, const std::vector<profile::Pair>& other) {
  return std::ranges::equal(one, other, [](const profile::Pair& a, const profile::Pair& b) {
    return a.peers == b.peers && std::ranges::equal(a.cpus, b.cpus);
  });
}

// Returns the partial profile of an interrupted run, if it fits; else `fresh`.
Profile resumed(const std::string& partial, const Profile& fresh, bool anew) {
  if (anew || ::access(partial.c_str(), F_OK) != 0) return fresh;
  auto left = profile::read_profile(partial);
  bool fits = left && profile::difference(left->machine, fresh.machine).empty() &&
              left->machine.cma_permitted == fresh.machine.cma_permitted &&
              same_pairs(left->pairs, fresh.pairs);
  if (!fits) {
    complain(fmt::format(
        "{}; measuring starts over",
        left ? "an interrupted run left data of another machine or other CPUs" : left.error()));
    return fresh;
  }
  say_resumed(left->seconds);
  left->budget = fresh.budget;
  return *left;
}

int finish(Profile& result, const machine::Machine& machine, const std::string& target,
           const std::string& partial) {
  result.chosen = choose(result.measured, result.machine.cma_permitted);
  result.date = now_text();
  result.complete = true;
  // Results of the other kinds of tuning are kept, if they are of use here.
  if (auto there = profile::read_usable_profile(target, machine)) {
    result.collectives = there->collectives;
    result.network = there->network;
  }
  if (auto written = write_profile(target, result); !written) {
    complain(written.error());
    return 1;
  }
  ::unlink(partial.c_str());
  for (const profile::Chosen& one : result.chosen)
    write_out("{:<24} {:>7}{} {}\n", one.setting, value_text(one.value),
              one.value == default_of(*find_setting(one.setting.c_str())) ? " " : "*", one.reason);
  write_out("(* differs from the default)\nwritten: {}\n", target);
  return 0;
}

}  // namespace

int tune_machine(const TuneOptions& options) {
  auto failed = [](const std::string& text) {
    complain(text);
    return 1;
  };
  auto machine = machine::read_machine();
  if (!machine) return failed(machine.error());
  Profile start = new_profile(*machine);
  start.budget = options.seconds;
  start.pairs = pairs_of(*machine);
  if (start.pairs.empty() || start.machine.cpus_usable < 2)
    return failed(fmt::format(
        "two CPUs are needed, one for each side of a message; affinity and control group grant {}",
        start.machine.cpus_usable));
  auto programs = find_programs();
  if (!programs) return failed(programs.error());
  const auto [target, problem] = target_of(options);
  if (!problem.empty()) return failed(problem);
  std::string partial = target + ".partial";
  start = resumed(partial, start, options.anew);
  // This writes at once, so that a bad name does not cost two minutes.
  if (auto written = write_profile(partial, start); !written) return failed(written.error());

  warn_if_busy(start.machine.cpus_usable);
  watch_signals();
  Tuning tuning(*programs, start, partial);
  if (auto ran = tuning.run(); !ran) return failed(ran.error());
  if (interrupted())
    return say_interrupted(tuning.result().seconds, tuning.result().budget, partial);
  return finish(tuning.result(), *machine, target, partial);
}

}  // namespace baton::cli
