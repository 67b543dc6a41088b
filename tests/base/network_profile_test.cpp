#include "base/network_profile.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "base/settings.hpp"

namespace baton {
namespace {

constexpr const char* handed =
    "tcp;ofi_rxm|2.5|hosts|network_eager_bytes_max=65536|8 B: message 5.1 us";

// The environment is the test's own again afterwards.
class network_profile : public testing::Test {
 protected:
  void SetUp() override {
    unsetenv("BATON_NETWORK_EAGER_BYTES_MAX");
    read_settings(nullptr);
  }
  void TearDown() override {
    SetUp();
    take_network_profile(nullptr, "", "", false);
  }
  static std::string packets(std::int64_t most = 131072) {
    char text[300];
    describe_packets(most, text, sizeof text);
    return text;
  }
};

TEST_F(network_profile, has_five_parts) {
  const NetworkProfile profile = parse_network_profile(handed);
  EXPECT_EQ(profile.provider, "tcp;ofi_rxm");
  EXPECT_EQ(profile.libfabric, "2.5");
  EXPECT_EQ(profile.place, "hosts");
  EXPECT_EQ(profile.values, "network_eager_bytes_max=65536");
  EXPECT_EQ(profile.words, "8 B: message 5.1 us");
  EXPECT_EQ(parse_network_profile("tcp|2.5|hosts||").provider, "tcp");
  for (const char* broken : {"", "|", "||", "tcp", "tcp|2.5", "tcp|2.5|hosts|", "|2.5|hosts|x=1|",
                             "tcp||hosts|x=1|", "tcp|2.5||x=1|"})
    EXPECT_EQ(parse_network_profile(broken).provider, "") << broken;
}

TEST_F(network_profile, is_taken_where_provider_and_libfabric_are_those_measured) {
  take_network_profile(handed, "tcp;ofi_rxm", "2.5", false);
  EXPECT_EQ(settings.network_eager_bytes_max, 65536);
  EXPECT_EQ(source_of(*find_setting("network_eager_bytes_max")), SettingSource::tuned);
  EXPECT_EQ(packets(), "packets up to 64 KiB: measured by baton tune --net (8 B: message 5.1 us)");
  EXPECT_EQ(packets(16384),
            "packets up to 16 KiB: measured by baton tune --net (8 B: message 5.1 us)");
}

TEST_F(network_profile, of_another_provider_or_libfabric_changes_nothing) {
  for (const auto& [provider, libfabric] :
       {std::pair("tcp", "2.5"), {"tcp;ofi_rxm", "2.6"}, {"tcp;ofi_rxm", "2"}}) {
    take_network_profile(handed, provider, libfabric, false);
    EXPECT_EQ(settings.network_eager_bytes_max, 131072);
    EXPECT_EQ(packets(),
              "packets up to 128 KiB: the default, since baton tune --net measured tcp;ofi_rxm of "
              "libfabric 2.5, between hosts");
  }
}

TEST_F(network_profile, of_the_loopback_is_not_for_jobs_between_hosts_nor_the_other_way_round) {
  take_network_profile(handed, "tcp;ofi_rxm", "2.5", true);
  EXPECT_EQ(settings.network_eager_bytes_max, 131072);
  const char* loopback = "tcp|2.5|loopback|network_eager_bytes_max=32768|";
  take_network_profile(loopback, "tcp", "2.5", false);
  EXPECT_EQ(packets(),
            "packets up to 128 KiB: the default, since baton tune --net measured tcp of libfabric "
            "2.5, over the loopback");
  take_network_profile(loopback, "tcp", "2.5", true);
  EXPECT_EQ(settings.network_eager_bytes_max, 32768);
}

TEST_F(network_profile, is_not_there_and_the_default_holds) {
  take_network_profile(nullptr, "tcp", "2.5", true);
  EXPECT_EQ(packets(), "packets up to 128 KiB: the default");
}

TEST_F(network_profile, gives_way_to_the_environment) {
  setenv("BATON_NETWORK_EAGER_BYTES_MAX", "1000", 1);
  read_settings(nullptr);
  take_network_profile("tcp|2.5|hosts|network_eager_bytes_max=65536,network_receiver_initiated=0|",
                       "tcp", "2.5", false);
  EXPECT_EQ(settings.network_eager_bytes_max, 1000);
  EXPECT_EQ(settings.network_receiver_initiated, 0);
  EXPECT_EQ(packets(), "packets up to 1000 bytes: BATON_NETWORK_EAGER_BYTES_MAX");
}

TEST_F(network_profile, is_told_as_far_as_there_is_space) {
  take_network_profile(handed, "tcp;ofi_rxm", "2.5", false);
  for (std::size_t bytes : {1, 10, 22, 30, 60}) {
    std::string text(bytes + 1, 'x');
    describe_packets(131072, text.data(), bytes);
    EXPECT_EQ(text[bytes], 'x');
    EXPECT_LT(std::string(text.c_str()).size(), bytes);
  }
}

}  // namespace
}  // namespace baton
