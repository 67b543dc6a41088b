// From times to values of settings.
#include "cli/tune/question.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <string>

#include "base/settings.hpp"
#include "cli/tune/plan.hpp"

namespace baton::cli::tune {
namespace {

using profile::Cell;

// Times of all variants of all questions, as `time` gives them; each round a little different.
template <class Time>
std::vector<Cell> measured(Time time, double noise = 0.01, int rounds = 7) {
  std::vector<Cell> cells;
  for (const Question& question : questions(true))
    for (const Variant& variant : question.variants)
      for (const char* pattern : question.patterns)
        for (const char* data : {"warm", "cold"})
          for (std::int64_t bytes : question.sizes) {
            Cell cell{question.name, variant.name, "l3", pattern, data, bytes, {}};
            for (int round = 0; round < rounds; ++round) {
              // Of two variants in a row one is slower in even rounds, the other in odd ones.
              bool up = (round + static_cast<int>(variant.name[0])) % 2;
              cell.medians_us.push_back(time(cell) * (up ? 1 + noise : 1));
            }
            cells.push_back(cell);
          }
  return cells;
}

profile::Chosen chosen(const std::vector<Cell>& cells, const std::string& setting,
                       bool cma_permitted = true) {
  for (const profile::Chosen& one : choose(cells, cma_permitted))
    if (one.setting == setting) return one;
  return {};
}

std::int64_t fallback(const char* setting) {
  return default_of(*find_setting(setting));
}

double same(const Cell&) {
  return 1;
}

TEST(chosen_value, is_the_default_where_nothing_is_quicker) {
  std::vector<profile::Chosen> all = choose(measured(same), true);
  EXPECT_EQ(all.size(), 7u);
  for (const profile::Chosen& one : all) {
    EXPECT_EQ(one.value, fallback(one.setting.c_str())) << one.setting;
    EXPECT_NE(one.reason.find("default stays"), std::string::npos) << one.reason;
  }
}

TEST(chosen_value, is_compared_within_a_distance_where_that_has_rounds_enough) {
  auto slow_when_near = [](const Cell& cell) { return cell.variant == "ring" ? 2.0 : 1.0; };
  std::vector<Cell> cells = measured(slow_when_near);
  const std::int64_t value = chosen(cells, "eager_bytes_max").value;
  EXPECT_LT(value, fallback("eager_bytes_max"));
  // Few rounds at the other distance neither count nor keep the others from counting.
  std::vector<Cell> few = measured([](const Cell&) { return 9.0; }, 0.01, 1);
  for (Cell& cell : few) cell.distance = Distance::near;
  std::ranges::copy(few, std::back_inserter(cells));
  EXPECT_EQ(chosen(cells, "eager_bytes_max").value, value);
  // Times of different distances are no pair.
  for (Cell& cell : cells)
    if (cell.variant == "ring") cell.distance = Distance::near;
  EXPECT_EQ(chosen(cells, "eager_bytes_max").value, fallback("eager_bytes_max"));
}

TEST(chosen_value, differs_where_the_other_way_is_quicker_by_more_than_the_noise) {
  auto time = [](const Cell& cell) {
    if (cell.variant == "staging") return cell.bytes > 2048 ? 0.8 : 1.2;
    if (cell.variant == "pulled") return cell.bytes >= 12288 ? 0.7 : 1.2;
    if (cell.variant == "both sides") return cell.bytes >= 65536 ? 0.8 : 1.2;
    return cell.variant == "16k" && cell.question == "early bytes" ? 0.9 : 1.0;
  };
  std::vector<Cell> cells = measured(time);
  EXPECT_EQ(chosen(cells, "eager_bytes_max").value, 2048);
  EXPECT_EQ(chosen(cells, "cma_bytes_min").value, 12288);
  EXPECT_EQ(chosen(cells, "unseen_pull_bytes_min").value, 12288);
  EXPECT_EQ(chosen(cells, "shared_bytes_min").value, 65536);
  EXPECT_EQ(chosen(cells, "early_bytes_max").value, 16384);
  EXPECT_NE(chosen(cells, "shared_bytes_min").reason.find("at 48k one side takes 0.8"),
            std::string::npos)
      << chosen(cells, "shared_bytes_min").reason;
}

TEST(chosen_value, of_noisy_times_is_the_default) {
  auto time = [](const Cell& cell) { return cell.variant == "staging" ? 0.95 : 1.0; };
  EXPECT_EQ(chosen(measured(time, 0.01), "eager_bytes_max").value, 48);
  EXPECT_EQ(chosen(measured(time, 0.6), "eager_bytes_max").value, fallback("eager_bytes_max"));
}

TEST(chosen_value, of_a_small_gain_is_the_default) {
  auto time = [](const Cell& cell) { return cell.variant == "staging" ? 0.98 : 1.0; };
  EXPECT_EQ(chosen(measured(time, 0), "eager_bytes_max").value, fallback("eager_bytes_max"));
}

TEST(chosen_value, needs_the_gain_at_every_size_on_the_way) {
  // Quicker at 16 KiB, but not at 32.
  auto time = [](const Cell& cell) {
    return cell.variant == "both sides" && cell.bytes == 16384 ? 0.5 : 1.0;
  };
  EXPECT_EQ(chosen(measured(time), "shared_bytes_min").value, fallback("shared_bytes_min"));
}

TEST(chosen_value, looks_at_the_data_that_the_setting_is_about) {
  auto time = [](const Cell& cell) {
    return cell.variant == "pulled" && cell.data == "warm" ? 0.5 : 1.0;
  };
  std::vector<Cell> cells = measured(time);
  EXPECT_EQ(chosen(cells, "cma_bytes_min").value, 8192);
  EXPECT_EQ(chosen(cells, "unseen_pull_bytes_min").value, fallback("unseen_pull_bytes_min"));
}

TEST(chosen_value, that_helps_some_sizes_and_harms_others_is_not_taken) {
  auto time = [](const Cell& cell) {
    if (cell.question != "early bytes" || cell.variant != "16k") return 1.0;
    return cell.bytes == 32768 ? 1.2 : 0.6;
  };
  EXPECT_EQ(chosen(measured(time), "early_bytes_max").value, fallback("early_bytes_max"));
}

TEST(chosen_value, of_too_few_rounds_is_the_default_and_says_so) {
  auto time = [](const Cell& cell) { return cell.variant == "staging" ? 0.5 : 1.0; };
  profile::Chosen one = chosen(measured(time, 0, 2), "eager_bytes_max");
  EXPECT_EQ(one.value, fallback("eager_bytes_max"));
  EXPECT_NE(one.reason.find("only 2 rounds"), std::string::npos) << one.reason;
  EXPECT_NE(chosen({}, "eager_bytes_max").reason.find("only 0 rounds"), std::string::npos);
}

TEST(chosen_value, without_cross_memory_attach_says_so) {
  profile::Chosen one = chosen(measured(same), "cma_bytes_min", false);
  EXPECT_EQ(one.value, fallback("cma_bytes_min"));
  EXPECT_NE(one.reason.find("not permitted"), std::string::npos) << one.reason;
}

TEST(chosen_value, never_leaves_the_range_of_its_setting) {
  for (double ratio : {0.1, 10.0})
    for (const profile::Chosen& one :
         choose(measured([&](const Cell& cell) { return cell.variant[0] == 's' ? ratio : 1.0; }),
                true)) {
      const SettingRow& row = *find_setting(one.setting.c_str());
      EXPECT_GE(one.value, row.minimum) << one.setting;
      EXPECT_LE(one.value, row.maximum) << one.setting;
    }
}

TEST(question, every_variant_sets_settings_that_there_are) {
  for (const Question& question : questions(true))
    for (const Variant& variant : question.variants)
      for (const auto& [name, value] : variant.settings)
        EXPECT_NE(find_setting(name), nullptr) << name;
}

TEST(pairs, are_one_for_each_class_of_peers_and_on_two_cores) {
  machine::Machine machine;
  // Two threads a core, two cores an L2, two L2 an L3, two L3 a NUMA node, two NUMA nodes.
  for (int os = 0; os < 32; ++os)
    machine.cpus.push_back({os, os / 2, os / 4, os / 8, os / 16, os / 32});
  std::vector<profile::Pair> pairs = pairs_of(machine);
  ASSERT_EQ(pairs.size(), 4u);
  const char* classes[] = {"l2", "l3", "numa_node", "other"};
  int others[] = {2, 4, 8, 16};
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    EXPECT_EQ(pairs[i].peers, classes[i]);
    EXPECT_EQ(pairs[i].cpus[0], 0);
    EXPECT_EQ(pairs[i].cpus[1], others[i]);
  }
}

TEST(pairs, are_none_of_one_cpu_and_the_threads_of_an_only_core) {
  machine::Machine machine;
  machine.cpus = {{0, 0, 0, 0, 0, 0}};
  EXPECT_TRUE(pairs_of(machine).empty());
  machine.cpus.push_back({1, 0, 0, 0, 0, 0});
  EXPECT_EQ(pairs_of(machine).size(), 1u);
}

}  // namespace
}  // namespace baton::cli::tune
