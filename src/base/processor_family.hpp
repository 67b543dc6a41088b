// A family is processors whose cores and caches behave alike. It is recognized from CPUID. Shipped
// profiles (base/shipped_profile.hpp) are by family.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace baton {

// The names are those of BATON_PROFILE and of outputs.
#define BATON_PROCESSOR_FAMILIES(X)                                               \
  X(zen1, "AMD Zen and Zen+ (EPYC 7001), Hygon")                                  \
  X(zen2, "AMD Zen 2 (EPYC 7002)")                                                \
  X(zen3, "AMD Zen 3 (EPYC 7003)")                                                \
  X(zen4, "AMD Zen 4 (EPYC 9004, 8004)")                                          \
  X(zen5, "AMD Zen 5 (EPYC 9005)")                                                \
  X(other_amd, "another processor of AMD")                                        \
  X(skylake_server, "Intel Skylake, Cascade Lake and Cooper Lake servers (Xeon)") \
  X(ice_lake_server, "Intel Ice Lake servers (Xeon)")                             \
  X(sapphire_rapids, "Intel Sapphire Rapids (Xeon)")                              \
  X(emerald_rapids, "Intel Emerald Rapids (Xeon)")                                \
  X(granite_rapids, "Intel Granite Rapids (Xeon 6)")                              \
  X(other_intel, "another processor of Intel")                                    \
  X(other, "any other processor")

enum class ProcessorFamily : std::uint8_t {
#define BATON_PROCESSOR_FAMILY(name, words) name,
  BATON_PROCESSOR_FAMILIES(BATON_PROCESSOR_FAMILY)
#undef BATON_PROCESSOR_FAMILY
};

#define BATON_PROCESSOR_FAMILY(name, words) +1
inline constexpr int processor_family_count = 0 BATON_PROCESSOR_FAMILIES(BATON_PROCESSOR_FAMILY);
#undef BATON_PROCESSOR_FAMILY

const char* name_of(ProcessorFamily family);
const char* words_of(ProcessorFamily family);
std::optional<ProcessorFamily> family_named(std::string_view name);

// Returns the family by vendor, and by the family and model that /proc/cpuinfo shows.
ProcessorFamily family_of(std::string_view vendor, unsigned family, unsigned model);

// Returns the family of the processor on which the caller runs.
ProcessorFamily family_here();

}  // namespace baton
