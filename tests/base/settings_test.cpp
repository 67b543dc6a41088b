#include "base/settings.hpp"

#include <gtest/gtest.h>

#include <cctype>
#include <cstdlib>
#include <cstring>
#include <string>

extern char** environ;

namespace baton {
namespace {

// Each test has BATON_* to itself.
class settings_read : public testing::Test {
 protected:
  void SetUp() override { forget(); }
  void TearDown() override {
    forget();
    read_settings();
  }
  static void forget() {
    for (bool found = true; found;) {
      found = false;
      for (char** entry = environ; *entry && !found; ++entry)
        if (std::strncmp(*entry, "BATON_", 6) == 0) {
          unsetenv(std::string(*entry, std::strcspn(*entry, "=")).c_str());
          found = true;
        }
    }
  }
  // Reads the settings with one variable set; returns what was printed.
  static std::string read_with(const char* name, const char* value) {
    setenv(name, value, 1);
    testing::internal::CaptureStderr();
    read_settings();
    return testing::internal::GetCapturedStderr();
  }
};

TEST_F(settings_read, defaults_stand_when_nothing_is_set) {
  settings.eager_bytes_max = 1;
  testing::internal::CaptureStderr();
  read_settings();
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  for (const SettingRow& row : setting_rows()) {
    EXPECT_EQ(settings.*row.field, default_of(row)) << row.name;
    EXPECT_LE(row.minimum, row.fallback) << row.name;
    EXPECT_GE(row.maximum, row.fallback) << row.name;
    EXPECT_GT(std::strlen(row.why), 10u) << row.name;
  }
}

TEST_F(settings_read, every_setting_is_read_from_its_variable) {
  for (const SettingRow& row : setting_rows()) {
    std::string name = std::string("BATON_") + row.name;
    std::int64_t other = default_of(row) == row.maximum ? row.minimum : row.maximum;
    EXPECT_EQ(read_with(name.c_str(), std::to_string(other).c_str()), "") << row.name;
    EXPECT_EQ(settings.*row.field, other) << row.name;
    unsetenv(name.c_str());
  }
}

TEST_F(settings_read, upper_case_and_units_are_understood) {
  EXPECT_EQ(read_with("BATON_EAGER_BYTES_MAX", "2k"), "");
  EXPECT_EQ(settings.eager_bytes_max, 2048);
  EXPECT_EQ(read_with("BATON_UNEXPECTED_BYTES_MAX", "3M"), "");
  EXPECT_EQ(settings.unexpected_bytes_max, 3 << 20);
  EXPECT_EQ(read_with("BATON_CMA_BYTES_MIN", "1G"), "");
  EXPECT_EQ(settings.cma_bytes_min, 1 << 30);
}

TEST_F(settings_read, former_names_are_read_and_said_to_go) {
  const char* names[][2] = {{"STAGE_SPAN_BYTES", "PIPELINE_SPAN_BYTES"},
                            {"STAGE_PUBLISH_BYTES", "PIPELINE_PUBLISH_BYTES"},
                            {"STAGE_PUBLISH_LONG_BYTES", "PIPELINE_PUBLISH_LONG_BYTES"},
                            {"STAGE_FETCH_BYTES", "PIPELINE_FETCH_BYTES"},
                            {"STAGE_AROUND_CACHE", "NON_TEMPORAL_STORES"},
                            {"STAGE_HANDED", "OWNERSHIP_TRANSFER"},
                            {"STAGE_EARLY", "PIPELINE_EARLY"},
                            {"REDIRECT", "RECEIVER_INITIATED"},
                            {"PIPELINE_WINDOW_BYTES", "PIPELINE_BUFFER_BYTES"}};
  for (auto& [former, now] : names) {
    std::string lower(former);
    for (char& letter : lower) letter = static_cast<char>(std::tolower(letter));
    const SettingRow* row = find_setting(lower.c_str());
    ASSERT_NE(row, nullptr) << former;
    const std::int64_t other = default_of(*row) == row->maximum ? row->minimum : row->maximum;
    const std::string variable = std::string("BATON_") + former;
    EXPECT_EQ(read_with(variable.c_str(), std::to_string(other).c_str()),
              "baton: " + variable + " is called BATON_" + now +
                  " now; the former name goes with the next release\n");
    EXPECT_EQ(settings.*row->field, other) << former;
    unsetenv(variable.c_str());
  }
}

TEST_F(settings_read, what_is_gone_is_reported_in_one_line_and_changes_nothing) {
  read_settings();
  const Settings before = settings;
  for (const char* name : {"SEGMENT_BYTES_MAX", "PIECE_BYTES_MAX"}) {
    const std::string variable = std::string("BATON_") + name;
    EXPECT_EQ(read_with(variable.c_str(), "64k"),
              "baton: " + variable +
                  " is gone; a side copies at most 128 KiB of a shared message in one go\n");
    unsetenv(variable.c_str());
  }
  for (const SettingRow& row : setting_rows()) EXPECT_EQ(settings.*row.field, before.*row.field);
}

TEST_F(settings_read, a_choice_is_one_of_its_words) {
  EXPECT_EQ(read_with("BATON_ORDER", "status"), "");
  EXPECT_EQ(settings.order, 2);
  EXPECT_EQ(read_with("BATON_ORDER", "Blocking"), "");
  EXPECT_EQ(settings.order, 3);
  std::string said = read_with("BATON_ORDER", "statuses");
  EXPECT_NE(said.find("one of auto rank status blocking"), std::string::npos) << said;
  EXPECT_EQ(settings.order, 0);
}

TEST_F(settings_read, values_out_of_range_or_not_numbers_are_reported_and_ignored) {
  for (const char* value :
       {"47", "6145", "", "many", "100x", "100kk", "99999999999999999999g", "-1"}) {
    std::string said = read_with("BATON_EAGER_BYTES_MAX", value);
    EXPECT_NE(said.find("eager_bytes_max"), std::string::npos) << value << said;
    EXPECT_NE(said.find("48 to 6144"), std::string::npos) << value << said;
    EXPECT_EQ(settings.eager_bytes_max, default_of(*find_setting("eager_bytes_max"))) << value;
  }
}

TEST_F(settings_read, an_unknown_name_is_reported_with_the_nearest_one) {
  std::string said = read_with("BATON_EAGR_BYTES_MAX", "100");
  EXPECT_NE(said.find("BATON_EAGR_BYTES_MAX"), std::string::npos) << said;
  EXPECT_NE(said.find("nearest is BATON_EAGER_BYTES_MAX"), std::string::npos) << said;
  unsetenv("BATON_EAGR_BYTES_MAX");
  said = read_with("BATON_CM", "1");
  EXPECT_NE(said.find("nearest is BATON_CMA "), std::string::npos) << said;
  unsetenv("BATON_CM");
  std::string name = "BATON_" + std::string(200, 'x');
  EXPECT_NE(read_with(name.c_str(), "1").find("unknown setting"), std::string::npos);
}

TEST_F(settings_read, what_mpiexec_sets_is_no_unknown_setting) {
  EXPECT_EQ(read_with("BATON_JOB_FD", "3"), "");
  EXPECT_EQ(read_with("BATON_RANK", "0"), "");
}

// What the launcher makes of a rank's environment.
TEST(setting_value, a_setting_is_its_default_where_the_text_is_missing_or_wrong) {
  EXPECT_EQ(setting_value(&Settings::deposit_ring_bytes, "64k"), 65536);
  EXPECT_EQ(setting_value(&Settings::deposit_ring_bytes, nullptr), 4 << 20);
  EXPECT_EQ(setting_value(&Settings::deposit_model, "6"), 0);
  EXPECT_EQ(setting_value(&Settings::deposit_model, "five"), 0);
  EXPECT_EQ(setting_value(&Settings::deposit_model, "5"), 5);
}

SettingSource source_named(const char* name) {
  return source_of(*find_setting(name));
}

TEST_F(settings_read, the_environment_beats_the_profile_and_the_profile_beats_the_default) {
  setenv("BATON_PROFILE_VALUES", "eager_bytes_max=2048,cma_bytes_min=4096", 1);
  EXPECT_EQ(read_with("BATON_EAGER_BYTES_MAX", "1k"), "");
  EXPECT_EQ(settings.eager_bytes_max, 1024);
  EXPECT_EQ(settings.cma_bytes_min, 4096);
  EXPECT_EQ(source_named("eager_bytes_max"), SettingSource::environment);
  EXPECT_EQ(source_named("cma_bytes_min"), SettingSource::tuned);
  EXPECT_EQ(source_named("rooms"), SettingSource::fallback);
}

TEST_F(settings_read, a_profile_of_nonsense_changes_nothing) {
  read_settings(nullptr);
  Settings before = settings;
  EXPECT_EQ(read_with("BATON_PROFILE_VALUES", ",,=,x,nonsense=1,cma_bytes_min"), "");
  for (const SettingRow& row : setting_rows()) EXPECT_EQ(settings.*row.field, before.*row.field);
  EXPECT_NE(read_with("BATON_PROFILE_VALUES", "eager_bytes_max=1,cma=0"), "");
  EXPECT_EQ(settings.eager_bytes_max, before.eager_bytes_max);
  EXPECT_EQ(settings.cma, 0);
}

// No other test here uses this setting: what a tool has written stays until the process ends.
TEST_F(settings_read, what_a_tool_has_written_stays) {
  const SettingRow& row = *find_setting("pull_penalty_percent");
  EXPECT_EQ(read_with("BATON_PULL_PENALTY_PERCENT", "7"), "");
  EXPECT_EQ(settings.pull_penalty_percent, 7);
  EXPECT_FALSE(write_setting(row, row.maximum + 1));
  EXPECT_FALSE(write_setting(row, row.minimum - 1));
  EXPECT_EQ(settings.pull_penalty_percent, 7);
  EXPECT_EQ(source_of(row), SettingSource::environment);
  EXPECT_TRUE(write_setting(row, 9));
  EXPECT_EQ(source_of(row), SettingSource::tool);
  setenv("BATON_PROFILE_VALUES", "pull_penalty_percent=11", 1);
  EXPECT_EQ(read_with("BATON_PULL_PENALTY_PERCENT", "8"), "");
  take_profile_values("pull_penalty_percent=12");
  EXPECT_EQ(settings.pull_penalty_percent, 9);
  EXPECT_EQ(source_of(row), SettingSource::tool);
}

TEST_F(settings_read, once_they_are_read_the_environment_may_change) {
  EXPECT_EQ(read_with("BATON_DIRECT_AT_ONCE", "3"), "");
  setenv("BATON_DIRECT_AT_ONCE", "4", 1);
  read_settings_once();
  EXPECT_EQ(settings.direct_at_once, 3);
  unsetenv("BATON_DIRECT_AT_ONCE");
}

}  // namespace
}  // namespace baton
