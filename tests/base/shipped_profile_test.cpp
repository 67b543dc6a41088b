#include "base/shipped_profile.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>

#include "base/selection.hpp"
#include "base/settings.hpp"

namespace baton {
namespace {

using enum ProcessorFamily;

std::int64_t value_in(ProcessorFamily family, const char* setting) {
  const SettingRow& row = *find_setting(setting);
  return shipped_value(shipped_profile_of(family), row).value_or(row.fallback);
}

template <class Do>
void each_profile(Do act) {
  for (int i = 0; i < processor_family_count; ++i)
    act(shipped_profile_of(static_cast<ProcessorFamily>(i)));
}

struct shipped : testing::Test {
  ~shipped() override {
    unsetenv("BATON_PROFILE");
    read_settings();
  }
};

TEST_F(shipped, values_differ_from_the_default_and_are_in_range) {
  each_profile([](const ShippedProfile& profile) {
    for (const ShippedValue& one : profile.values) {
      int rows = 0;
      for (const SettingRow& row : setting_rows()) {
        if (row.field != one.setting) continue;
        ++rows;
        EXPECT_NE(one.value, row.fallback) << row.name;
        EXPECT_LE(row.minimum, one.value) << row.name;
        EXPECT_GE(row.maximum, one.value) << row.name;
      }
      EXPECT_EQ(rows, 1);
    }
  });
}

TEST_F(shipped, profiles_are_of_their_family_and_were_measured_or_are_guesses_after_one_that_was) {
  int measured = 0;
  each_profile([&](const ShippedProfile& profile) {
    const ShippedProfile& origin = shipped_profile_of(profile.measured);
    EXPECT_FALSE(origin.is_guess()) << name_of(profile.family);
    EXPECT_EQ(profile.values.data(), origin.values.data()) << name_of(profile.family);
    EXPECT_EQ(profile.selection.data(), origin.selection.data()) << name_of(profile.family);
    EXPECT_NE(std::strstr(profile.where, "202"), nullptr) << "no date";
    measured += !profile.is_guess();
  });
  EXPECT_EQ(measured, 3);
  EXPECT_FALSE(shipped_profile_of(zen4).is_guess());
  EXPECT_FALSE(shipped_profile_of(zen5).is_guess());
  EXPECT_FALSE(shipped_profile_of(emerald_rapids).is_guess());
  EXPECT_EQ(shipped_profile_of(zen2).measured, zen4);
  EXPECT_EQ(shipped_profile_of(granite_rapids).measured, emerald_rapids);
}

TEST_F(shipped, rows_end_the_selection_and_name_machine_and_date) {
  each_profile([](const ShippedProfile& profile) {
    ASSERT_GT(profile.selection.size(), profile.rows.size());
    const auto end = profile.selection.last(profile.rows.size());
    for (std::size_t i = 0; i < profile.rows.size(); ++i) {
      EXPECT_EQ(end[i].algorithm, profile.rows[i].algorithm);
      EXPECT_EQ(profile.rows[i].source, SelectionSource::measured);
      EXPECT_NE(*profile.rows[i].where, 0);
    }
  });
}

TEST_F(shipped, values_of_zen4_and_of_others) {
  EXPECT_EQ(value_in(zen4, "eager_bytes_max"), 1024);
  EXPECT_EQ(value_in(zen4, "cma_bytes_min"), 262144);
  EXPECT_EQ(value_in(zen4, "early_bytes_max"), 262144);
  EXPECT_EQ(value_in(zen4, "pipeline_span_bytes"), 2 << 20);
  EXPECT_EQ(value_in(zen4, "pipeline_fetch_bytes"), 0);
  EXPECT_EQ(value_in(zen5, "pipeline_publish_bytes"), 16384);
  EXPECT_EQ(value_in(zen5, "pipeline_buffer_bytes"), 512 << 10);
  EXPECT_GT(value_in(zen5, "unseen_pull_bytes_min"), std::int64_t{1} << 30);
  EXPECT_EQ(value_in(emerald_rapids, "eager_bytes_max"), 4096);
  EXPECT_EQ(value_in(emerald_rapids, "cma_bytes_min"), 16384);
  EXPECT_EQ(value_in(other, "pipeline_fetch_bytes"), 512);
}

TEST_F(shipped, the_processors_profile_is_used_unless_another_family_is_named) {
  for (const char* word : {"none", "", "a/file.json", "zen"}) {
    setenv("BATON_PROFILE", word, 1);
    read_settings();
    EXPECT_EQ(shipped_profile().family, family_here()) << word;
  }
  const SettingRow& row = *find_setting("eager_bytes_max");
  setenv("BATON_PROFILE", "zen2", 1);
  read_settings();
  EXPECT_EQ(shipped_profile().family, zen2);
  EXPECT_EQ(settings.eager_bytes_max, 1024);
  EXPECT_EQ(source_of(row), SettingSource::shipped);
  EXPECT_EQ(source_of(*find_setting("rooms")), SettingSource::fallback);
  EXPECT_EQ(default_selection().data(), shipped_profile_of(zen4).selection.data());
  setenv("BATON_PROFILE", "granite_rapids", 1);
  read_settings();
  EXPECT_EQ(settings.eager_bytes_max, 4096);
  EXPECT_EQ(source_of(row), SettingSource::fallback);
  EXPECT_EQ(default_selection().data(), shipped_profile_of(emerald_rapids).selection.data());
}

TEST_F(shipped, what_tuning_found_wins_over_it_and_the_environment_over_both) {
  setenv("BATON_PROFILE", "zen4", 1);
  read_settings("eager_bytes_max=2048");
  const SettingRow& row = *find_setting("eager_bytes_max");
  EXPECT_EQ(settings.eager_bytes_max, 2048);
  EXPECT_EQ(source_of(row), SettingSource::tuned);
  EXPECT_EQ(settings.cma_bytes_min, 262144);
  setenv("BATON_EAGER_BYTES_MAX", "3k", 1);
  read_settings("eager_bytes_max=2048");
  unsetenv("BATON_EAGER_BYTES_MAX");
  EXPECT_EQ(settings.eager_bytes_max, 3072);
  EXPECT_EQ(source_of(row), SettingSource::environment);
}

}  // namespace
}  // namespace baton
