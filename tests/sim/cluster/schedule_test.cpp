// Each schedule, followed with data: every rank ends with what it must have, and bytes are those of
// what is sent.
#include "sim/cluster/schedule.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "sim/cluster/algorithms.hpp"
#include "sim/cluster/parts.hpp"
#include "tests/sim/cluster/follow_data.hpp"

namespace baton::cluster {
namespace {

using Kind = Content::Kind;

constexpr int all_ranks[] = {1, 2, 3, 4, 5, 7, 8, 11, 12, 16, 17, 33};
constexpr int all_per_node[] = {1, 3, 4};

template <class Check>
void with_all_sizes(Check check) {
  for (int ranks : all_ranks)
    for (int per_node : all_per_node) {
      SCOPED_TRACE(testing::Message() << ranks << " ranks, " << per_node << " a node");
      check(ranks, per_node);
    }
}

// Of each part, how often each rank's contribution is in it; a broadcast's has the root's alone.
struct Vectors {
  using Part = std::vector<int>;
  struct Load {
    Content content;
    std::vector<Part> parts;
  };

  Vectors(int ranks, std::int64_t parts, std::int64_t bytes, bool of_all)
      : divided{bytes, static_cast<int>(parts)} {
    for (int rank = 0; rank < ranks; ++rank) {
      Part own(static_cast<std::size_t>(ranks), 0);
      if (of_all || rank == 0) own[static_cast<std::size_t>(rank)] = 1;
      has.emplace_back(static_cast<std::size_t>(parts), own);
    }
  }
  Load give(int from, const Send& send) {
    const auto [kind, first, count] = send.content;
    if (kind == Kind::nothing) return {};
    if (kind != Kind::parts && kind != Kind::sums) problem = "what is that?";
    if (send.bytes != divided.bytes(first, count)) problem = "bytes are not those of the parts";
    const auto begin = has[static_cast<std::size_t>(from)].begin() + first;
    return {send.content, {begin, begin + count}};
  }
  void take(int to, const Load& load) {
    for (std::size_t i = 0; i < load.parts.size(); ++i) {
      Part& own =
          has[static_cast<std::size_t>(to)][static_cast<std::size_t>(load.content.first) + i];
      for (std::size_t rank = 0; rank < own.size(); ++rank)
        own[rank] = load.parts[i][rank] + (load.content.kind == Kind::sums ? own[rank] : 0);
    }
  }

  Parts divided;
  std::vector<std::vector<Part>> has;
  std::string problem;
};

void check_vectors(Schedule (*make)(const Call&), bool of_all, std::int64_t bytes) {
  with_all_sizes([&](int ranks, int per_node) {
    const Schedule schedule = make({ranks, per_node, bytes});
    Vectors state(ranks, schedule.parts, bytes, of_all);
    EXPECT_EQ(FollowData(schedule, state).run(), "");
    Vectors::Part wanted(static_cast<std::size_t>(ranks), of_all ? 1 : 0);
    wanted[0] = 1;
    for (const auto& parts : state.has)
      for (const auto& part : parts) EXPECT_EQ(part, wanted);
  });
}

TEST(Schedules, broadcasts_give_the_roots_vector_to_all) {
  for (std::int64_t bytes : {std::int64_t{8}, std::int64_t{1000000}})
    for (auto make : {broadcast_binomial, broadcast_knomial, broadcast_chain,
                      broadcast_scatter_allgather, broadcast_by_nodes})
      check_vectors(make, false, bytes);
}

TEST(Schedules, allreduces_add_each_contribution_once) {
  for (std::int64_t bytes :
       {std::int64_t{8}, std::int64_t{8000}, std::int64_t{1001}, std::int64_t{1 << 20}})
    for (auto make :
         {allreduce_doubling, allreduce_halving, allreduce_halving_far, allreduce_ring,
          allreduce_by_nodes, allreduce_by_nodes_in_parts, allreduce_by_nodes_in_parts_far})
      check_vectors(make, true, bytes);
}

// Who is known to have come.
struct Notices {
  using Load = std::set<int>;
  explicit Notices(int ranks) {
    for (int rank = 0; rank < ranks; ++rank) knows.push_back({rank});
  }
  Load give(int from, const Send& send) {
    if (send.bytes != 0 && !send.shown) problem = "a notice has no bytes";
    return knows[static_cast<std::size_t>(from)];
  }
  void take(int to, const Load& load) {
    knows[static_cast<std::size_t>(to)].insert(load.begin(), load.end());
  }
  std::vector<std::set<int>> knows;
  std::string problem;
};

TEST(Schedules, nobody_leaves_a_barrier_before_all_have_come) {
  for (auto make : {barrier_dissemination, barrier_by_nodes})
    with_all_sizes([&](int ranks, int per_node) {
      Notices state(ranks);
      const Schedule schedule = make({ranks, per_node, 0});
      EXPECT_EQ(FollowData(schedule, state).run(), "");
      for (const auto& each : state.knows) EXPECT_EQ(each.size(), static_cast<std::size_t>(ranks));
    });
}

constexpr std::int64_t block = 24;

// Blocks of a scatter.
struct Scattered {
  using Load = Content;
  explicit Scattered(int ranks) : has(static_cast<std::size_t>(ranks)) {
    for (int rank = 0; rank < ranks; ++rank) has[0].insert(rank);
  }
  Load give(int from, const Send& send) {
    const Content& sent = send.content;
    if (send.bytes != block * sent.count) problem = "bytes are not those of the blocks";
    for (int each = sent.first; each < sent.first + sent.count; ++each)
      if (!has[static_cast<std::size_t>(from)].contains(each)) problem = "it has not what it sends";
    return sent;
  }
  void take(int to, const Load& sent) {
    for (int each = sent.first; each < sent.first + sent.count; ++each)
      has[static_cast<std::size_t>(to)].insert(each);
  }
  std::vector<std::set<int>> has;
  std::string problem;
};

TEST(Schedules, scatters_give_each_rank_its_block) {
  for (auto make : {scatter_linear, scatter_binomial, scatter_by_nodes})
    with_all_sizes([&](int ranks, int per_node) {
      if (make == scatter_by_nodes && ranks > per_node && ranks % per_node) return;
      Scattered state(ranks);
      EXPECT_EQ(FollowData(make({ranks, per_node, block}), state).run(), "");
      for (int rank = 0; rank < ranks; ++rank)
        EXPECT_TRUE(state.has[static_cast<std::size_t>(rank)].contains(rank));
    });
}

// Blocks of an allgather.
struct Gathered {
  using Load = std::set<int>;
  explicit Gathered(int all) : ranks(all) {
    for (int rank = 0; rank < ranks; ++rank) has.push_back({rank});
  }
  Load give(int from, const Send& send) {
    const Load& own = has[static_cast<std::size_t>(from)];
    Load load = own;
    if (send.content.kind == Kind::blocks) {
      load.clear();
      for (int each = 0; each < send.content.count; ++each)
        load.insert((send.content.first + each) % ranks);
    }
    if (send.content.kind == Kind::nothing) load.clear();
    if (!std::includes(own.begin(), own.end(), load.begin(), load.end()))
      problem = "it has not what it sends";
    if (send.bytes != block * static_cast<std::int64_t>(load.size()))
      problem = "bytes are not those of the blocks";
    return load;
  }
  void take(int to, const Load& load) {
    has[static_cast<std::size_t>(to)].insert(load.begin(), load.end());
  }
  int ranks;
  std::vector<std::set<int>> has;
  std::string problem;
};

TEST(Schedules, gathers_give_the_root_all_blocks) {
  for (auto make : {gather_linear, gather_binomial, gather_by_nodes})
    with_all_sizes([&](int ranks, int per_node) {
      if (make == gather_by_nodes && ranks > per_node && ranks % per_node) return;
      Gathered state(ranks);
      EXPECT_EQ(FollowData(make({ranks, per_node, block}), state).run(), "");
      EXPECT_EQ(state.has[0].size(), static_cast<std::size_t>(ranks));
    });
}

TEST(Schedules, allgathers_give_each_rank_all_blocks) {
  for (auto make : {allgather_ring, allgather_bruck, allgather_by_nodes})
    with_all_sizes([&](int ranks, int per_node) {
      if (make == allgather_by_nodes && ranks > per_node && ranks % per_node) return;
      Gathered state(ranks);
      EXPECT_EQ(FollowData(make({ranks, per_node, block}), state).run(), "");
      for (const auto& each : state.has) EXPECT_EQ(each.size(), static_cast<std::size_t>(ranks));
    });
}

// Blocks of an alltoall, by who gives and who gets them.
struct Exchanged {
  using Pair = std::pair<int, int>;
  using Load = std::vector<Pair>;
  Exchanged(int all, int ranks_per_node)
      : ranks(all), per_node(ranks_per_node), has(static_cast<std::size_t>(all)) {
    for (int rank = 0; rank < ranks; ++rank)
      for (int to = 0; to < ranks; ++to) has[static_cast<std::size_t>(rank)].insert({rank, to});
  }
  bool goes(int from, const Send& send, const Pair& pair) const {
    switch (send.content.kind) {
      case Kind::one:
        return pair == Pair{from, send.to};
      case Kind::bit: {
        const int width = std::max(send.content.count, 1), nodes = ranks / width;
        const int distance = (pair.second / width - pair.first / width + nodes) % nodes;
        return (distance & send.content.first) &&
               (width == 1 || pair.second % width == from % width);
      }
      case Kind::likes:
        return pair.first == from && pair.second % send.content.first == send.to % per_node;
      case Kind::of_nodes:
        return pair.first / per_node == send.content.first &&
               pair.second / per_node == send.content.count;
      case Kind::gathered:
        return pair.first == from;
      case Kind::handed:
        return pair.second == send.to;
      default:
        return false;
    }
  }
  Load give(int from, const Send& send) {
    Load load;
    for (const Pair& pair : has[static_cast<std::size_t>(from)])
      if (goes(from, send, pair)) load.push_back(pair);
    if (send.bytes != block * static_cast<std::int64_t>(load.size()))
      problem = "bytes are not those of the blocks";
    if (send.content.kind == Kind::bit)
      for (const Pair& pair : load) has[static_cast<std::size_t>(from)].erase(pair);
    return load;
  }
  void take(int to, const Load& load) {
    has[static_cast<std::size_t>(to)].insert(load.begin(), load.end());
  }
  int ranks, per_node;
  std::vector<std::set<Pair>> has;
  std::string problem;
};

TEST(Schedules, alltoalls_give_each_rank_a_block_of_each) {
  for (auto make : {alltoall_pairwise, alltoall_bruck, alltoall_hierarchical, alltoall_by_nodes})
    with_all_sizes([&](int ranks, int per_node) {
      if (make == alltoall_by_nodes && ranks > per_node && ranks % per_node) return;
      Exchanged state(ranks, per_node);
      EXPECT_EQ(FollowData(make({ranks, per_node, block * ranks}), state).run(), "");
      for (int rank = 0; rank < ranks; ++rank)
        for (int from = 0; from < ranks; ++from)
          EXPECT_TRUE((state.has[static_cast<std::size_t>(rank)].contains({from, rank})));
    });
}

TEST(Schedules, reduces_add_each_contribution_once_at_the_root) {
  for (std::int64_t bytes : {std::int64_t{8}, std::int64_t{8000}, std::int64_t{1000000}})
    for (auto make : {reduce_binomial, reduce_by_nodes})
      with_all_sizes([&](int ranks, int per_node) {
        const Schedule schedule = make({ranks, per_node, bytes});
        Vectors state(ranks, schedule.parts, bytes, true);
        EXPECT_EQ(FollowData(schedule, state).run(), "");
        for (const auto& part : state.has[0])
          EXPECT_EQ(part, Vectors::Part(static_cast<std::size_t>(ranks), 1));
      });
}

TEST(Schedules, samples_are_spread_over_all_steps) {
  const Schedule some = alltoall_pairwise({.ranks = 1025, .bytes = 1025, .sample = 4});
  EXPECT_EQ(some.alike, 128);
  EXPECT_EQ(some.alike_here, 4);
  EXPECT_EQ(some.steps(0), 4);
  std::vector<int> firsts;
  for (int index = 0; index < 4; ++index) firsts.push_back(some.step(0, index).sends[0].to);
  EXPECT_EQ(firsts, (std::vector<int>{129, 385, 641, 897}));
  EXPECT_EQ(allreduce_ring({.ranks = 9, .bytes = 72, .sample = no_step}).steps(3), 0);
}

// The names of the library's are its own, each of the same kind; of its algorithms by messages each
// that several nodes can take has a schedule, of the operations that there are schedules of.
TEST(Schedules, the_librarys_algorithms_have_them) {
  std::set<CollectiveKind> kinds;
  for (const Known& known : known_algorithms()) {
    kinds.insert(known.kind);
    const auto algorithm = library_algorithm(known.name);
    EXPECT_EQ(algorithm ? row_of(*algorithm).kind : known.kind, known.kind) << known.name;
  }
  for (const AlgorithmRow& row : algorithm_rows) {
    if (row.rounds > 0 || !kinds.contains(row.kind) || (row.needs & needs_in_place)) continue;
    EXPECT_NE(find_algorithm(row.name), nullptr) << row.name;
  }
}

}  // namespace
}  // namespace baton::cluster
