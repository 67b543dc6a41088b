// `baton tune --collectives` runs contests between algorithms, round after round until the time is
// over or all is settled. It saves its measurements after every round in a partial profile.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <map>

#include "cli/commands.hpp"
#include "cli/print.hpp"
#include "cli/tune/apart.hpp"
#include "cli/tune/contest.hpp"
#include "cli/tune/job.hpp"
#include "cli/tune/session.hpp"
#include "machine/discover.hpp"

namespace baton::cli {

namespace {

using namespace tune;
using profile::Collectives;
using profile::Profile;
using Clock = std::chrono::steady_clock;

// Returns numbers of ranks: two, a CPU each, and oversubscribed ones.
std::vector<int> usual_ranks(int cpus) {
  constexpr int most = 64;  // guess: with more ranks starting takes longer than measuring
  std::vector<int> ranks;
  for (int count : {2, cpus, 2 * cpus, 4 * cpus})
    if (count >= 2 && count <= std::max(most, cpus)) ranks.push_back(count);
  std::ranges::sort(ranks);
  auto rest = std::ranges::unique(ranks);
  ranks.erase(rest.begin(), rest.end());
  return ranks;
}

// Returns the contests at both distances, whichever will be met.
std::vector<Contest> all_contests(std::span<const int> ranks, int cpus) {
  std::vector<Contest> all = contests(ranks, cpus, Distance::far);
  std::ranges::copy(contests(ranks, cpus, Distance::near), std::back_inserter(all));
  return all;
}

// Returns milliseconds for each measurement, so that the seconds suffice for some rounds of all at
// one distance.
int milliseconds_each(const std::vector<Contest>& all, double seconds) {
  constexpr double rounds = 5, beside = 3;  // guesses: beside: starting jobs, timing a step
  constexpr int most = 10;                  // guess: another round says more
  std::size_t times = 1;
  for (const Contest& contest : all)
    if (contest.distance == Distance::far)
      for (std::int64_t bytes : contest.sizes) times += rivals(contest, bytes).size();
  const double each = seconds * 1000 / (rounds * beside * static_cast<double>(times));
  return std::clamp(static_cast<int>(each), 1, most);
}

class Search {
 public:
  Search(Programs programs, Profile start, std::string partial_file,
         const machine::Machine& machine)
      : machine_(machine),
        programs_(std::move(programs)),
        profile_(std::move(start)),
        partial_(std::move(partial_file)),
        all_(all_contests(profile_.collectives.ranks, profile_.machine.cpus_usable)),
        milliseconds_(milliseconds_each(all_, profile_.collectives.budget)) {}

  // Runs the search. The error is one after which measuring cannot go on.
  std::expected<void, std::string> run();
  Profile& result() { return profile_; }
  const std::vector<Contest>& all() const { return all_; }
  bool settled() const { return settled_; }

 private:
  // Returns the contest whose open sizes have had the fewest rounds, of those whose ranks are now
  // as far apart as it says; null: all of these are settled.
  const Contest* next(Round* round) const;
  Distance distance_of(int ranks) const { return distance_now(farthest_pair(machine_, ranks)); }
  std::expected<void, std::string> measure(const Contest& contest, const Round& round);

  const machine::Machine& machine_;
  Programs programs_;
  Profile profile_;
  std::string partial_;
  std::vector<Contest> all_;
  int milliseconds_;
  std::map<const Contest*, double> took_;  // seconds of the last time
  bool settled_ = false;
  Progress progress_{"baton tune"};
};

const Contest* Search::next(Round* round) const {
  const Contest* found = nullptr;
  std::map<int, Distance> now;  // by ranks
  for (int ranks : profile_.collectives.ranks) now[ranks] = distance_of(ranks);
  for (const Contest& contest : all_) {
    if (contest.distance != now[contest.ranks]) continue;
    Round one = next_round(contest, profile_.collectives.measured);
    if (one.entries.empty() || (found && one.rounds >= round->rounds)) continue;
    found = &contest;
    *round = one;
  }
  return found;
}

// Measures all algorithms in turn, another one first each time; a round counts only as a whole, and
// if the ranks stayed as far apart as they were.
std::expected<void, std::string> Search::measure(const Contest& contest, const Round& round) {
  std::vector<std::pair<Algorithm, Measured>> times;
  for (std::size_t i = 0; i < round.entries.size(); ++i) {
    const std::size_t turn = (i + static_cast<std::size_t>(round.rounds)) % round.entries.size();
    const Entry& entry = round.entries[turn];
    auto cells =
        measure_collective(programs_, contest.ranks, entry.algorithm, entry.sizes, milliseconds_);
    if (!cells) return std::unexpected(cells.error());
    for (const Measured& one : *cells) times.emplace_back(entry.algorithm, one);
    if (distance_of(contest.ranks) != contest.distance) return {};
  }
  auto& measured = profile_.collectives.measured;
  for (const auto& [algorithm, one] : times) {
    profile::CollectiveCell* cell = find_cell(measured, contest, algorithm, one.bytes);
    if (!cell)
      cell = &measured.emplace_back(
          profile::CollectiveCell{collective_kind_names[static_cast<int>(contest.kind)],
                                  row_of(algorithm).name,
                                  contest.ranks,
                                  one.bytes,
                                  {},
                                  contest.distance});
    cell->medians_us.push_back(one.us);
  }
  return {};
}

std::expected<void, std::string> Search::run() {
  Collectives& state = profile_.collectives;
  Round round;
  while (const Contest* contest = next(&round)) {
    if (interrupted() || state.seconds + took_[contest] > state.budget) {
      progress_.end();
      return {};
    }
    progress_.show(
        state.seconds, state.budget,
        fmt::format("{} among {} ranks ({}), round {}",
                    collective_kind_names[static_cast<int>(contest->kind)], contest->ranks,
                    distance_names[static_cast<int>(contest->distance)], round.rounds + 1));
    auto start = Clock::now();
    auto answer = measure(*contest, round);
    took_[contest] = std::chrono::duration<double>(Clock::now() - start).count();
    state.seconds += took_[contest];
    if (answer || interrupted()) answer = write_profile(partial_, profile_);
    if (!answer) {
      progress_.end();
      return answer;
    }
  }
  settled_ = true;
  progress_.end();
  return {};
}

// Returns the partial profile of an interrupted run, if it fits; else `fresh`.
Profile resumed(const std::string& partial, const Profile& fresh, bool anew) {
  if (anew || ::access(partial.c_str(), F_OK) != 0) return fresh;
  auto left = profile::read_profile(partial);
  const bool fits = left && profile::difference(left->machine, fresh.machine).empty() &&
                    left->machine.cpus_usable == fresh.machine.cpus_usable &&
                    left->collectives.ranks == fresh.collectives.ranks;
  if (!fits) {
    complain(fmt::format("{}; measuring starts over",
                         left ? "an interrupted run left data of another machine, other CPUs or "
                                "other numbers of ranks"
                              : left.error()));
    return fresh;
  }
  say_resumed(left->collectives.seconds);
  left->collectives.budget = fresh.collectives.budget;
  return *left;
}

int finish(Search& search, const machine::Machine& machine, const std::string& target,
           const std::string& partial) {
  Collectives& found = search.result().collectives;
  found.chosen = choose_rows(search.all(), found.measured);
  Profile profile = beside_the_others(target, machine, search.result());
  profile.collectives = found;
  profile.collectives.date = now_text();
  if (auto written = write_profile(target, profile); !written) {
    complain(written.error());
    return 1;
  }
  ::unlink(partial.c_str());
  for (const profile::ChosenRow& one : found.chosen) write_out("{}\n    {}\n", one.row, one.reason);
  if (found.measured.empty())
    write_out("the built-in choices stay: {}\n", nothing_measured);
  else if (found.chosen.empty())
    write_out("the built-in choices stay: no other algorithm is better by more than the noise\n");
  write_out("({:.0f} s{})\nwritten: {}\n", found.seconds,
            search.settled() ? ", all is settled" : "; --seconds gives more time", target);
  return 0;
}

}  // namespace

int tune_collectives(const TuneOptions& options) {
  auto failed = [](const std::string& text) {
    complain(text);
    return 1;
  };
  auto machine = machine::read_machine();
  if (!machine) return failed(machine.error());
  auto programs = find_programs();
  if (!programs) return failed(programs.error());
  const auto [target, problem] = target_of(options);
  if (!problem.empty()) return failed(problem);
  Profile start = new_profile(*machine);
  start.collectives.date = start.date;
  start.collectives.budget = options.seconds;
  start.collectives.ranks =
      options.ranks.empty() ? usual_ranks(start.machine.cpus_usable) : options.ranks;
  std::string partial = target + ".collectives.partial";
  start = resumed(partial, start, options.anew);
  // This writes at once, so that a bad name does not cost the whole search.
  if (auto written = write_profile(partial, start); !written) return failed(written.error());

  warn_if_busy(start.machine.cpus_usable);
  watch_signals();
  Search search(*programs, start, partial, *machine);
  if (auto ran = search.run(); !ran) return failed(ran.error());
  if (!interrupted()) return finish(search, *machine, target, partial);
  const Collectives& state = search.result().collectives;
  return say_interrupted(state.seconds, state.budget, partial);
}

}  // namespace baton::cli
