#include "base/processor_family.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <string>

namespace baton {
namespace {

using enum ProcessorFamily;

TEST(processor_family, is_known_of_processors_that_are_known) {
  const struct {
    const char* vendor;
    unsigned family, model;
    ProcessorFamily is;
  } processors[] = {
      {"AuthenticAMD", 0x17, 0x01, zen1},             // EPYC 7601
      {"AuthenticAMD", 0x17, 0x08, zen1},             // Ryzen 2700
      {"AuthenticAMD", 0x17, 0x18, zen1},             // Ryzen 3500U
      {"HygonGenuine", 0x18, 0x01, zen1},             // C86 7185
      {"AuthenticAMD", 0x17, 0x31, zen2},             // EPYC 7742
      {"AuthenticAMD", 0x17, 0x60, zen2},             // Ryzen 4800U
      {"AuthenticAMD", 0x17, 0x71, zen2},             // Ryzen 3950X
      {"AuthenticAMD", 0x19, 0x01, zen3},             // EPYC 7763
      {"AuthenticAMD", 0x19, 0x21, zen3},             // Ryzen 5950X
      {"AuthenticAMD", 0x19, 0x50, zen3},             // Ryzen 5800U
      {"AuthenticAMD", 0x19, 0x11, zen4},             // EPYC 9654
      {"AuthenticAMD", 0x19, 0x61, zen4},             // Ryzen 7950X
      {"AuthenticAMD", 0x19, 0x90, zen4},             // MI300A
      {"AuthenticAMD", 0x19, 0xa0, zen4},             // EPYC 9754
      {"AuthenticAMD", 0x1a, 0x02, zen5},             // EPYC 9755
      {"AuthenticAMD", 0x1a, 0x11, zen5},             // EPYC 9965
      {"AuthenticAMD", 0x1a, 0x44, zen5},             // Ryzen 9950X
      {"AuthenticAMD", 0x1a, 0x50, other_amd},        // later than Zen 5
      {"AuthenticAMD", 0x19, 0x30, other_amd},        // no such processor
      {"AuthenticAMD", 0x15, 0x02, other_amd},        // Opteron 6386
      {"GenuineIntel", 0x06, 0x55, skylake_server},   // Xeon Platinum 8168, 8280, 8380H
      {"GenuineIntel", 0x06, 0x6a, ice_lake_server},  // Xeon Platinum 8380
      {"GenuineIntel", 0x06, 0x6c, ice_lake_server},  // Xeon D-2796
      {"GenuineIntel", 0x06, 0x8f, sapphire_rapids},  // Xeon Platinum 8480, Max 9480
      {"GenuineIntel", 0x06, 0xcf, emerald_rapids},   // Xeon Platinum 8592
      {"GenuineIntel", 0x06, 0xad, granite_rapids},   // Xeon 6980P
      {"GenuineIntel", 0x06, 0x4f, other_intel},      // Xeon E5-2699 v4
      {"GenuineIntel", 0x06, 0xaf, other_intel},      // Xeon 6780E, another kind of core
      {"GenuineIntel", 0x06, 0x97, other_intel},      // Core i9-12900
      {"GenuineIntel", 0x0f, 0x55, other_intel},      // the same model of another family
      {"CentaurHauls", 0x06, 0x8f, other},
      {"", 0, 0, other},
  };
  for (const auto& one : processors)
    EXPECT_EQ(name_of(family_of(one.vendor, one.family, one.model)), name_of(one.is))
        << one.vendor << " " << one.family << " " << one.model;
}

TEST(processor_family, has_a_name_by_which_it_is_found) {
  for (int i = 0; i < processor_family_count; ++i) {
    const auto family = static_cast<ProcessorFamily>(i);
    EXPECT_EQ(family_named(name_of(family)), family);
    EXPECT_GT(std::string(words_of(family)).size(), 10u);
  }
  for (const char* name : {"", "none", "zen", "zen44", "profile.json"})
    EXPECT_EQ(family_named(name), std::nullopt) << name;
}

// As the kernel says it: "vendor_id : X", "cpu family : N", "model : N".
TEST(processor_family, of_this_processor_is_the_kernels) {
  std::ifstream file("/proc/cpuinfo");
  std::string vendor;
  unsigned family = 0, model = 0;
  for (std::string line; std::getline(file, line) && !line.empty();) {
    const auto colon = line.find(": ");
    if (colon == std::string::npos) continue;
    const std::string value = line.substr(colon + 2);
    if (line.starts_with("vendor_id")) vendor = value;
    if (line.starts_with("cpu family")) family = static_cast<unsigned>(std::stoul(value));
    if (line.starts_with("model\t")) model = static_cast<unsigned>(std::stoul(value));
  }
  if (vendor.empty()) GTEST_SKIP() << "no vendor in /proc/cpuinfo";
  EXPECT_EQ(name_of(family_here()), name_of(family_of(vendor, family, model)));
}

}  // namespace
}  // namespace baton
