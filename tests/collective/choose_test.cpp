// The choice of an algorithm, over all the situations that there are.
#include "collective/choose.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <span>
#include <vector>

#include "tests/collective/situations.hpp"

namespace baton::collective {
namespace {

struct Expected {
  Kind kind;
  int ranks;
  std::int64_t bytes;
  Algorithm algorithm;
};

void expect_choices(std::span<const Expected> expected, bool oversubscribed,
                    bool several_nodes = false) {
  for (const Expected& one : expected) {
    Situation s{one.kind, one.ranks, one.bytes};
    s.room_bytes_max = 65536;
    s.oversubscribed = oversubscribed;
    s.several_nodes = several_nodes;
    EXPECT_EQ(row_of(choose(s, on_emerald_rapids).algorithm).name, row_of(one.algorithm).name)
        << testing::PrintToString(s);
  }
}

TEST(default_rows, choose_what_is_quick) {
  using enum Algorithm;
  const Expected expected[] = {
      {Kind::barrier, 1, 0, barrier_dissemination},
      {Kind::barrier, 2, 0, barrier_in_room},
      {Kind::broadcast, 2, 1023, broadcast_in_room},
      {Kind::broadcast, 2, 1024, broadcast_binomial},
      {Kind::broadcast, 8, 65536, broadcast_in_room},
      {Kind::broadcast, 8, 65537, broadcast_direct},
      {Kind::gather, 2, 1024, gather_linear},
      {Kind::gather, 5, 65536, gather_in_room},
      {Kind::gather, 5, 65537, gather_direct},
      {Kind::gather, 6, 32767, gather_in_room},
      {Kind::gather, 6, 32768, gather_direct},
      {Kind::scatter, 5, 65536, scatter_in_room},
      {Kind::scatter, 32, 32767, scatter_in_room},
      {Kind::scatter, 32, 32768, scatter_direct},
      {Kind::allgather, 2, 65536, allgather_in_room},
      {Kind::allgather, 2, 65537, allgather_ring},
      {Kind::allgather, 2, 393217, allgather_segmented_in_room},
      {Kind::allgather, 8, 65537, allgather_direct},
      {Kind::alltoall, 2, 65537, alltoall_segmented_in_room},
      {Kind::alltoall, 2, 196609, alltoall_pairwise},
      {Kind::alltoall, 8, 65536, alltoall_in_room},
      {Kind::alltoall, 4, 65537, alltoall_pairwise},
      {Kind::alltoall, 4, 524288, alltoall_direct},
      {Kind::alltoall, 8, 65537, alltoall_segmented_in_room},
      {Kind::alltoall, 8, 131071, alltoall_segmented_in_room},
      {Kind::alltoall, 8, 131072, alltoall_direct},
      {Kind::alltoall, 32, 65537, alltoall_segmented_in_room},
      {Kind::alltoall, 32, 1 << 20, alltoall_direct},
      {Kind::reduce, 2, 1023, reduce_in_room},
      {Kind::reduce, 2, 1024, reduce_binomial},
      {Kind::reduce, 2, 524288, reduce_chain_in_room},
      {Kind::reduce, 3, 65537, reduce_direct},
      {Kind::allreduce, 2, 8, allreduce_in_room},
      {Kind::allreduce, 2, 4096, allreduce_in_room},
      {Kind::allreduce, 2, 4097, allreduce_segmented_in_room},
      {Kind::allreduce, 4, 16384, allreduce_by_parts_in_room},
      {Kind::allreduce, 4, 65537, allreduce_direct},
      {Kind::allreduce, 4, 262144, allreduce_halving},
      {Kind::reduce_scatter, 2, 2048, reduce_scatter_in_room},
      {Kind::reduce_scatter, 2, 2049, reduce_scatter_segmented_in_room},
      {Kind::reduce_scatter, 4, 65537, reduce_scatter_segmented_in_room},
      {Kind::reduce_scatter, 4, 1 << 30, reduce_scatter_segmented_in_room},
      {Kind::scan, 3, 65536, scan_in_room},
      {Kind::exscan, 3, 65537, exscan_doubling},
      {Kind::neighbor_alltoall, 3, 0, neighbor_alltoall_exchange},
  };
  expect_choices(expected, false);
}

TEST(default_rows, of_many_ranks_with_a_cpu_each_go_by_the_groups_of_the_machine) {
  using enum Algorithm;
  struct OfGroups {
    Kind kind;
    std::int64_t bytes;
    Algorithm algorithm, of_one_group;
  };
  const OfGroups expected[] = {
      {Kind::barrier, 0, barrier_hierarchical_in_room, barrier_in_room},
      {Kind::broadcast, 8, broadcast_hierarchical_in_room, broadcast_in_room},
      {Kind::broadcast, 65536, broadcast_hierarchical_in_room, broadcast_in_room},
      {Kind::broadcast, 65537, broadcast_direct, broadcast_direct},
      {Kind::reduce, 65536, reduce_hierarchical_in_room, reduce_in_room},
      {Kind::reduce, 65537, reduce_direct, reduce_direct},
      {Kind::allreduce, 1024, allreduce_hierarchical_in_room, allreduce_in_room},
      {Kind::allreduce, 1025, allreduce_by_parts_in_room, allreduce_by_parts_in_room},
  };
  for (const OfGroups& one : expected) {
    Situation s{one.kind, 16, one.bytes};
    s.room_bytes_max = 65536;
    auto row_now = [&s] { return row_of(choose(s, default_selection()).algorithm); };
    EXPECT_EQ(row_now().name, row_of(one.of_one_group).name);
    for (Grouping grouping : {Grouping::in_order, Grouping::mixed}) {
      s.grouping = grouping;
      s.ranks = 16;
      EXPECT_EQ(row_now().name, row_of(one.algorithm).name) << testing::PrintToString(s);
      s.ranks = 15;
      EXPECT_FALSE(row_now().needs & needs_groups) << testing::PrintToString(s);
    }
  }
  Situation oversubscribed{Kind::barrier, 16};
  oversubscribed.grouping = Grouping::in_order;
  oversubscribed.oversubscribed = true;
  EXPECT_EQ(choose(oversubscribed, default_selection()).algorithm, barrier_in_room);
}

TEST(default_rows, of_ranks_that_outnumber_cpus_go_by_segments_beyond_a_room) {
  using enum Algorithm;
  const Expected expected[] = {
      {Kind::broadcast, 4, 65536, broadcast_in_room},
      {Kind::broadcast, 4, 65537, broadcast_segmented_in_room},
      {Kind::broadcast, 15, 1 << 30, broadcast_segmented_in_room},
      {Kind::broadcast, 16, 1 << 20, broadcast_segmented_in_room},
      {Kind::broadcast, 16, (1 << 20) + 1, broadcast_direct},
      {Kind::allgather, 3, 65536, allgather_in_room},
      {Kind::allgather, 3, 65537, allgather_segmented_in_room},
      {Kind::allgather, 32, 1 << 30, allgather_segmented_in_room},
  };
  expect_choices(expected, true);
}

TEST(default_rows, of_ranks_that_outnumber_cpus_go_along_chains_where_vectors_are_long) {
  using enum Algorithm;
  const Expected expected[] = {
      {Kind::reduce, 4, 32768, reduce_in_room},
      {Kind::reduce, 4, 32769, reduce_chain_in_room},
      {Kind::reduce, 8, 65536, reduce_in_room},
      {Kind::reduce, 8, 1 << 30, reduce_chain_in_room},
      {Kind::allreduce, 4, 16383, allreduce_by_parts_in_room},
      {Kind::allreduce, 4, 16384, allreduce_chain_in_room},
      {Kind::allreduce, 8, 65536, allreduce_by_parts_in_room},
      {Kind::allreduce, 32, 65537, allreduce_chain_in_room},
      {Kind::reduce_scatter, 4, 65536, reduce_scatter_chain_in_room},
      {Kind::reduce_scatter, 8, 65536, reduce_scatter_in_room},
      {Kind::reduce_scatter, 8, 65537, reduce_scatter_chain_in_room},
      {Kind::reduce_scatter, 32, 524287, reduce_scatter_segmented_in_room},
      {Kind::reduce_scatter, 32, 524288, reduce_scatter_chain_in_room},
  };
  expect_choices(expected, true);
}

TEST(default_rows, of_large_communicators_meet_in_rooms_as_far_as_their_blocks_go) {
  using enum Algorithm;
  const Expected expected[] = {
      {Kind::barrier, 1000, 0, barrier_in_room},
      {Kind::allreduce, 1000, 8, allreduce_in_room},
      {Kind::allgather, 1000, 4096, allgather_in_room},
      {Kind::allgather, 1000, 4097, allgather_direct},
      {Kind::alltoall, 1000, 4000, alltoall_in_room},
      {Kind::alltoall, 1000, 8000, alltoall_segmented_in_room},
      {Kind::reduce_scatter, 1000, 8000, reduce_scatter_segmented_in_room},
      {Kind::broadcast, 1000, 4097, broadcast_direct},
      {Kind::alltoall, 64, 65536, alltoall_in_room},
      {Kind::broadcast, 65, 32768, broadcast_in_room},
      {Kind::broadcast, 65, 32769, broadcast_direct},
  };
  expect_choices(expected, true);
}

TEST(default_rows, let_no_pairs_of_many_ranks_meet_for_short_blocks_where_there_is_no_room) {
  using enum Algorithm;
  for (int ranks : {33, 160, 1000, 4096})
    for (bool in_place : {false, true}) {
      Situation s{Kind::alltoall, ranks, 8 * std::int64_t{ranks}};
      s.room_bytes_max = 65536;
      s.rooms = s.direct = false;
      s.in_place = in_place;
      EXPECT_EQ(choose(s, default_selection()).algorithm, alltoall_bruck);
      EXPECT_EQ(choose(s, default_selection()).reason, ChoiceReason::no_room);
      s.kind = Kind::reduce_scatter;
      EXPECT_EQ(choose(s, default_selection()).algorithm, reduce_scatter_rooted);
      s.kind = Kind::allgather;
      s.bytes = 8;
      EXPECT_EQ(choose(s, default_selection()).algorithm, allgather_bruck);
    }
}

TEST(default_rows, differ_by_the_family_of_the_processor) {
  using enum Algorithm;
  const struct {
    Situation situation;
    Algorithm on_zen4, on_zen5, on_intel;
  } cases[] = {
      {{Kind::reduce, 2, 1 << 19}, reduce_binomial, reduce_chain_in_room, reduce_chain_in_room},
      {{Kind::gather, 8, 65536}, gather_in_room, gather_in_room, gather_direct}};
  for (auto one : cases) {
    one.situation.room_bytes_max = 65536;
    EXPECT_EQ(choose(one.situation, on_zen4).algorithm, one.on_zen4);
    EXPECT_EQ(choose(one.situation, shipped_profile_of(zen5).selection).algorithm, one.on_zen5);
    EXPECT_EQ(choose(one.situation, on_emerald_rapids).algorithm, one.on_intel);
  }
}

TEST(default_rows, go_by_messages_where_there_is_nothing_else) {
  each_situation([](const Situation& s) {
    if (s.rooms && !s.several_nodes) return;
    EXPECT_EQ(row_of(choose(s, default_selection()).algorithm).rounds, 0)
        << testing::PrintToString(s);
  });
}

TEST(default_rows, between_nodes_go_by_messages_and_are_guesses_where_every_rank_is_a_node) {
  std::set<Kind> kinds;
  for (const SelectionRow& row : on_zen4) {
    EXPECT_NE(row.nodes, Nodes::any) << row_of(row.algorithm).name;
    if (row.nodes != Nodes::several) continue;
    kinds.insert(row.kind());
    EXPECT_EQ(row.source == SelectionSource::guess, !(row_of(row.algorithm).needs & needs_nodes))
        << row_of(row.algorithm).name;
    EXPECT_EQ(row_of(row.algorithm).rounds, 0) << row_of(row.algorithm).name;
  }
  EXPECT_EQ(static_cast<int>(kinds.size()), collective_kind_count);
}

TEST(default_rows, between_nodes_choose_by_length) {
  using enum Algorithm;
  const Expected expected[] = {{Kind::barrier, 100, 0, barrier_dissemination},
                               {Kind::broadcast, 100, 8, broadcast_binomial},
                               {Kind::gather, 100, 4096, gather_binomial},
                               {Kind::gather, 100, 4097, gather_linear},
                               {Kind::scatter, 100, 8, scatter_linear},
                               {Kind::allgather, 100, 4096, allgather_bruck},
                               {Kind::allgather, 100, 4097, allgather_ring},
                               {Kind::alltoall, 100, 32768, alltoall_bruck},
                               {Kind::alltoall, 100, 32769, alltoall_pairwise},
                               {Kind::reduce, 100, 65536, reduce_binomial},
                               {Kind::allreduce, 100, 8191, allreduce_doubling},
                               {Kind::allreduce, 100, 8192, allreduce_halving},
                               {Kind::reduce_scatter, 100, 8192, reduce_scatter_pairwise}};
  for (bool oversubscribed : {false, true}) expect_choices(expected, oversubscribed, true);
}

TEST(choice, of_a_room_is_refused_between_nodes) {
  Situation s{Kind::allreduce, 8, 8};
  s.room_bytes_max = 65536;
  const auto rows = defaults_and(forced(Algorithm::allreduce_in_room));
  EXPECT_EQ(choose(s, rows).algorithm, Algorithm::allreduce_in_room);
  s.several_nodes = true;
  EXPECT_EQ(choose(s, rows).algorithm, Algorithm::allreduce_doubling);
  EXPECT_EQ(choose(s, rows).reason, ChoiceReason::several_nodes);
}

TEST(choice, between_nodes_does_not_depend_on_the_load_which_may_differ_there) {
  SelectionRow row = forced(Algorithm::allreduce_halving);
  row.nodes = Nodes::any;
  row.load = Load::oversubscribed;
  const auto rows = defaults_and(row);
  Situation s{Kind::allreduce, 8, 8};
  s.oversubscribed = true;
  EXPECT_EQ(choose(s, rows).algorithm, Algorithm::allreduce_halving);
  s.several_nodes = true;
  EXPECT_EQ(choose(s, rows).algorithm, Algorithm::allreduce_doubling);
}

TEST(default_rows, name_a_machine_and_a_date_or_are_guesses) {
  for (const SelectionRow& row : on_zen4) {
    EXPECT_TRUE(row.source == SelectionSource::guess || row.source == SelectionSource::measured);
    EXPECT_EQ(row.measured != Load::any, row.source == SelectionSource::measured)
        << "a measured row says whether ranks outnumbered CPUs";
    EXPECT_EQ(*row.where != 0, row.source == SelectionSource::measured)
        << row_of(row.algorithm).name;
  }
}

TEST(default_rows, measured_where_ranks_outnumber_cpus_are_guesses_where_they_do_not) {
  Situation s{Kind::allreduce, 8, 1 << 20};
  s.room_bytes_max = 65536;
  s.oversubscribed = true;
  const auto rows = on_emerald_rapids;
  EXPECT_EQ(choose(s, rows).reason, ChoiceReason::measured);
  s.oversubscribed = false;
  EXPECT_EQ(choose(s, rows).reason, ChoiceReason::measured_elsewhere);
  s.ranks = 2;
  EXPECT_EQ(choose(s, rows).reason, ChoiceReason::measured);
  s.oversubscribed = true;
  EXPECT_EQ(choose(s, rows).reason, ChoiceReason::measured_elsewhere);
}

TEST(default_rows, begin_with_what_serves_any_call) {
  for (int kind = 0; kind < collective_kind_count; ++kind) {
    auto first = std::ranges::find_if(default_selection(), [kind](const SelectionRow& row) {
      return static_cast<int>(row.kind()) == kind;
    });
    ASSERT_NE(first, default_selection().end());
    EXPECT_EQ(first->ranks_from, 1);
    EXPECT_EQ(row_of(first->algorithm).rounds, 0);
  }
}

TEST(choice, depends_on_what_all_ranks_know_and_on_nothing_else) {
  // Another member does not compile here: do all ranks know it alike (select.cpp, cutoffs.cpp)?
  const auto [kind, ranks, bytes, commuting, uneven, in_place, oversubscribed, near, rooms, direct,
              grouping, room_bytes_max, spans_jobs, several_nodes, shared_nodes, regular_nodes] =
      Situation{Kind::allreduce, 3,     20000, true,  false, false, false, false, true, true,
                Grouping::none,  32768, false, false, false, false};
  const Situation once{kind,       ranks,         bytes,          commuting,
                       uneven,     in_place,      oversubscribed, near,
                       rooms,      direct,        grouping,       room_bytes_max,
                       spans_jobs, several_nodes, shared_nodes,   regular_nodes};
  const Choice choice = choose(once, default_selection());
  EXPECT_EQ(choice.algorithm, Algorithm::allreduce_by_parts_in_room);
  EXPECT_EQ(choice.reason, ChoiceReason::guess);
}

TEST(choice, names_the_obstacle_of_the_preferred_one) {
  Situation s{Kind::allreduce, 4, 60000};
  s.room_bytes_max = 32768;
  EXPECT_EQ(choose(s, default_selection()).reason, ChoiceReason::too_long_for_room);
  s.bytes = 100000;
  s.direct = false;
  EXPECT_EQ(choose(s, default_selection()).reason, ChoiceReason::not_direct);
  s.direct = true;
  s.bytes = 60000;
  s.commuting = false;  // of several obstacles that of the first choice
  EXPECT_EQ(choose(s, default_selection()).algorithm, Algorithm::allreduce_doubling);
  EXPECT_EQ(choose(s, default_selection()).reason, ChoiceReason::too_long_for_room);
  s.commuting = true;
  s.rooms = false;
  EXPECT_EQ(choose(s, default_selection()).reason, ChoiceReason::no_room);
  const auto rows = defaults_and(forced(Algorithm::allreduce_halving));
  EXPECT_EQ(choose(s, rows).reason, ChoiceReason::forced);
  s.commuting = false;
  EXPECT_EQ(choose(s, rows).algorithm, Algorithm::allreduce_doubling);
  EXPECT_EQ(choose(s, rows).reason, ChoiceReason::not_commuting);
}

TEST(choice, of_several_jobs_depends_on_nothing_that_one_has_for_itself) {
  Situation s{Kind::allreduce, 4, 8};
  s.room_bytes_max = 32768;
  EXPECT_GT(row_of(choose(s, default_selection()).algorithm).rounds, 0);
  const auto rows = defaults_and(forced(Algorithm::allreduce_halving));
  EXPECT_EQ(choose(s, rows).reason, ChoiceReason::forced);
  s.spans_jobs = true;
  const Choice alike = choose(s, rows);
  EXPECT_EQ(alike.reason, ChoiceReason::several_jobs);
  EXPECT_EQ(row_of(alike.algorithm).rounds, 0);
  EXPECT_EQ(alike.algorithm, choose(s, default_selection()).algorithm);
}

TEST(choice, is_the_last_row_that_fits) {
  SelectionRow narrow = forced(Algorithm::allreduce_doubling);
  narrow.ranks_from = 4;
  narrow.ranks_to = 8;
  narrow.bytes_from = 100;
  narrow.bytes_to = 200;
  narrow.load = Load::oversubscribed;
  const auto rows = defaults_and(narrow);
  Situation inside{Kind::allreduce, 4, 100};
  inside.room_bytes_max = 32768;
  inside.oversubscribed = true;
  EXPECT_EQ(choose(inside, rows).algorithm, Algorithm::allreduce_doubling);
  for (auto change : {+[](Situation& s) { s.ranks = 3; }, +[](Situation& s) { s.ranks = 9; },
                      +[](Situation& s) { s.bytes = 99; }, +[](Situation& s) { s.bytes = 201; },
                      +[](Situation& s) { s.oversubscribed = false; }}) {
    Situation outside = inside;
    change(outside);
    EXPECT_EQ(choose(outside, rows).algorithm, Algorithm::allreduce_in_room);
  }
}

TEST(choice, depends_on_the_distance_where_rows_name_one) {
  SelectionRow near = forced(Algorithm::allreduce_doubling), far = near;
  near.apart = Apart::near;
  far.apart = Apart::far;
  far.algorithm = Algorithm::allreduce_halving;
  std::vector<SelectionRow> rows = defaults_and(near);
  rows.push_back(far);
  Situation s{Kind::allreduce, 4, 100};
  s.room_bytes_max = 32768;
  EXPECT_EQ(choose(s, rows).algorithm, Algorithm::allreduce_halving);
  s.near = true;
  EXPECT_EQ(choose(s, rows).algorithm, Algorithm::allreduce_doubling);
  rows.pop_back();
  s.near = false;
  EXPECT_EQ(choose(s, rows).algorithm, Algorithm::allreduce_in_room);
}

// Near ranks of Zen 4 reduce along the chain, which takes far ones four times as long.
TEST(default_rows, of_zen4_reduce_along_the_chain_only_between_near_ranks) {
  Situation s{Kind::reduce, 2, 65536};
  s.room_bytes_max = 65536;
  EXPECT_EQ(choose(s, on_zen4).algorithm, Algorithm::reduce_binomial);
  s.near = true;
  EXPECT_EQ(choose(s, on_zen4).algorithm, Algorithm::reduce_chain_in_room);
  s.bytes = 1 << 19;
  EXPECT_EQ(choose(s, on_zen4).algorithm, Algorithm::reduce_binomial);
}

TEST(boundaries, are_the_only_sizes_at_which_the_choice_changes) {
  std::vector<SelectionRow> rows = defaults_and(forced(Algorithm::allreduce_doubling));
  rows.back().bytes_from = 700;
  rows.back().bytes_to = 900;
  for (int ranks : {1, 2, 3, 5, 300})
    for (std::int64_t room_bytes_max : {0, 100, 32768}) {
      Situation s{Kind::allreduce, ranks};
      s.room_bytes_max = room_bytes_max;
      std::int64_t boundary = next_boundary(s, rows);
      Choice last = choose(s, rows);
      for (s.bytes = 1; s.bytes < 40000; ++s.bytes) {
        const Choice choice = choose(s, rows);
        if (s.bytes == boundary) {
          boundary = next_boundary(s, rows);
        } else {
          ASSERT_EQ(choice.algorithm, last.algorithm) << testing::PrintToString(s);
          ASSERT_EQ(choice.reason, last.reason) << testing::PrintToString(s);
        }
        last = choice;
      }
    }
}

}  // namespace
}  // namespace baton::collective
