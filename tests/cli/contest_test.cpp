// What is measured next, and how times of algorithms become rows of the selection.
#include "cli/tune/contest.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include "base/settings.hpp"
#include "base/shipped_profile.hpp"

namespace baton::cli::tune {
namespace {

using profile::CollectiveCell;
using Rows = std::vector<profile::ChosenRow>;

// The same built-in choices on every machine.
[[maybe_unused]] const bool same_everywhere = (use_shipped_profile("zen4"), true);

const std::vector<int> ranks_measured = {2, 4, 8};
constexpr int cpus = 2;

// Times of all that can serve, as `time` gives them; each round a little different, where the
// built-in one is slow the others are quick.
template <class Time>
std::vector<CollectiveCell> measured(Time time, int rounds = 7, double noise = 0.01) {
  std::vector<CollectiveCell> cells;
  for (const Contest& contest : contests(ranks_measured, cpus, Distance::far))
    for (std::int64_t bytes : contest.sizes)
      for (Algorithm algorithm : rivals(contest, bytes)) {
        CollectiveCell cell{collective_kind_names[static_cast<int>(contest.kind)],
                            row_of(algorithm).name,
                            contest.ranks,
                            bytes,
                            {}};
        for (int round = 0; round < rounds; ++round) {
          const bool up = (round + (algorithm == built_in(contest, bytes))) % 2;
          cell.medians_us.push_back(time(algorithm, contest.ranks, bytes) * (up ? 1 + noise : 1));
        }
        cells.push_back(cell);
      }
  return cells;
}

Rows rows_of(const std::vector<CollectiveCell>& cells) {
  return choose_rows(contests(ranks_measured, cpus, Distance::far), cells);
}

// All rounds were made at this distance.
std::vector<CollectiveCell> at(Distance distance, std::vector<CollectiveCell> cells) {
  for (CollectiveCell& cell : cells) cell.distance = distance;
  return cells;
}

// What a job would choose with these rows.
Algorithm chosen_with(const Rows& rows, const collective::Situation& situation) {
  std::vector<SelectionRow> table(default_selection().begin(), default_selection().end());
  for (const profile::ChosenRow& one : rows) {
    const char* text = one.row.c_str();
    SelectionRow row{};
    char problem[problem_length];
    EXPECT_TRUE(next_selection_row(&text, SelectionSource::tuned, &row, problem));
    EXPECT_STREQ(problem, "") << one.row;
    table.push_back(row);
  }
  return collective::choose(situation, table).algorithm;
}

collective::Situation allreduce_of(int ranks, std::int64_t bytes, bool oversubscribed) {
  collective::Situation situation{CollectiveKind::allreduce, ranks, bytes};
  situation.oversubscribed = oversubscribed;
  situation.room_bytes_max = 32768;
  return situation;
}

TEST(contests, have_only_what_there_is_a_choice_of) {
  for (const Contest& contest : contests(ranks_measured, cpus, Distance::far)) {
    EXPECT_EQ(contest.oversubscribed, contest.ranks > cpus);
    for (std::int64_t bytes : contest.sizes) {
      const std::vector<Algorithm> all = rivals(contest, bytes);
      EXPECT_GE(all.size(), 2u);
      EXPECT_EQ(all.front(), built_in(contest, bytes));
      for (Algorithm algorithm : all) {
        EXPECT_EQ(row_of(algorithm).kind, contest.kind);
        EXPECT_EQ(std::ranges::count(all, algorithm), 1);
        EXPECT_NE(algorithm, Algorithm::alltoall_in_place);  // what is measured is not in place
        const AlgorithmRow& row = row_of(algorithm);
        EXPECT_TRUE(bytes <= find_setting("room_bytes_max")->fallback || row.rounds == 0 ||
                    (row.needs & (needs_direct | needs_whole_blocks)));
      }
    }
  }
}

TEST(contests, of_blocks_for_all_divide_evenly) {
  const int odd[] = {7, 30};
  for (const Contest& contest : contests(odd, cpus, Distance::far)) {
    if (contest.kind != CollectiveKind::alltoall && contest.kind != CollectiveKind::reduce_scatter)
      continue;
    for (std::int64_t bytes : contest.sizes) EXPECT_EQ(bytes / contest.ranks % 8, 0);
  }
}

TEST(rows, are_none_where_nothing_is_quicker) {
  EXPECT_TRUE(rows_of(measured([](Algorithm, int, std::int64_t) { return 1.0; })).empty());
  EXPECT_TRUE(rows_of({}).empty());
}

TEST(rows, are_where_another_is_quicker_by_more_than_the_noise) {
  auto time = [](Algorithm algorithm, int ranks, std::int64_t bytes) {
    const bool here = ranks == 4 && bytes >= 2048 && bytes <= 8192;
    return algorithm == Algorithm::allreduce_doubling && here ? 0.5 : 1.0;
  };
  const Rows rows = rows_of(measured(time));
  ASSERT_EQ(rows.size(), 2u);  // what it is compared with differs
  EXPECT_EQ(rows[0].row, "allreduce:4-7:2048-8191:oversubscribed:far=allreduce_doubling");
  EXPECT_EQ(rows[1].row, "allreduce:4-7:8192-16383:oversubscribed:far=allreduce_doubling");
  EXPECT_EQ(rows[0].reason.find("it takes 0.50 of the time of allreduce_in_room"), 0u)
      << rows[0].reason;
  using enum Algorithm;
  EXPECT_EQ(chosen_with(rows, allreduce_of(5, 4000, true)), allreduce_doubling);
  EXPECT_EQ(chosen_with(rows, allreduce_of(5, 10000, true)), allreduce_doubling);
  EXPECT_EQ(chosen_with(rows, allreduce_of(5, 10000, false)), allreduce_by_parts_in_room);
  EXPECT_EQ(chosen_with(rows, allreduce_of(3, 4000, true)), allreduce_in_room);
  EXPECT_EQ(chosen_with(rows, allreduce_of(8, 2048, true)), allreduce_in_room);
  EXPECT_EQ(chosen_with(rows, allreduce_of(4, 2047, true)), allreduce_in_room);
  EXPECT_EQ(chosen_with(rows, allreduce_of(4, 16384, true)), allreduce_by_parts_in_room);
}

TEST(rows, of_the_first_and_the_last_sizes_and_ranks_have_no_end) {
  auto time = [](Algorithm algorithm, int ranks, std::int64_t) {
    return algorithm == Algorithm::allgather_ring && ranks == 8 ? 0.5 : 1.0;
  };
  const Rows rows = rows_of(measured(time));
  ASSERT_EQ(rows.size(), 2u);  // between them it is the built-in one
  // Calls of which not all ranks know the size (0) are not among them.
  EXPECT_EQ(rows[0].row.find("allgather:8+:1-"), 0u) << rows[0].row;
  EXPECT_NE(rows[1].row.find("+:oversubscribed:far=allgather_ring"), std::string::npos)
      << rows[1].row;
}

TEST(rows, of_barriers_have_no_size) {
  auto time = [](Algorithm algorithm, int, std::int64_t) {
    return algorithm == Algorithm::barrier_dissemination ? 0.5 : 1.0;
  };
  const Rows rows = rows_of(measured(time));
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[0].row, "barrier:2+:0+:not_oversubscribed:far=barrier_dissemination");
  EXPECT_EQ(rows[1].row, "barrier:4-7:0+:oversubscribed:far=barrier_dissemination");
}

TEST(rows, need_more_than_the_noise_and_rounds_enough) {
  auto time = [](Algorithm algorithm, int, std::int64_t) {
    return algorithm == Algorithm::allgather_ring ? 0.9 : 1.0;
  };
  EXPECT_FALSE(rows_of(measured(time, 7, 0.01)).empty());
  EXPECT_TRUE(rows_of(measured(time, 7, 0.8)).empty());
  EXPECT_TRUE(rows_of(measured(time, 4, 0.01)).empty());
  auto little = [](Algorithm algorithm, int, std::int64_t) {
    return algorithm == Algorithm::allgather_ring ? 0.98 : 1.0;
  };
  EXPECT_TRUE(rows_of(measured(little, 7, 0)).empty());
}

TEST(rows, name_the_quickest_of_several_quicker_ones) {
  auto time = [](Algorithm algorithm, int ranks, std::int64_t bytes) {
    if (ranks != 2 || bytes != 64) return 1.0;
    return algorithm == Algorithm::allreduce_doubling  ? 0.8
           : algorithm == Algorithm::allreduce_halving ? 0.6
                                                       : 1.0;
  };
  const Rows rows = rows_of(measured(time));
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].row, "allreduce:2+:64-511:not_oversubscribed:far=allreduce_halving");
}

TEST(rows, hold_at_the_distance_at_which_they_were_measured) {
  auto time = [](Algorithm algorithm, int ranks, std::int64_t bytes) {
    return algorithm == Algorithm::allreduce_doubling && ranks == 2 && bytes == 64 ? 0.5 : 1.0;
  };
  std::vector<CollectiveCell> cells = at(Distance::near, measured(time));
  EXPECT_TRUE(rows_of(cells).empty());
  std::ranges::copy(measured([](Algorithm, int, std::int64_t) { return 1.0; }),
                    std::back_inserter(cells));
  const Rows near = choose_rows(contests(ranks_measured, cpus, Distance::near), cells);
  EXPECT_TRUE(rows_of(cells).empty());
  ASSERT_EQ(near.size(), 1u);
  EXPECT_EQ(near[0].row, "allreduce:2+:64-511:not_oversubscribed:near=allreduce_doubling");
  collective::Situation situation = allreduce_of(2, 64, false);
  EXPECT_EQ(chosen_with(near, situation), Algorithm::allreduce_in_room);
  situation.near = true;
  EXPECT_EQ(chosen_with(near, situation), Algorithm::allreduce_doubling);
}

TEST(rows, of_near_ranks_are_compared_with_what_near_ranks_take_without_them) {
  // On Zen 4 near ranks reduce along the chain, far ones by messages.
  auto of_two = [](Distance distance) {
    for (const Contest& contest : contests(ranks_measured, cpus, distance))
      if (contest.kind == CollectiveKind::reduce && contest.ranks == 2)
        return built_in(contest, 32768);
    return Algorithm::reduce_direct;
  };
  EXPECT_EQ(of_two(Distance::near), Algorithm::reduce_chain_in_room);
  EXPECT_EQ(of_two(Distance::far), Algorithm::reduce_binomial);
}

// ---- rounds ----

Contest allreduces() {
  return contests(ranks_measured, cpus, Distance::far).front();
}

std::size_t times_in(const Round& round) {
  std::size_t count = 0;
  for (const Entry& entry : round.entries) count += entry.sizes.size();
  return count;
}

TEST(first_round, has_all_that_can_serve) {
  const Contest contest = allreduces();
  const Round round = next_round(contest, {});
  EXPECT_EQ(round.rounds, 0);
  std::size_t all = 0;
  for (std::int64_t bytes : contest.sizes) all += rivals(contest, bytes).size();
  EXPECT_EQ(times_in(round), all);
}

TEST(next_round, leaves_out_what_was_hopeless_in_the_first) {
  auto time = [](Algorithm algorithm, int, std::int64_t) {
    return algorithm == Algorithm::allreduce_halving ? 3.5 : 1.0;
  };
  const Round round = next_round(allreduces(), measured(time, 1));
  EXPECT_EQ(round.rounds, 1);
  // It stays where others are compared with it.
  for (const Entry& entry : round.entries) {
    if (entry.algorithm != Algorithm::allreduce_halving) continue;
    for (std::int64_t bytes : entry.sizes)
      EXPECT_EQ(built_in(allreduces(), bytes), Algorithm::allreduce_halving);
  }
}

TEST(next_round, keeps_the_built_in_one_however_slow_it_is) {
  const Contest contest = allreduces();
  auto time = [&](Algorithm algorithm, int, std::int64_t bytes) {
    return algorithm == built_in(contest, bytes) ? 10.0 : 1.0;
  };
  const Round round = next_round(contest, measured(time, 1));
  for (std::int64_t bytes : contest.sizes)
    EXPECT_TRUE(std::ranges::any_of(round.entries, [&](const Entry& entry) {
      return entry.algorithm == built_in(contest, bytes) &&
             std::ranges::find(entry.sizes, bytes) != entry.sizes.end();
    })) << bytes;
}

TEST(next_round, is_about_what_is_close) {
  const Contest contest = allreduces();
  auto time = [&](Algorithm algorithm, int, std::int64_t bytes) {
    return algorithm == built_in(contest, bytes) || bytes == 512 ? 1.0 : 2.0;
  };
  const Round round = next_round(contest, measured(time, 3));
  EXPECT_EQ(round.rounds, 3);
  ASSERT_FALSE(round.entries.empty());
  for (const Entry& entry : round.entries)
    EXPECT_EQ(entry.sizes, std::vector<std::int64_t>{512}) << row_of(entry.algorithm).name;
}

TEST(next_round, goes_on_where_fewest_rounds_were_made) {
  const Contest contest = allreduces();
  std::vector<CollectiveCell> cells = measured([](Algorithm, int, std::int64_t) { return 1.0; }, 4);
  for (CollectiveCell& cell : cells)
    if (cell.bytes == 64) cell.medians_us.resize(2);
  const Round round = next_round(contest, cells);
  EXPECT_EQ(round.rounds, 2);
  for (const Entry& entry : round.entries) EXPECT_EQ(entry.sizes, std::vector<std::int64_t>{64});
}

TEST(next_round, is_none_when_all_is_settled_or_stays_close_for_ever) {
  const Contest contest = allreduces();
  auto clear = [&](Algorithm algorithm, int, std::int64_t bytes) {
    return algorithm == built_in(contest, bytes) ? 1.0 : 2.0;
  };
  EXPECT_TRUE(next_round(contest, measured(clear, 3)).entries.empty());
  auto same = [](Algorithm, int, std::int64_t) { return 1.0; };
  EXPECT_TRUE(next_round(contest, measured(same, 30)).entries.empty());
  // What would change something is looked at more often.
  auto quicker = [&](Algorithm algorithm, int, std::int64_t bytes) {
    return algorithm == built_in(contest, bytes) ? 2.0 : 1.0;
  };
  EXPECT_FALSE(next_round(contest, measured(quicker, 3)).entries.empty());
  EXPECT_TRUE(next_round(contest, measured(quicker, 5)).entries.empty());
}

}  // namespace
}  // namespace baton::cli::tune
