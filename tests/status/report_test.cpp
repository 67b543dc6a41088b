#include "status/report.hpp"

#include <gtest/gtest.h>

#include <cstring>

#include "status/wait_graph.hpp"

namespace {

using namespace baton::status;
using baton::lockfree::Phase;

RankStatus running(char state = 'R') {
  RankStatus rank;
  rank.process = 100;
  rank.phase = Phase::initialized;
  rank.look.state = state;
  return rank;
}

RankStatus waiting(const char* procedure, const char* words,
                   std::initializer_list<std::uint32_t> awaited, std::uint32_t call = 0) {
  RankStatus rank = running('S');
  rank.waits = true;
  rank.wait_seconds = 12.34;
  std::strcpy(rank.wait.procedure, procedure);
  std::strcpy(rank.wait.words, words);
  for (std::uint32_t other : awaited) rank.wait.awaited.add(other);
  rank.wait.collective = call != 0;
  rank.wait.number = call;
  return rank;
}

std::string report(const std::vector<RankStatus>& ranks) {
  return report_text(ranks, "");
}

TEST(report, ranks_that_do_the_same_stand_together) {
  const std::string text =
      report({waiting("MPI_Recv", "a receive", {3}), waiting("MPI_Recv", "a receive", {3}),
              waiting("MPI_Recv", "a receive", {3}), running()});
  EXPECT_EQ(text,
            "ranks 0-2: MPI_Recv for 12.3 s: a receive; waits for rank 3\n"
            "rank 3 (process 100): running outside MPI, or testing again and again\n"
            "all waiting ranks depend on rank 3\n");
}

TEST(report, states_of_processes_are_told_apart) {
  RankStatus sleeping = running('S');
  sleeping.look.system_call = "nanosleep";
  sleeping.cpu_share = 0;
  RankStatus spinning = running('R');
  spinning.cpu_share = .99;
  EXPECT_EQ(rank_words(sleeping), "sleeping in the system call nanosleep (0 % of a CPU)");
  EXPECT_EQ(rank_words(spinning),
            "running outside MPI, or testing again and again (99 % of a CPU)");
  EXPECT_EQ(rank_words(running('T')), "stopped (kill -CONT lets it go on)");
  RankStatus stopped = waiting("MPI_Recv", "a receive", {1});
  stopped.look.state = 'T';
  EXPECT_NE(rank_words(stopped).find("stopped"), std::string::npos);
  EXPECT_EQ(rank_words({}), "not started");
}

TEST(wait_graph, a_collective_names_who_has_come_and_who_is_missing) {
  const std::vector<RankStatus> ranks = {
      waiting("MPI_Barrier", "MPI_Barrier, call 3 on X", {2, 3}, 3),
      waiting("MPI_Barrier", "MPI_Barrier, call 3 on X", {2, 3}, 3), running(), running()};
  const WaitGraph graph = wait_graph_of(ranks);
  ASSERT_EQ(graph.collectives.size(), 1u);
  EXPECT_EQ(graph.collectives[0].entered, (std::vector<int>{0, 1}));
  EXPECT_EQ(graph.collectives[0].missing, (std::vector<int>{2, 3}));
  EXPECT_EQ(graph.awaited, (std::vector<int>{2, 3}));
  EXPECT_NE(
      report(ranks).find("MPI_Barrier, call 3 on X: ranks 0-1 have entered it, ranks 2-3 not"),
      std::string::npos);
}

TEST(report, calls_whose_lengths_may_differ_name_what_compares_them) {
  const RankStatus few = waiting("MPI_Bcast", "MPI_Bcast, call 3 on X, 8 bytes a rank", {0}, 3);
  const RankStatus many = waiting("MPI_Bcast", "MPI_Bcast, call 3 on X, 9 bytes a rank", {0}, 3);
  EXPECT_NE(report({running(), few}).find("if rank 0 made that call with another length"),
            std::string::npos);
  EXPECT_NE(report({running(), few, many}).find("the calls of ranks 1-2 differ: mpiexec --check"),
            std::string::npos);
  EXPECT_EQ(report({running(), few, few}).find("differ"), std::string::npos);
}

RankStatus on_another_node() {
  RankStatus rank;
  rank.elsewhere = true;
  return rank;
}

TEST(report, of_ranks_on_other_nodes_is_told_that_they_are_waited_for) {
  EXPECT_EQ(report({on_another_node(), on_another_node(), waiting("MPI_Recv", "a receive", {0}),
                    waiting("MPI_Recv", "another receive", {2})}),
            "rank 2 (process 100): MPI_Recv for 12.3 s: a receive; waits for rank 0\n"
            "rank 3 (process 100): MPI_Recv for 12.3 s: another receive; waits for rank 2\n"
            "waited for on other hosts: rank 0; mpiexec and baton stat tell of them there\n");
}

TEST(wait_graph, ranks_on_other_nodes_are_in_no_deadlock_and_in_no_list_of_missing_ones) {
  const WaitGraph graph =
      wait_graph_of({on_another_node(), waiting("MPI_Barrier", "MPI_Barrier, call 1", {0, 2}, 1),
                     running(), waiting("MPI_Barrier", "MPI_Barrier, call 1", {1, 2}, 1)});
  EXPECT_TRUE(graph.cycle.empty());
  EXPECT_EQ(graph.elsewhere, std::vector<int>{0});
  EXPECT_EQ(graph.awaited, std::vector<int>{2});
  ASSERT_EQ(graph.collectives.size(), 1u);
  EXPECT_EQ(graph.collectives[0].missing, std::vector<int>{2});
}

TEST(wait_graph, ranks_that_wait_for_each_other_alone_are_a_deadlock) {
  const std::vector<RankStatus> ranks = {
      waiting("MPI_Recv", "a receive", {1}), waiting("MPI_Recv", "a receive", {2}),
      waiting("MPI_Recv", "a receive", {0}), waiting("MPI_Recv", "a receive", {0})};
  EXPECT_EQ(wait_graph_of(ranks).cycle, (std::vector<int>{0, 1, 2, 3}));
}

TEST(wait_graph, whoever_waits_for_one_that_runs_is_in_no_deadlock) {
  EXPECT_TRUE(wait_graph_of({waiting("MPI_Recv", "a receive", {1}),
                             waiting("MPI_Recv", "a receive", {0, 2}), running()})
                  .cycle.empty());
}

TEST(wait_graph, who_waits_for_finalized_ranks_alone_is_in_a_deadlock) {
  RankStatus ended = running();
  ended.phase = Phase::finalized;
  EXPECT_EQ(wait_graph_of({waiting("MPI_Recv", "a receive", {1}), ended}).cycle,
            (std::vector<int>{0}));
  EXPECT_NE(report({waiting("MPI_Recv", "a receive", {1}), ended})
                .find("deadlock: rank 0 waits for ranks that have called MPI_Finalize only\n"),
            std::string::npos);
}

TEST(wait_graph, a_thousand_ranks_are_told_in_few_lines) {
  std::vector<RankStatus> ranks(1000, waiting("MPI_Barrier", "MPI_Barrier, call 1 on X", {999}, 1));
  ranks[999] = running();
  const std::string text = report(ranks);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 4);
}

}  // namespace
