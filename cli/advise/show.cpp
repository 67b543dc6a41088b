#include "cli/advise/show.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

namespace baton::cli::advise {

namespace {

using nlohmann::json;

// Returns the command as one would type it.
std::string command_text(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) {
    const bool plain = !word.empty() && word.find_first_of(" \t\n'\"\\$&|;<>()*?") == word.npos;
    text += (text.empty() ? "" : " ") + (plain ? word : "'" + word + "'");
  }
  return text;
}

std::string difference_text(const Trial& trial, const Trial& base, bool higher_is_better) {
  const tune::Comparison seen = compare(trial, base, higher_is_better);
  if (&trial == &base || seen.rounds == 0) return "";
  const double gain = higher_is_better ? 1 / seen.ratio - 1 : 1 - seen.ratio;
  return fmt::format("{:.1f} % {}, noise {:.1f} %", 100 * std::abs(gain),
                     gain > 0 ? "better" : "worse", 100 * seen.noise);
}

std::string table_of(const Outcome& outcome) {
  std::size_t width = 0;
  for (const Trial& trial : outcome.trials) width = std::max(width, trial.candidate.text().size());
  const Trial* base = base_of(outcome.trials);
  std::string text;
  for (const Trial& trial : outcome.trials) {
    text += fmt::format("  {:<{}}  ", trial.candidate.text(), width);
    if (!trial.values.empty())
      text += fmt::format("{:>10.4g}{}  {:>2} round{}  {}", median(trial.values),
                          outcome.figure.empty() ? " s" : "", trial.values.size(),
                          trial.values.size() == 1 ? " " : "s",
                          base ? difference_text(trial, *base, outcome.higher_is_better) : "");
    if (!trial.failure.empty()) text += "FAILED: " + trial.failure;
    text.erase(text.find_last_not_of(' ') + 1);
    text += '\n';
  }
  return text;
}

bool changes_ranks(const Candidate& candidate) {
  return std::ranges::find(candidate.options, "--layout") != candidate.options.end();
}

std::string verdict_text(const Outcome& outcome) {
  const Verdict& verdict = outcome.verdict;
  if (verdict.kind == Verdict::Kind::none) return "no recommendation: " + verdict.reason + '\n';
  const Candidate& best = outcome.trials[verdict.recommended].candidate;
  std::string text = fmt::format("recommended: mpiexec {} {}\n  because {}\n", best.text(),
                                 command_text(outcome.command), verdict.reason);
  if (verdict.kind == Verdict::Kind::change && changes_ranks(best))
    text +=
        "  it has another number of ranks: that counts only if the whole job still does the same "
        "work\n";
  return text;
}

}  // namespace

std::string advice_text(const machine::Machine& machine, const std::vector<machine::Advice>& all) {
  std::string text = "this machine: " + machine::situation_text(machine) + '\n';
  text +=
      "worth trying, most promising first; figures are from the studies behind Baton, on other "
      "machines\n";
  for (const machine::Advice& one : all)
    text += fmt::format("\nmpiexec {}\n  for      {}\n  because  {}{}\n", one.options, one.purpose,
                        one.reason, one.study.empty() ? "" : " (study " + one.study + ")");
  return text + "\n`baton advise -n RANKS -- COMMAND` measures what a program gains here\n";
}

std::string advice_json(const machine::Machine& machine, const std::vector<machine::Advice>& all) {
  json result{{"machine", machine.model},
              {"situation", machine::situation_text(machine)},
              {"advice", json::array()}};
  for (const machine::Advice& one : all)
    result["advice"].push_back({{"options", one.options},
                                {"purpose", one.purpose},
                                {"reason", one.reason},
                                {"study", one.study.empty() ? json() : json(one.study)}});
  return result.dump(1) + '\n';
}

std::string outcome_text(const Outcome& outcome) {
  std::string text =
      fmt::format("{}: {}\n", command_text(outcome.command),
                  outcome.figure.empty() ? "seconds of whole runs, lower is better"
                                         : fmt::format("--figure {}, {} is better", outcome.figure,
                                                       outcome.higher_is_better ? "more" : "less"));
  text += table_of(outcome);
  if (!outcome.why_same.empty()) text += outcome.why_same + '\n';
  if (!outcome.same.empty())
    text += fmt::format("not tried, the same here: {}\n", fmt::join(outcome.same, ", "));
  if (!outcome.left_out.empty())
    text += fmt::format("given up for lack of time (--seconds): {}\n",
                        fmt::join(outcome.left_out, ", "));
  if (outcome.interrupted)
    return text +
           fmt::format("interrupted after {:.0f} s: this is what is known\n", outcome.seconds);
  return text + verdict_text(outcome);
}

std::string outcome_json(const Outcome& outcome) {
  const char* kinds[] = {"none", "stay", "change"};
  const Verdict& verdict = outcome.verdict;
  json result{{"command", outcome.command},
              {"figure", outcome.figure.empty() ? json() : json(outcome.figure)},
              {"higher_is_better", outcome.higher_is_better},
              {"seconds", outcome.seconds},
              {"interrupted", outcome.interrupted},
              {"same", outcome.same},
              {"left_out", outcome.left_out},
              {"verdict", kinds[static_cast<int>(verdict.kind)]},
              {"reason", verdict.reason},
              {"recommended", verdict.kind == Verdict::Kind::none
                                  ? json()
                                  : json(outcome.trials[verdict.recommended].candidate.options)},
              {"configurations", json::array()}};
  const Trial* base = base_of(outcome.trials);
  for (const Trial& trial : outcome.trials) {
    json one{{"options", trial.candidate.options},
             {"effect", trial.candidate.effect},
             {"values", trial.values},
             {"median", trial.values.empty() ? json() : json(median(trial.values))},
             {"failure", trial.failure.empty() ? json() : json(trial.failure)}};
    if (base && &trial != base)
      if (const auto seen = compare(trial, *base, outcome.higher_is_better); seen.rounds > 0) {
        one["cost_ratio"] = seen.ratio;
        one["noise"] = seen.noise;
      }
    result["configurations"].push_back(one);
  }
  return result.dump(1, ' ', false, json::error_handler_t::replace) + '\n';
}

}  // namespace baton::cli::advise
