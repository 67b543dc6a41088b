// What mpiexec --explain makes of the ranks' records, on records made by hand.
#include "launch/reports/explain.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>
#include <vector>

namespace baton::launch {

namespace {

using lockfree::peer_class;
using lockfree::RankPlace;

constexpr int l2 = static_cast<int>(PeerClass::l2), l3 = static_cast<int>(PeerClass::l3);

RankPlace place_at(int numa_node, int cache3, int cache2, int core) {
  return {core, 1, numa_node, 0, cache2, cache3, core};
}

RankReport finished() {
  RankReport report{};
  report.traffic.published = 1;
  report.traffic.cma_bytes_min = 32768;
  report.traffic.eager_bytes_max = 4096;
  return report;
}

// Two ranks: short messages, and long ones that may not be copied at once.
std::vector<RankReport> two_ranks() {
  std::vector<RankReport> ranks{finished(), finished()};
  TrafficRecord& first = ranks[0].traffic;
  first.tally[l2][static_cast<int>(Way::inline_eager)][0] = {10, 80};
  first.tally[l2][static_cast<int>(Way::pipelined)][6] = {3, 3 << 20};
  first.reasons.at(PeerClass::l2, Reason::cma_not_permitted, 1 << 20) = 3;
  ranks[0].counters.sleeps = 5;
  TrafficRecord& second = ranks[1].traffic;
  second.tally[l2][static_cast<int>(Way::inline_eager)][0] = {2, 16};
  second.tally[l3][static_cast<int>(Way::pipelined)][4] = {1, 20000};
  second.reasons.at(PeerClass::l3, Reason::below_cma_min, 20000) = 1;
  return ranks;
}

// Whether JSON written with ' for " is in the text.
bool holds(const std::string& text, std::string json) {
  std::ranges::replace(json, '\'', '"');
  return text.find(json) != std::string::npos;
}

TEST(peer_class, is_the_nearest_thing_that_two_places_share) {
  RankPlace here = place_at(0, 0, 0, 0);
  EXPECT_EQ(peer_class(here, place_at(0, 0, 0, 1)), PeerClass::l2);
  EXPECT_EQ(peer_class(here, place_at(0, 0, 1, 2)), PeerClass::l3);
  EXPECT_EQ(peer_class(here, place_at(0, 1, 2, 4)), PeerClass::numa_node);
  EXPECT_EQ(peer_class(here, place_at(1, 2, 4, 8)), PeerClass::other);
}

TEST(peer_class, of_ranks_on_different_nodes_is_that_and_nothing_else) {
  lockfree::RankPlace here = place_at(0, 0, 0, 0), there = place_at(-1, -1, -1, -1);
  there.node = 1;
  EXPECT_EQ(peer_class(here, there), PeerClass::between_nodes);
}

TEST(peer_class, shares_nothing_that_is_unknown_or_not_one) {
  RankPlace nowhere = place_at(-1, -1, -1, -1);
  EXPECT_EQ(peer_class(nowhere, nowhere), PeerClass::other);
  EXPECT_EQ(peer_class(place_at(0, 3, -1, -1), place_at(0, 3, -1, -1)), PeerClass::l3);
}

TEST(explain, text_adds_ranks_up_and_tells_classes_apart) {
  std::string text = traffic_text(two_ranks());
  EXPECT_NE(text.find("  inline_eager                 12         96 B   2-10 per rank"),
            std::string::npos)
      << text;
  std::size_t near = text.find("between ranks that share an L2:");
  std::size_t far = text.find("between ranks that share an L3:");
  ASSERT_NE(near, std::string::npos);
  ASSERT_LT(near, far);
  EXPECT_LT(text.find("to 2 MiB     pipelined                     3        3 MiB   99.4 %"), far)
      << text;
  EXPECT_GT(text.find("to 32 KiB    pipelined                     1     19.5 KiB    0.6 %"), far)
      << text;
  EXPECT_EQ(text.find("NUMA"), std::string::npos) << text;
  EXPECT_NE(text.find("sleeps                        5"), std::string::npos) << text;
}

TEST(explain, text_says_why_with_the_remedy_and_the_setting) {
  std::string text = traffic_text(two_ranks());
  EXPECT_NE(text.find("why not single copy (CMA): not permitted here (EPERM): give the container "
                      "CAP_SYS_PTRACE, or set kernel.yama.ptrace_scope to 0 (3 messages)"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("why not single copy: shorter than cma_bytes_min (32 KiB) (1 message)"),
            std::string::npos)
      << text;
}

TEST(explain, an_unusual_cause_is_named_by_its_error) {
  std::vector<RankReport> ranks{finished()};
  ranks[0].traffic.tally[l2][static_cast<int>(Way::pipelined)][6] = {1, 1 << 20};
  ranks[0].traffic.reasons.at(PeerClass::l2, Reason::cma_failed, 1 << 20) = 1;
  ranks[0].traffic.probe_errno = ENOMEM;
  EXPECT_NE(traffic_text(ranks).find("trying it failed (ENOMEM)"), std::string::npos);
}

TEST(explain, data_is_told_where_it_was_seen_and_only_there) {
  std::vector<RankReport> ranks = two_ranks();
  EXPECT_EQ(traffic_text(ranks).find("data "), std::string::npos);
  EXPECT_EQ(explanation_json(ranks, 2).find("\"data\""), std::string::npos);
  ranks[1].traffic.observed[l2][6].cold = 1;
  EXPECT_NE(traffic_text(ranks).find("99.4 %  data cold\n"), std::string::npos);
  ranks[0].traffic.observed[l2][6].warm = 1;
  EXPECT_NE(traffic_text(ranks).find("99.4 %  data warm and cold\n"), std::string::npos);
  EXPECT_TRUE(holds(explanation_json(ranks, 2), "'data': {'warm': 1, 'cold': 1}"));
}

TEST(explain, json_holds_the_same_numbers) {
  std::string json = explanation_json(two_ranks(), 2);
  EXPECT_TRUE(holds(json, "{'ranks': 2, 'ranks_counted': 2, 'cpus_usable': 2, 'places': [{"));
  EXPECT_TRUE(
      holds(json,
            "{'peers': 'l2', 'bytes_min': 0, 'bytes_max': 8, 'ways': [{'way': 'inline_eager', "
            "'messages': 12, 'bytes': 96, 'share_of_class': 1.0000, "
            "'share_of_payload': 0.0000}], 'why_not_cheaper': []}"))
      << json;
  EXPECT_TRUE(holds(json,
                    "'why_not_cheaper': [{'reason': 'below_cma_min', 'messages': 1, "
                    "'words': 'single copy: shorter than cma_bytes_min (32 KiB)'}]"))
      << json;
  EXPECT_TRUE(holds(json, "'sleeps': {'sum': 5, 'least': 0, 'most': 5}")) << json;
}

TEST(explain, collectives_are_told_by_kind_and_size_with_the_reason) {
  std::vector<RankReport> ranks = two_ranks();
  EXPECT_EQ(traffic_text(ranks).find("collectives"), std::string::npos);
  EXPECT_TRUE(holds(explanation_json(ranks, 2), "'collectives': []"));
  auto calls = [&ranks](int rank, Algorithm algorithm, ChoiceReason reason, int size) -> auto& {
    return ranks[static_cast<std::size_t>(rank)]
        .traffic.collectives.calls[static_cast<int>(algorithm)][static_cast<int>(reason)][size];
  };
  for (int rank : {0, 1}) calls(rank, Algorithm::allreduce_in_room, ChoiceReason::measured, 0) = 20;
  calls(1, Algorithm::barrier_dissemination, ChoiceReason::no_room, 7) = 3;
  calls(1, Algorithm::scan_doubling, ChoiceReason::pool_in_use, 1) = 5;
  ranks[0].traffic.collectives.rooms_in_pool = 24;
  std::string text = traffic_text(ranks);
  EXPECT_NE(text.find("  allreduce:\n    to 8 B       allreduce_in_room                      40  "
                      "built in, measured: 2 cores of "),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("over 2 MiB   barrier_dissemination                   3  the preferred one "
                      "meets in a room: BATON_ROOMS=0, or no shared memory\n"),
            std::string::npos)
      << text;
  EXPECT_NE(
      text.find("scan_doubling                           5  the preferred one meets in a room, "
                "and the pool of rooms has too little left (64 MiB, in use by 24 "
                "communicators and persistent collectives)\n"),
      std::string::npos)
      << text;
  std::string json = explanation_json(ranks, 2);
  EXPECT_TRUE(holds(json,
                    "{'kind': 'barrier', 'bytes_min': 2097153, 'bytes_max': null, 'algorithm': "
                    "'barrier_dissemination', 'calls': 3, 'reason': 'no_room', 'words': "))
      << json;
}

TEST(explain, ranks_that_did_not_come_to_their_end_are_named_as_such) {
  std::vector<RankReport> ranks = two_ranks();
  ranks[1] = RankReport{};
  EXPECT_EQ(traffic_text(ranks).find("of 2 ranks 1 came to the end"), 0u);
  ranks[0] = RankReport{};
  EXPECT_EQ(traffic_text(ranks).find("no message was counted"), 0u);
}

TEST(explain, the_library_that_ranks_have_loaded_is_named) {
  std::vector<RankReport> ranks = two_ranks();
  for (RankReport& rank : ranks) {
    std::strcpy(rank.traffic.library, "/a/libmpi_abi.so.1");
    std::strcpy(rank.traffic.version, "1.2.3");
  }
  EXPECT_EQ(traffic_text(ranks).find("library: /a/libmpi_abi.so.1 (Baton 1.2.3)\n"), 0u);
  EXPECT_TRUE(
      holds(explanation_json(ranks, 2),
            "'libraries': [{'path': '/a/libmpi_abi.so.1', 'version': '1.2.3', 'ranks': 2}]"));
  std::strcpy(ranks[1].traffic.library, "/b\n/x");
  EXPECT_NE(traffic_text(ranks).find("libmpi_abi.so.1 (Baton 1.2.3) in 1 of 2 ranks\n"),
            std::string::npos);
  EXPECT_TRUE(holds(explanation_json(ranks, 2), "'path': '/b\\n/x'"));
}

TEST(explain, what_ranks_wrote_of_their_library_may_have_no_end) {
  std::vector<RankReport> ranks{finished()};
  std::ranges::fill(ranks[0].traffic.library, 'x');
  std::ranges::fill(ranks[0].traffic.version, 'y');
  const std::string path(sizeof ranks[0].traffic.library, 'x');
  EXPECT_EQ(traffic_text(ranks).find("library: " + path + " (Baton yyyyyyyyyyyyyyyy)\n"), 0u);
}

TEST(explain, the_longest_class_has_no_upper_bound) {
  std::vector<RankReport> ranks{finished()};
  ranks[0].traffic.tally[l3][static_cast<int>(Way::cma)][7] = {1, 3 << 20};
  EXPECT_NE(traffic_text(ranks).find("over 2 MiB   cma"), std::string::npos);
  EXPECT_TRUE(holds(explanation_json(ranks, 1), "'bytes_min': 2097153, 'bytes_max': null"));
}

TEST(explain, windows_are_told_by_memory_and_way_with_the_reason_and_the_remedy) {
  std::vector<RankReport> ranks = two_ranks();
  EXPECT_EQ(traffic_text(ranks).find("windows"), std::string::npos);
  constexpr int create = static_cast<int>(WindowMemory::create);
  for (RankReport& rank : ranks) {
    OneSidedCounts& counts = rank.traffic.one_sided;
    counts.tally[create][static_cast<int>(ReachWay::message)]
                [static_cast<int>(WindowOperation::put)] = {4, 32};
    counts.reasons[create][static_cast<int>(ReachReason::kernel_refuses)] = 4;
  }
  ranks[1].traffic.one_sided.refusal = static_cast<std::uint64_t>(Reason::cma_failed);
  ranks[1].traffic.probe_errno = ENOSPC;
  const std::string text = traffic_text(ranks);
  EXPECT_NE(text.find("memory that MPI_Win_create was given:\n    message      put             "
                      "              8         64 B   in active messages"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("and no single copy (CMA): trying it failed (ENOSPC); use MPI_Win_allocate"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("(8 operations)"), std::string::npos) << text;
  EXPECT_TRUE(holds(explanation_json(ranks, 2),
                    "'windows': [{'memory': 'create', 'ways': [{'way': 'message', 'operation': "
                    "'put', 'operations': 8, 'bytes': 64}], 'why_not_cheaper': [{'reason': "
                    "'kernel_refuses', 'operations': 8, "));
  // A rank can write anything there.
  ranks[1].traffic.one_sided.refusal = ~std::uint64_t{0};
  EXPECT_NE(traffic_text(ranks).find("use MPI_Win_allocate"), std::string::npos);
}

TEST(explain, spawned_jobs_are_told_by_number_and_code) {
  EXPECT_EQ(spawned_text({}), "");
  std::vector<SpawnedJob> jobs{{17, 0}, {18, 3}};
  EXPECT_EQ(spawned_text(jobs), "jobs that were spawned: 17 (code 0), 18 (code 3)\n");
  ReportedPart part;
  part.spawned = jobs;
  EXPECT_TRUE(holds(explanation_json(two_ranks(), 2, part),
                    "{'spawned': [{'job': 17, 'code': 0}, {'job': 18, 'code': 3}], 'ranks': 2"));
  jobs.resize(1000, {19, 0});
  EXPECT_TRUE(spawned_text(jobs).ends_with("19 (code 0) and 992 more\n"));
}

TEST(explain, files_are_told_by_way_with_the_reason) {
  std::vector<RankReport> ranks = two_ranks();
  EXPECT_EQ(traffic_text(ranks).find("files"), std::string::npos);
  EXPECT_TRUE(holds(explanation_json(ranks, 2), "'files': [], "));
  for (RankReport& rank : ranks) {
    FileRecord& file = rank.traffic.files.files[0];
    std::snprintf(file.name, sizeof file.name, "say \"when\"");
    file.ranks = 2;
    file.openings = 1;
    file.counts.writes_all = 3;
    file.counts.written_bytes = 1 << 20;
    file.counts.bytes[static_cast<int>(FileWay::exchanged)] = 1 << 20;
    file.counts.system_calls = 5;
    rank.traffic.files.known = 1;
  }
  ranks[0].traffic.files.files[0].counts.reasons[static_cast<int>(FileReason::chosen)] = 3;
  EXPECT_NE(traffic_text(ranks).find(
                "how files were read and written:\n  say \"when\" (2 ranks):\n    reads 0, "
                "collective 0, 0 B; writes 0, collective 6, 2 MiB; system calls 10\n           2 "
                "MiB exchanged through memory that the ranks share\n               3 collective "
                "accesses exchanged: short runs, and together the ranks have all bytes\n"),
            std::string::npos)
      << traffic_text(ranks);
  EXPECT_TRUE(
      holds(explanation_json(ranks, 2),
            "'ways': [{'way': 'exchanged', 'bytes': 2097152}], 'collective': [{'reason': 'chosen', "
            "'accesses': 3, 'words': "));
  // Files of other ranks or another name are others, and a rank can write anything there.
  ranks[1].traffic.files.files[0].ranks = 1;
  ranks[1].traffic.files.known = 1000000;
  ranks[0].traffic.files.more = 7;
  const std::string text = traffic_text(ranks);
  EXPECT_NE(text.find("say \"when\" (1 rank):"), std::string::npos) << text;
  EXPECT_NE(text.find("(7 openings are not told)"), std::string::npos) << text;
}

}  // namespace

}  // namespace baton::launch
