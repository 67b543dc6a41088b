// `baton advise` gives advice from the topology alone, or by running a command in the
// configurations that differ here, round after round, until the time is over or nothing is left to
// find out.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <sstream>

#include "cli/advise/show.hpp"
#include "cli/commands.hpp"
#include "cli/print.hpp"
#include "cli/progress.hpp"
#include "cli/run_job.hpp"
#include "machine/discover.hpp"
#include "platform/file_text.hpp"

namespace baton::cli {

namespace {

using namespace advise;
using Clock = std::chrono::steady_clock;

constexpr int timed_out_code = 124;     // exit code of mpiexec
constexpr std::size_t rounds_max = 25;  // guess: what is close after so many rounds is equal

int fail(const std::string& text, int code = 1) {
  write_error("baton advise: {}\n", text);
  return code;
}

// Returns a variable of this process' environment; empty: not set.
std::string variable(const std::string& name) {
  for (const std::string& entry : own_environment())
    if (entry.starts_with(name + '=')) return entry.substr(name.size() + 1);
  return {};
}

// Returns the file that the shell would run.
std::string program_file(const std::string& word) {
  if (word.find('/') != std::string::npos) return word;
  const std::string folders = variable("PATH");
  for (std::size_t at = 0; at <= folders.size();) {
    const std::size_t end = std::min(folders.find(':', at), folders.size());
    std::string file = folders.substr(at, end - at) + '/' + word;
    if (::access(file.c_str(), X_OK) == 0) return file;
    at = end + 1;
  }
  return word;
}

// Returns whether the program's file mentions OpenMP. A script does not, whatever it starts.
bool names_openmp(const std::string& file) {
  const std::string bytes = platform::file_text(file).value_or("");
  constexpr const char* names[] = {"libgomp.so", "libomp.so", "libiomp5.so", "GOMP_parallel",
                                   "__kmpc_fork_call"};
  return std::ranges::any_of(names,
                             [&](const char* name) { return bytes.find(name) != bytes.npos; });
}

// Returns the last line of the program; else mpiexec's words about its end.
std::string last_words(const std::string& output) {
  std::istringstream lines(output);
  std::string own, of_mpiexec = "it printed nothing";
  for (std::string line; std::getline(lines, line);) {
    line.erase(line.find_last_not_of(" \r\t") + 1);
    if (!line.empty()) (line.starts_with("mpiexec: ") ? of_mpiexec : own) = line;
  }
  constexpr std::size_t most = 300;
  return (own.empty() ? of_mpiexec : own).substr(0, most);
}

// This is one run of `baton advise -- COMMAND`.
class Advising {
 public:
  Advising(const AdviseOptions& options, std::string mpiexec)
      : options_(options), mpiexec_(std::move(mpiexec)), start_(Clock::now()) {}

  // Runs the trials. Returns why measuring is of no use, or an empty text.
  std::string run(const Candidates& candidates);
  Outcome outcome;

 private:
  double elapsed() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }
  // Runs a trial once: gives its value, or a failure, and in either case the time it took.
  bool try_once(Trial& trial, double* value, double* took);
  std::string warm_up(double* took);
  void fit_into_time();
  bool is_worse(const Trial& one, const Trial& other) const;
  // Runs one round. False: the time is over, or a signal has come.
  bool round(std::size_t number);
  bool takes_part(const Trial& trial) const;

  const AdviseOptions& options_;
  std::string mpiexec_;
  Clock::time_point start_;
  std::vector<double> took_;  // by trial, the seconds of the last run
  bool time_is_over_ = false;
  Progress progress_{"baton advise"};
};

bool Advising::try_once(Trial& trial, double* value, double* took) {
  constexpr double least = 0.05;
  const double left = options_.seconds - elapsed();
  const double limit = std::max(least, std::min(options_.run_seconds, left));
  std::vector<std::string> words{mpiexec_, "--timeout", std::to_string(limit)};
  words.insert(words.end(), trial.candidate.options.begin(), trial.candidate.options.end());
  words.insert(words.end(), options_.command.begin(), options_.command.end());
  const auto start = Clock::now();
  auto end = run_job(std::move(words), own_environment());
  *took = std::chrono::duration<double>(Clock::now() - start).count();
  if (interrupted()) return false;
  if (end && end->code == timed_out_code && limit < options_.run_seconds) {
    time_is_over_ = true;  // which is not the configuration's fault
    return false;
  }
  std::string problem;
  if (!end)
    problem = end.error();
  else if (end->code == timed_out_code)
    problem = fmt::format("it did not end within {:g} s (--run-seconds)", options_.run_seconds);
  else if (end->code != 0)
    problem = fmt::format("code {}: {}", end->code, last_words(end->output));
  else if (options_.figure.empty())
    *value = *took;
  else if (double figure = 0; find_figure(end->output, options_.figure, &figure, &problem))
    *value = figure;
  trial.failure = problem;
  return problem.empty();
}

bool Advising::takes_part(const Trial& trial) const {
  const Trial* base = base_of(outcome.trials);
  return trial.failure.empty() && base && !is_behind(trial, *base, outcome.higher_is_better);
}

// The first run reads files that are not in memory yet, so it counts for nothing.
std::string Advising::warm_up(double* took) {
  progress_.show(0, options_.seconds, "warming up");
  double value = 0;
  Trial& plain = outcome.trials.front();
  if (try_once(plain, &value, took) || interrupted() || *took < options_.run_seconds) return {};
  return fmt::format("{}: {}; give the program less to do, or more time with --seconds",
                     plain.candidate.text(), plain.failure);
}

// Gives up configurations where there is no time for enough rounds of all: the last one, which
// promises least, or, once there are values, the worst. At least enough for a comparison are kept.
void Advising::fit_into_time() {
  std::vector<Trial>& trials = outcome.trials;
  while (const Trial* base = base_of(trials)) {
    const int done = static_cast<int>(base->values.size());
    double round = 0;
    std::size_t rivals = 0, victim = 0;
    for (std::size_t i = 0; i < trials.size(); ++i) {
      if (!takes_part(trials[i])) continue;
      round += took_[i];
      if (&trials[i] == base) continue;
      ++rivals;
      if (rivals == 1 || done == 0 || is_worse(trials[i], trials[victim])) victim = i;
    }
    if (rivals < (done > 0 ? 2 : 1)) return;
    if (elapsed() + round * (rounds_needed(trials.size() - 1) - done) <= options_.seconds) return;
    outcome.left_out.push_back(trials[victim].candidate.text());
    trials.erase(trials.begin() + static_cast<long>(victim));
    took_.erase(took_.begin() + static_cast<long>(victim));
  }
}

bool Advising::is_worse(const Trial& one, const Trial& other) const {
  const double mine = median(one.values), its = median(other.values);
  return outcome.higher_is_better ? mine < its : mine > its;
}

// Runs all trials in turn, another one first each time. Values count only if all have them.
bool Advising::round(std::size_t number) {
  std::vector<Trial>& trials = outcome.trials;
  std::vector<double> values(trials.size(), 0);
  for (std::size_t i = 0; i < trials.size(); ++i) {
    const std::size_t one = (i + number) % trials.size();
    if (!takes_part(trials[one])) continue;
    if (elapsed() + took_[one] > options_.seconds) return false;
    progress_.show(elapsed(), options_.seconds,
                   fmt::format("round {}, {}", number + 1, trials[one].candidate.text()));
    try_once(trials[one], &values[one], &took_[one]);
    if (interrupted() || time_is_over_) return false;
  }
  for (std::size_t i = 0; i < trials.size(); ++i)
    if (values[i] > 0) trials[i].values.push_back(values[i]);
  return base_of(trials) != nullptr;
}

std::string Advising::run(const Candidates& candidates) {
  outcome.command = options_.command;
  outcome.figure = options_.figure;
  outcome.higher_is_better = !options_.figure.empty() && !options_.lower_is_better;
  outcome.same = candidates.same;
  outcome.why_same = candidates.why_same;
  for (const Candidate& candidate : candidates.tried) outcome.trials.push_back({candidate, {}, {}});
  double took = 0;
  std::string problem = warm_up(&took);
  took_.assign(outcome.trials.size(), took);
  if (problem.empty() && !interrupted() && outcome.trials.front().failure.empty()) {
    fit_into_time();
    if (outcome.trials.size() < 2 && !outcome.left_out.empty())
      problem = fmt::format(
          "a run takes {:.1f} s: {} rounds of two configurations need about {:.0f} s; --seconds "
          "gives more time",
          took, rounds_needed(1), std::ceil(took * (2 * rounds_needed(1) + 2)));
  }
  if (problem.empty())
    for (std::size_t number = 0; number < rounds_max && !interrupted() && round(number); ++number) {
      if (is_settled(outcome.trials, outcome.higher_is_better)) break;
      fit_into_time();
    }
  progress_.end();
  outcome.seconds = elapsed();
  outcome.interrupted = interrupted();
  outcome.verdict = decide(outcome.trials, outcome.higher_is_better);
  return problem;
}

int advise_without_running(const AdviseOptions& options) {
  auto machine = options.topology.empty() ? machine::read_machine()
                                          : machine::read_captured_machine(options.topology);
  if (!machine) return fail(machine.error());
  const auto all = machine::advise(*machine, options.ranks);
  write_out("{}", options.json ? advice_json(*machine, all) : advice_text(*machine, all));
  return 0;
}

int advise_by_running(const AdviseOptions& options) {
  auto machine = machine::read_machine();
  if (!machine) return fail(machine.error());
  auto mpiexec = find_beside("mpiexec");
  if (!mpiexec) return fail(mpiexec.error());
  if (double figure = 0; !options.figure.empty()) {  // a bad pattern is to be reported at once
    std::string problem;
    if (!find_figure("1", options.figure, &figure, &problem) && problem.starts_with("--figure ") &&
        problem.find("finds") == std::string::npos)
      return fail(problem, 2);
  }
  Wanted wanted;
  wanted.ranks = options.ranks;
  wanted.width = std::max(1, std::atoi(variable("OMP_NUM_THREADS").c_str()));
  wanted.layouts = options.layouts || names_openmp(program_file(options.command.front()));
  std::string problem;
  const Candidates all = candidates(*machine, wanted, &problem);
  if (all.tried.empty()) return fail(problem);
  if (const std::string busy = busy_text(); !busy.empty())
    write_error("baton advise: {}: the results are less reliable\n", busy);
  watch_signals();
  Advising advising(options, *mpiexec);
  problem = advising.run(all);
  if (!problem.empty()) return fail(problem);
  const Outcome& outcome = advising.outcome;
  write_out("{}", options.json ? outcome_json(outcome) : outcome_text(outcome));
  if (outcome.interrupted) return interrupted_code;
  return outcome.verdict.kind == Verdict::Kind::none ? 1 : 0;
}

}  // namespace

int advise_user(const AdviseOptions& options) {
  return options.command.empty() ? advise_without_running(options) : advise_by_running(options);
}

}  // namespace baton::cli
