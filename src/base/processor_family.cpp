#include "base/processor_family.hpp"

#include <cstring>
#include <span>

#ifdef __x86_64__
#include <cpuid.h>
#endif

namespace baton {

namespace {

struct FamilyRow {
  const char* name;
  const char* words;
};
constexpr FamilyRow family_rows[] = {
#define BATON_PROCESSOR_FAMILY(name, words) {#name, words},
    BATON_PROCESSOR_FAMILIES(BATON_PROCESSOR_FAMILY)
#undef BATON_PROCESSOR_FAMILY
};

// The models are as Linux and GCC have them (arch/x86/kernel/cpu/amd.c,
// arch/x86/include/asm/intel-family.h).
struct ModelRow {
  unsigned family;
  unsigned model_from;
  unsigned model_to;
  ProcessorFamily is;
};
constexpr ModelRow amd_models[] = {
    {0x17, 0x00, 0x2f, ProcessorFamily::zen1}, {0x17, 0x30, 0xff, ProcessorFamily::zen2},
    {0x19, 0x00, 0x0f, ProcessorFamily::zen3}, {0x19, 0x20, 0x2f, ProcessorFamily::zen3},
    {0x19, 0x40, 0x5f, ProcessorFamily::zen3}, {0x19, 0x10, 0x1f, ProcessorFamily::zen4},
    {0x19, 0x60, 0xaf, ProcessorFamily::zen4}, {0x1a, 0x00, 0x2f, ProcessorFamily::zen5},
    {0x1a, 0x40, 0x4f, ProcessorFamily::zen5}, {0x1a, 0x60, 0x7f, ProcessorFamily::zen5}};
constexpr ModelRow intel_models[] = {{6, 0x55, 0x55, ProcessorFamily::skylake_server},
                                     {6, 0x6a, 0x6a, ProcessorFamily::ice_lake_server},
                                     {6, 0x6c, 0x6c, ProcessorFamily::ice_lake_server},
                                     {6, 0x8f, 0x8f, ProcessorFamily::sapphire_rapids},
                                     {6, 0xcf, 0xcf, ProcessorFamily::emerald_rapids},
                                     {6, 0xad, 0xae, ProcessorFamily::granite_rapids}};
constexpr ModelRow hygon_models[] = {{0x18, 0x00, 0x03, ProcessorFamily::zen1}};

ProcessorFamily find_model(std::span<const ModelRow> rows, unsigned family, unsigned model,
                           ProcessorFamily other) {
  for (const ModelRow& row : rows)
    if (row.family == family && row.model_from <= model && model <= row.model_to) return row.is;
  return other;
}

}  // namespace

const char* name_of(ProcessorFamily family) {
  return family_rows[static_cast<int>(family)].name;
}

const char* words_of(ProcessorFamily family) {
  return family_rows[static_cast<int>(family)].words;
}

std::optional<ProcessorFamily> family_named(std::string_view name) {
  for (int i = 0; i < processor_family_count; ++i)
    if (name == family_rows[i].name) return static_cast<ProcessorFamily>(i);
  return std::nullopt;
}

ProcessorFamily family_of(std::string_view vendor, unsigned family, unsigned model) {
  using enum ProcessorFamily;
  if (vendor == "AuthenticAMD") return find_model(amd_models, family, model, other_amd);
  if (vendor == "GenuineIntel") return find_model(intel_models, family, model, other_intel);
  if (vendor == "HygonGenuine") return find_model(hygon_models, family, model, other);
  return other;
}

ProcessorFamily family_here() {
#ifdef __x86_64__
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  char vendor[] = "AuthenticAMD";
  // This costs nothing: the compiler's start-up code has asked already. In a virtual machine each
  // CPUID takes 3.5 us.
  __builtin_cpu_init();
  if (__builtin_cpu_is("intel")) {
    std::memcpy(vendor, "GenuineIntel", sizeof vendor);
  } else if (!__builtin_cpu_is("amd")) {
    __cpuid(0, eax, ebx, ecx, edx);
    const unsigned text[] = {ebx, edx, ecx};
    std::memcpy(vendor, text, sizeof text);
  }
  __cpuid(1, eax, ebx, ecx, edx);
  unsigned family = eax >> 8 & 0xf, model = eax >> 4 & 0xf;
  if (family == 6 || family == 15) model |= (eax >> 16 & 0xf) << 4;
  if (family == 15) family += eax >> 20 & 0xff;
  return family_of(vendor, family, model);
#else
  return ProcessorFamily::other;
#endif
}

}  // namespace baton
