// What `baton advise -- COMMAND` tries, and what it makes of the runs.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "cli/advise/candidate.hpp"
#include "cli/advise/verdict.hpp"
#include "machine/discover.hpp"

using namespace baton::cli::advise;
using baton::machine::Machine;

namespace {

Machine captured(const std::string& name) {
  return baton::machine::read_captured_machine(MACHINES_FOLDER "/" + name + ".xml")
      .value_or(Machine{});
}

std::vector<std::string> tried(const std::string& name, const Wanted& wanted) {
  std::string problem;
  std::vector<std::string> texts;
  for (const Candidate& one : candidates(captured(name), wanted, &problem).tried)
    texts.push_back(one.text());
  EXPECT_EQ(problem, "");
  return texts;
}

using Texts = std::vector<std::string>;

Trial trial(const char* option, std::vector<double> values, std::string failure = "") {
  return {
      {{"-n", "4", option}, "with " + std::string(option)}, std::move(values), std::move(failure)};
}

}  // namespace

TEST(candidates, of_one_numa_node_only_what_differs_there_is_tried) {
  EXPECT_EQ(tried("virtual-machine", {}), (Texts{"-n 2", "-n 2 --bind-to none"}));
  EXPECT_EQ(tried("virtual-machine", {.ranks = 2, .layouts = true}),
            (Texts{"-n 2", "-n 2 --bind-to none", "--layout 1x2"}));
  std::string problem;
  const Candidates all = candidates(captured("laptop"), {.ranks = 4}, &problem);
  EXPECT_NE(all.why_same.find("one NUMA node"), std::string::npos);
  for (const std::string& same : all.same)
    EXPECT_EQ(same.find("memory"), std::string::npos) << same;
}

TEST(candidates, of_two_sockets_all_configurations_that_differ_are_tried) {
  EXPECT_EQ(tried("two-sockets", {.ranks = 4}),
            (Texts{"-n 4", "-n 4 --config spread-interleave", "-n 4 --config interleave",
                   "-n 4 --bind-to none", "-n 4 --map-by l3", "-n 4 --config spread"}));
  // With a rank on every core spreading them changes nothing.
  EXPECT_EQ(tried("two-sockets", {.ranks = 8}),
            (Texts{"-n 8", "-n 8 --config spread-interleave", "-n 8 --bind-to none",
                   "-n 8 --map-by l3", "-n 8 --config spread"}));
}

TEST(candidates, hbm_is_tried_first) {
  const Texts all = tried("xeon-max-flat", {.ranks = 8});
  ASSERT_GT(all.size(), 3u);
  EXPECT_EQ(all[1], "-n 8 --memory queues=hbm,heap=hbm");
  EXPECT_EQ(all[2], "-n 8 --memory all=hbm");
}

TEST(candidates, layouts_keep_threads_inside_a_cache_or_node) {
  const Texts all = tried("epyc-nps4", {.ranks = 128, .layouts = true});
  EXPECT_NE(std::ranges::find(all, "--layout 16x8"), all.end());
}

TEST(candidates, none_comes_to_the_same_as_another) {
  for (const char* name : {"knl-snc4", "xeon-max-snc4", "eight-sockets", "cxl", "epyc-nps4"}) {
    Texts all = tried(name, {.ranks = 16, .layouts = true});
    std::ranges::sort(all);
    EXPECT_EQ(std::ranges::adjacent_find(all), all.end()) << name;
  }
}

TEST(candidates, what_cannot_be_placed_at_all_is_a_problem_in_words) {
  std::string problem;
  EXPECT_TRUE(candidates(Machine{}, {.ranks = 2}, &problem).tried.empty());
  EXPECT_NE(problem, "");
}

TEST(verdict, a_clear_difference_in_rounds_enough_is_recommended) {
  const Verdict verdict =
      decide({trial("a", {10, 10.1, 9.9, 10, 10.05, 10}), trial("b", {12, 12.1, 11.9, 12, 12, 12}),
              trial("c", {8, 8.1, 7.9, 8, 8.1, 8})},
             false);
  EXPECT_EQ(verdict.kind, Verdict::Kind::change);
  EXPECT_EQ(verdict.recommended, 2u);
  EXPECT_NE(verdict.reason.find("with c: 20"), std::string::npos) << verdict.reason;
  EXPECT_NE(verdict.reason.find("6 rounds"), std::string::npos) << verdict.reason;
}

TEST(verdict, a_difference_smaller_than_the_noise_is_not_recommended) {
  const Verdict verdict =
      decide({trial("a", {10, 14, 9, 13, 11, 8}), trial("b", {9, 15, 8.5, 11, 13, 7.5})}, false);
  EXPECT_EQ(verdict.kind, Verdict::Kind::stay);
  EXPECT_EQ(verdict.recommended, 0u);
  EXPECT_NE(verdict.reason.find("noise"), std::string::npos) << verdict.reason;
}

TEST(verdict, what_is_better_in_the_median_but_in_too_few_rounds_is_said_to_be_open) {
  // Better by far more than the noise, but in five of seven rounds: chance does that often.
  const auto trials = std::vector<Trial>{trial("a", {10, 10, 10, 10, 10, 10, 10}),
                                         trial("b", {8, 8, 8, 8, 8, 10.1, 10.1})};
  const Verdict verdict = decide(trials, false);
  EXPECT_EQ(verdict.kind, Verdict::Kind::stay);
  EXPECT_NE(verdict.reason.find("20.0 % better than"), std::string::npos) << verdict.reason;
  EXPECT_NE(verdict.reason.find("better in 5 of 7 rounds only"), std::string::npos);
  EXPECT_EQ(verdict.reason.find("no other configuration"), std::string::npos);
}

TEST(verdict, a_difference_of_two_percent_is_none_however_quiet_the_machine) {
  EXPECT_EQ(
      decide({trial("a", {10, 10, 10, 10, 10, 10}), trial("b", {9.8, 9.8, 9.8, 9.8, 9.8, 9.8})},
             false)
          .kind,
      Verdict::Kind::stay);
}

TEST(verdict, too_few_rounds_say_nothing) {
  const Verdict verdict = decide({trial("a", {10, 10, 10, 10}), trial("b", {5, 5, 5, 5})}, false);
  EXPECT_EQ(verdict.kind, Verdict::Kind::none);
  EXPECT_NE(verdict.reason.find("4 rounds"), std::string::npos) << verdict.reason;
}

TEST(verdict, figures_may_be_better_when_higher) {
  const std::vector<Trial> trials{trial("a", {100, 101, 99, 100, 100}),
                                  trial("b", {150, 152, 149, 150, 151})};
  EXPECT_EQ(decide(trials, true).recommended, 1u);
  EXPECT_NE(decide(trials, true).reason.find("50"), std::string::npos)
      << decide(trials, true).reason;
  EXPECT_EQ(decide(trials, false).kind, Verdict::Kind::stay);
}

TEST(verdict, the_first_that_works_is_what_others_are_compared_with) {
  const std::vector<Trial> trials{trial("a", {}, "code 3"), trial("b", {10, 10, 10, 10, 10, 10}),
                                  trial("c", {5, 5, 5, 5, 5, 5})};
  EXPECT_EQ(decide(trials, false).recommended, 2u);
  EXPECT_EQ(decide({trial("a", {}, "code 3")}, false).kind, Verdict::Kind::none);
  // One that failed in a later round is out of it.
  EXPECT_EQ(decide({trials[1], trial("c", {5, 5, 5, 5, 5}, "code 1")}, false).kind,
            Verdict::Kind::stay);
}

TEST(verdict, of_winners_that_are_alike_the_first_is_recommended) {
  EXPECT_EQ(decide({trial("a", {10, 10, 10, 10, 10, 10}), trial("b", {5.05, 5, 5.1, 5, 5.05, 5}),
                    trial("c", {5, 5.05, 5, 5.02, 5, 5})},
                   false)
                .recommended,
            1u);
}

TEST(verdict, measuring_ends_when_nothing_is_open) {
  const Trial a = trial("a", {10, 10, 10, 10, 10, 10}), b = trial("b", {5, 5, 5, 5, 5, 5});
  EXPECT_TRUE(is_settled({a, b}, false));
  EXPECT_FALSE(is_settled({a, trial("b", {10, 10, 10, 10, 10})}, false));
  EXPECT_TRUE(is_settled({a, b, trial("c", {100})}, false)) << "hopeless";
  EXPECT_FALSE(is_settled({trial("a", {10, 10}), trial("b", {5, 5})}, false));
}

TEST(verdict, what_is_clearly_behind_has_no_further_rounds) {
  const Trial base = trial("a", {10, 10, 10});
  EXPECT_TRUE(is_behind(trial("b", {31}), base, false)) << "hopeless at once";
  EXPECT_FALSE(is_behind(trial("b", {12, 12}), base, false)) << "too few rounds";
  EXPECT_TRUE(is_behind(trial("b", {12, 12, 12}), base, false));
  EXPECT_FALSE(is_behind(trial("b", {8, 20, 12}), base, false)) << "noise";
  EXPECT_FALSE(is_behind(trial("b", {8, 8, 8}), base, false));
  EXPECT_TRUE(is_behind(trial("b", {8, 8, 8}), base, true));
  EXPECT_FALSE(is_behind(base, base, false));
}

// Chance alone: configurations that are all the same, with noise as a busy machine has it, measured
// as the command does.
TEST(verdict, chance_is_seldom_recommended) {
  std::mt19937 random(7);
  std::lognormal_distribution<double> spread(0, 0.08);
  int changes = 0;
  constexpr int times = 2000;
  for (int i = 0; i < times; ++i) {
    std::vector<Trial> trials;
    for (int rival = 0; rival < 2 + i % 6; ++rival) trials.push_back(trial("x", {}));
    for (int round = 0; round < 8 + i % 18 && !is_settled(trials, false); ++round)
      for (Trial& one : trials) one.values.push_back(spread(random));
    changes += decide(trials, false).kind == Verdict::Kind::change;
  }
  EXPECT_LT(changes, times * 5 / 100) << changes;
}

TEST(verdict, what_is_a_tenth_better_is_mostly_found) {
  std::mt19937 random(7);
  std::lognormal_distribution<double> spread(0, 0.04);
  int changes = 0;
  constexpr int times = 1000;
  for (int i = 0; i < times; ++i) {
    std::vector<Trial> trials{trial("a", {}), trial("b", {}), trial("c", {})};
    for (int round = 0; round < 15; ++round)
      for (Trial& one : trials)
        one.values.push_back(spread(random) * (&one == &trials[2] ? 0.9 : 1));
    changes += decide(trials, false).recommended == 2;
  }
  EXPECT_GT(changes, times * 80 / 100) << changes;
}

TEST(verdict, more_rivals_need_more_rounds) {
  EXPECT_EQ(rounds_needed(1), 5);
  EXPECT_EQ(rounds_needed(3), 6);
  EXPECT_EQ(rounds_needed(6), 7);
}

TEST(figure, the_last_match_counts_or_its_group) {
  double figure = 0;
  std::string problem;
  EXPECT_TRUE(find_figure("rate: 1.5\nrate: 2.5e3 MB/s\n", "rate: ([0-9.e]+)", &figure, &problem));
  EXPECT_DOUBLE_EQ(figure, 2500);
  EXPECT_TRUE(find_figure("took 0.25 s\n", "took .* s", &figure, &problem));
  EXPECT_DOUBLE_EQ(figure, 0.25);
  EXPECT_TRUE(find_figure("x .5\n", "x (.*)", &figure, &problem));
  EXPECT_DOUBLE_EQ(figure, 0.5);
}

TEST(figure, none_is_an_error_in_words) {
  double figure = 0;
  std::string problem;
  EXPECT_FALSE(find_figure("nothing\n", "rate: (.*)", &figure, &problem));
  EXPECT_NE(problem.find("printed nothing that"), std::string::npos) << problem;
  EXPECT_FALSE(find_figure("rate: -3\n", "rate: (.*)", &figure, &problem));
  EXPECT_NE(problem.find("above 0"), std::string::npos) << problem;
  EXPECT_FALSE(find_figure("rate: fast\n", "rate: (.*)", &figure, &problem));
  EXPECT_FALSE(find_figure("rate", "(", &figure, &problem));
  EXPECT_NE(problem.find("--figure ("), std::string::npos) << problem;
}
