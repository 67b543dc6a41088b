#include "profile/profile.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

#include "base/settings.hpp"
#include "base/shipped_profile.hpp"

namespace baton::profile {
namespace {

machine::Machine some_machine() {
  machine::Machine machine;
  machine.cpus = {{0, 0, 0, 0, 0, 0}, {1, 1, 1, 0, 0, 0}};
  machine.cpus_present = 2;
  machine.model = "some CPU";
  machine.shape = "1 packages, 2 cores";
  return machine;
}

Profile some_profile() {
  Profile profile;
  profile.baton = BATON_VERSION;
  profile.date = "2026-11-22T00:00:00Z";
  profile.machine = identity_of(some_machine());
  profile.seconds = 19.5;
  profile.budget = 20;
  profile.complete = true;
  profile.pairs = {{"l3", {0, 1}}};
  profile.measured = {{"a question", "a way", "l3", "pingpong", "cold", 4096, {1.5, 2.25}}};
  profile.chosen = {{"eager_bytes_max", 2048, "quicker"},
                    {"early_bytes_max", default_of(*find_setting("early_bytes_max")), "stays"}};
  profile.collectives = {"2026-11-22T01:00:00Z",
                         9.5,
                         30,
                         {2, 4},
                         {{"scan", "scan_doubling", 4, 64, {3.5, 4.25}}},
                         {{"scan:4+:64+:oversubscribed=scan_doubling", "quicker"},
                          {"barrier:2:0+=barrier_in_room", "quicker, too"}}};
  profile.network = {"2026-11-25T01:00:00Z",
                     8.5,
                     60,
                     {"a", "b"},
                     "tcp;ofi_rxm",
                     "eth0",
                     "2.5",
                     "8 B: message 5.1 us, remote write 6.3 us",
                     "no remote write is quicker",
                     "the only one",
                     {{"arrival", "write", "network", "pingpong", "", 8, {6.25, 6.5}}},
                     {{"network_eager_bytes_max", 65536, "writes are quicker"}}};
  return profile;
}

struct profile_file : testing::Test {
  profile_file() {
    use_shipped_profile("zen4");  // the same defaults on every machine
    char name[] = "/tmp/baton-profile-XXXXXX";
    folder = ::mkdtemp(name);
    file = folder + "/deeper/profile.json";
  }
  ~profile_file() override {
    use_shipped_profile(nullptr);
    ::unlink(file.c_str());
    ::rmdir((folder + "/deeper").c_str());
    ::rmdir(folder.c_str());
  }
  std::string text() {
    std::ifstream in(file);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  // Writes a good profile, in which one text is replaced by another; what reading it says.
  std::string refusal_of(const std::string& good, const std::string& bad) {
    EXPECT_TRUE(write_profile(file, some_profile()));
    std::string all = text();
    auto at = all.find(good);
    EXPECT_NE(at, std::string::npos) << good;
    std::ofstream(file) << all.replace(at, good.size(), bad);
    auto read = read_usable_profile(file, some_machine());
    if (read) return {};
    EXPECT_NE(read.error().find(file), std::string::npos) << read.error();
    EXPECT_NE(read.error().find("`baton tune`"), std::string::npos) << read.error();
    return read.error();
  }
  std::string folder, file;
};
using a_profile = profile_file;

TEST_F(a_profile, is_read_as_it_was_written) {
  ASSERT_TRUE(write_profile(file, some_profile()));
  auto read = read_usable_profile(file, some_machine());
  ASSERT_TRUE(read) << read.error();
  EXPECT_EQ(read->date, some_profile().date);
  EXPECT_EQ(read->seconds, 19.5);
  ASSERT_EQ(read->measured.size(), 1u);
  EXPECT_EQ(read->measured[0].medians_us, some_profile().measured[0].medians_us);
  EXPECT_EQ(read->measured[0].data, "cold");
  ASSERT_EQ(read->pairs.size(), 1u);
  EXPECT_EQ(read->pairs[0].cpus[1], 1);
  ASSERT_EQ(read->chosen.size(), 2u);
  EXPECT_EQ(read->chosen[0].reason, "quicker");
}

TEST_F(a_profile, hands_on_only_what_differs_from_the_defaults) {
  EXPECT_EQ(values_text(some_profile()), "eager_bytes_max=2048");
}

TEST(a_shipped_profile, says_in_words_what_it_is) {
  const ShippedProfile& zen4 = shipped_profile_of(ProcessorFamily::zen4);
  EXPECT_EQ(words_of(zen4),
            "zen4 (AMD Zen 4 (EPYC 9004, 8004)), measured on 2 cores of a Zen 4 virtual machine, "
            "2026-11-22");
  EXPECT_EQ(words_of(shipped_profile_of(ProcessorFamily::zen2)),
            "zen2 (AMD Zen 2 (EPYC 7002)), a guess: as zen4");
  EXPECT_EQ(values_text(zen4).find("eager_bytes_max=1024,"), 0u);
  EXPECT_EQ(rows_text(zen4),
            "reduce:2:1024+=reduce_binomial,reduce:2:8192-393215:near=reduce_chain_in_room");
  EXPECT_EQ(values_text(shipped_profile_of(ProcessorFamily::sapphire_rapids)), "");
}

TEST_F(a_profile, keeps_which_algorithms_collectives_take) {
  ASSERT_TRUE(write_profile(file, some_profile()));
  auto read = read_profile(file);
  ASSERT_TRUE(read) << read.error();
  EXPECT_EQ(rows_text(*read),
            "scan:4+:64+:oversubscribed=scan_doubling,barrier:2:0+=barrier_in_room");
  const Collectives& found = read->collectives;
  EXPECT_EQ(found.date, "2026-11-22T01:00:00Z");
  EXPECT_EQ(found.seconds, 9.5);
  EXPECT_EQ(found.budget, 30);
  EXPECT_EQ(found.ranks, some_profile().collectives.ranks);
  ASSERT_EQ(found.measured.size(), 1u);
  EXPECT_EQ(found.measured[0].algorithm, "scan_doubling");
  EXPECT_EQ(found.measured[0].medians_us, some_profile().collectives.measured[0].medians_us);
  EXPECT_EQ(found.chosen[1].reason, "quicker, too");
  Profile without = some_profile();
  without.collectives = {};
  ASSERT_TRUE(write_profile(file, without));
  EXPECT_EQ(rows_text(*read_profile(file)), "");
}

TEST_F(a_profile, keeps_what_was_measured_of_the_network) {
  ASSERT_TRUE(write_profile(file, some_profile()));
  auto read = read_profile(file);
  ASSERT_TRUE(read) << read.error();
  const Network& found = read->network;
  EXPECT_EQ(found.date, "2026-11-25T01:00:00Z");
  EXPECT_EQ(found.seconds, 8.5);
  EXPECT_EQ(found.budget, 60);
  EXPECT_EQ(found.hosts, some_profile().network.hosts);
  EXPECT_EQ(found.interface, "eth0");
  EXPECT_EQ(found.writes, "no remote write is quicker");
  EXPECT_EQ(found.offers, "the only one");
  EXPECT_EQ(found.measured.at(0).medians_us, some_profile().network.measured[0].medians_us);
  EXPECT_EQ(found.chosen.at(0).reason, "writes are quicker");
  EXPECT_EQ(
      network_text(*read),
      "tcp;ofi_rxm|2.5|hosts|network_eager_bytes_max=65536|8 B: message 5.1 us, remote write 6.3 "
      "us; no remote write is quicker");
  // It is the settings of jobs over that network alone.
  EXPECT_EQ(values_text(*read).find("network"), std::string::npos);
  Profile without = some_profile();
  without.network = {};
  ASSERT_TRUE(write_profile(file, without));
  EXPECT_EQ(network_text(*read_profile(file)), "");
}

TEST_F(a_profile, of_a_network_that_is_broken_is_refused) {
  EXPECT_NE(
      refusal_of("network_eager_bytes_max", "network_eager_bytes").find("there is no setting"),
      std::string::npos);
  EXPECT_NE(refusal_of("65536", "7").find("range"), std::string::npos);
  EXPECT_NE(refusal_of("tcp;ofi_rxm", "tcp|ofi_rxm").find("no part of a network"),
            std::string::npos);
  EXPECT_NE(refusal_of("\"hosts\"", "\"hast\"").find("corrupt"), std::string::npos);
  EXPECT_NE(refusal_of("6.25", "0").find("time"), std::string::npos);
}

TEST_F(a_profile, may_have_the_former_names_of_algorithms) {
  Profile former = some_profile();
  former.collectives.measured = {
      {"allreduce", "allreduce_by_pieces_in_room", 2, 8192, {3.5}},
      {"neighbour_alltoall", "neighbour_alltoall_exchange", 2, 8, {1.5}}};
  former.collectives.chosen = {{"allreduce:2:8k+=allreduce_by_pieces_in_room", "quicker"}};
  ASSERT_TRUE(write_profile(file, former));
  auto read = read_profile(file);
  ASSERT_TRUE(read) << read.error();
  EXPECT_EQ(read->collectives.measured[0].algorithm, "allreduce_segmented_in_room");
  EXPECT_EQ(read->collectives.measured[1].kind, "neighbor_alltoall");
  EXPECT_EQ(read->collectives.measured[1].algorithm, "neighbor_alltoall_exchange");
}

TEST_F(a_profile, may_have_the_former_words_for_data_and_segments) {
  Profile former = some_profile();
  former.measured.push_back(former.measured[0]);
  former.measured[0].data = "reused";
  former.measured[1].data = "fresh";
  former.measured[1].question = "pieces";
  ASSERT_TRUE(write_profile(file, former));
  auto read = read_profile(file);
  ASSERT_TRUE(read) << read.error();
  EXPECT_EQ(read->measured[0].data, "warm");
  EXPECT_EQ(read->measured[1].data, "cold");
  EXPECT_EQ(read->measured[1].question, "segments");
}

TEST_F(a_profile, that_names_an_algorithm_that_there_is_not_is_refused) {
  std::string said = refusal_of("oversubscribed=scan_doubling", "oversubscribed=scan_dabbling");
  EXPECT_NE(said.find("\"scan_dabbling\"; the nearest is scan_doubling"), std::string::npos)
      << said;
  EXPECT_NE(refusal_of(":64+:", ":much:").find("number of bytes"), std::string::npos);
  EXPECT_NE(refusal_of("barrier:2:0+=barrier_in_room", "").find("no row"), std::string::npos);
  EXPECT_NE(refusal_of("3.5", "-3.5").find("time"), std::string::npos);
}

TEST_F(a_profile, of_another_machine_is_refused_with_what_differs) {
  EXPECT_NE(refusal_of("some CPU", "other CPU").find("\"other CPU\", here \"some CPU\""),
            std::string::npos);
  EXPECT_NE(refusal_of("2 cores", "64 cores").find("64 cores"), std::string::npos);
}

TEST_F(a_profile, of_another_kernel_is_not_another_machine) {
  EXPECT_EQ(refusal_of("\"kernel\": \"", "\"kernel\": \"old "), "");
}

TEST_F(a_profile, of_another_version_is_refused) {
  EXPECT_NE(refusal_of("\"baton\": \"", "\"baton\": \"0.0.").find("with Baton 0.0."),
            std::string::npos);
  EXPECT_NE(refusal_of("\"format\": 1", "\"format\": 99").find("99"), std::string::npos);
}

TEST_F(a_profile, that_was_interrupted_is_refused) {
  EXPECT_NE(refusal_of("\"complete\": true", "\"complete\": false").find("interrupted"),
            std::string::npos);
}

TEST_F(a_profile, that_is_no_file_or_has_no_end_is_refused) {
  auto refusal = [](const std::string& name) {
    auto profile = read_profile(name);
    return profile ? std::string() : profile.error();
  };
  const std::string pipe = folder + "/pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_NE(refusal(pipe).find("it is no regular file; `baton tune`"), std::string::npos);
  EXPECT_NE(refusal("/dev/zero").find("it is no regular file"), std::string::npos);
  EXPECT_NE(refusal(folder).find("Is a directory"), std::string::npos);
  const std::string huge = folder + "/huge";
  const int made = ::open(huge.c_str(), O_CREAT | O_WRONLY, 0600);
  EXPECT_EQ(::ftruncate(made, off_t{1} << 40), 0);
  ::close(made);
  EXPECT_NE(refusal(huge).find("longer than 64 MiB"), std::string::npos);
  for (const std::string& name : {pipe, huge}) ::unlink(name.c_str());
}

TEST_F(a_profile, that_is_corrupt_is_refused) {
  EXPECT_NE(refusal_of("\"format\"", "format").find("corrupt"), std::string::npos);
  EXPECT_NE(refusal_of("\"value\": 2048", "\"value\": \"much\"").find("corrupt"),
            std::string::npos);
  EXPECT_NE(refusal_of("\"date\"", "\"dates\"").find("corrupt"), std::string::npos);
  EXPECT_NE(refusal_of("\"cpus\": [", "\"cpus\": [], \"x\": [").find("corrupt"), std::string::npos);
  EXPECT_NE(refusal_of("2.25", "-2.25").find("time"), std::string::npos);
  EXPECT_NE(refusal_of("eager_bytes_max", "eager_bytes_most").find("eager_bytes_most"),
            std::string::npos);
  EXPECT_NE(refusal_of("\"value\": 2048", "\"value\": 1").find("range"), std::string::npos);
  for (std::size_t length : {0, 1, 100, 500}) {
    ASSERT_TRUE(write_profile(file, some_profile()));
    std::string part = text().substr(0, length);
    std::ofstream(file) << part;
    EXPECT_FALSE(read_profile(file)) << length;
  }
}

TEST_F(a_profile, that_is_a_folder_or_not_there_is_refused_with_the_cause) {
  auto read = read_profile(folder);
  ASSERT_FALSE(read);
  EXPECT_NE(read.error().find("directory"), std::string::npos) << read.error();
  read = read_profile(folder + "/none.json");
  ASSERT_FALSE(read);
  EXPECT_NE(read.error().find("No such file"), std::string::npos) << read.error();
}

TEST_F(a_profile, that_cannot_be_written_leaves_nothing_behind) {
  ASSERT_TRUE(write_profile(file, some_profile()));
  auto written = write_profile(file + "/below", some_profile());
  ASSERT_FALSE(written);
  EXPECT_NE(written.error().find(file + "/below"), std::string::npos);
  EXPECT_NE(written.error().find("--output"), std::string::npos);
  ASSERT_EQ(::mkdir((folder + "/taken").c_str(), 0777), 0);
  EXPECT_FALSE(write_profile(folder + "/taken", some_profile()));
  EXPECT_NE(::access((folder + "/taken.new").c_str(), F_OK), 0);
  ::rmdir((folder + "/taken").c_str());
}

TEST_F(a_profile, is_looked_for_where_one_is_named_first) {
  ::setenv("XDG_CONFIG_HOME", folder.c_str(), 1);
  ::unsetenv("BATON_PROFILE");
  EXPECT_EQ(file_in_use(""), "");
  std::string usual = folder + "/baton/profile.json";
  ASSERT_TRUE(write_profile(usual, some_profile()));
  EXPECT_EQ(file_in_use(""), usual);
  ::setenv("BATON_PROFILE", "/by/environment", 1);
  EXPECT_EQ(file_in_use(""), "/by/environment");
  EXPECT_EQ(file_in_use("/by/option"), "/by/option");
  EXPECT_EQ(file_in_use("none"), "");
  ::setenv("BATON_PROFILE", "none", 1);
  EXPECT_EQ(file_in_use(""), "");
  ::unsetenv("BATON_PROFILE");
  ::unlink(usual.c_str());
  ::rmdir((folder + "/baton").c_str());
  ::unsetenv("XDG_CONFIG_HOME");
  ::setenv("HOME", "/some/home", 1);
  EXPECT_EQ(usual_file(), "/some/home/.config/baton/profile.json");
}

}  // namespace
}  // namespace baton::profile
