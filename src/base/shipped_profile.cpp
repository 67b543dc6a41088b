#include "base/shipped_profile.hpp"

#include <algorithm>
#include <array>

#include "base/built_in_rows.hpp"
#include "base/environment.hpp"

namespace baton {

namespace {

using namespace selection_rows;
using enum ProcessorFamily;

// ---- what was measured on Zen 4 ----

// Where a line written by one core is read by another, these cores take the longer the more often
// both touch the same lines: large buffers, large segments, few lines in the ring
// (docs/decisions/staging-amd.md). One value follows a rule by cache size: the span must be larger
// than a core's L2, so that its lines have moved to the L3 when they are written again. The L2 has
// 1 MiB on Zen 4, and no more on any other Zen. On Intel's processors no such rule was seen.
constexpr ShippedValue zen4_values[] = {
    {&Settings::eager_bytes_max, 1024},        {&Settings::cma_bytes_min, 256 << 10},
    {&Settings::early_bytes_max, 256 << 10},   {&Settings::pipeline_span_bytes, 2 << 20},
    {&Settings::pipeline_publish_bytes, 4096}, {&Settings::pipeline_publish_long_bytes, 16384},
    {&Settings::pipeline_fetch_bytes, 0},
};

// Two ranks' reduces go by messages where the cores are far: along the chain near ones are a little
// quicker (us, messages, chain: 8 KiB .93 .77, 32 KiB 2.7 2.2, 256 KiB 17.4 14.9, 512 KiB 33.8
// 37.5), and far ones four times as slow (the chain 28 at 64 KiB, 115 at 256 KiB, where a broadcast
// by messages takes 4.1 and an allreduce 27). By messages far reduces were not measured there.
constexpr SelectionRow of_two_near(Algorithm algorithm, std::int64_t bytes_from,
                                   std::int64_t bytes_to) {
  SelectionRow row = of_two(algorithm, bytes_from, bytes_to);
  row.where = "2 near cores of a Zen 4 virtual machine, 2026-11-23";
  row.apart = Apart::near;
  return row;
}
constexpr SelectionRow zen4_rows[] = {
    of_two(reduce_binomial, one_way + 1),
    of_two_near(reduce_chain_in_room, 8192, 393215),
};

// ---- what was measured on Zen 5 ----

// A copy by `rep movsb` (as the C library's memcpy makes it from 2 KiB on) of 8 KiB and more does
// not first read the lines that it writes. So segments are long, a buffer need not be larger than
// the L2, and two such copies are quicker than one by a system call at every size, warm or cold
// (docs/decisions/staging-zen5.md). Pulling is left to adaptive protocol selection: it pays off for
// a sender that computes.
constexpr ShippedValue zen5_values[] = {
    {&Settings::eager_bytes_max, 1024},
    {&Settings::cma_bytes_min, 256 << 10},
    {&Settings::unseen_pull_bytes_min, std::int64_t{1} << 40},
    {&Settings::pull_penalty_percent, 50},
    {&Settings::early_bytes_max, 256 << 10},
    {&Settings::pipeline_span_bytes, 2 << 20},
    {&Settings::pipeline_buffer_bytes, 512 << 10},
    {&Settings::pipeline_publish_bytes, 16384},
    {&Settings::pipeline_publish_long_bytes, 16384},
    {&Settings::pipeline_fetch_bytes, 0},
};

constexpr SelectionRow of_zen5(Algorithm algorithm, std::int64_t ranks_from, std::int64_t ranks_to,
                               std::int64_t bytes_from, std::int64_t bytes_to = no_end) {
  const Load load = ranks_to == 2 ? Load::not_oversubscribed : Load::oversubscribed;
  return {algorithm,
          SelectionSource::measured,
          ranks_from,
          ranks_to,
          bytes_from,
          bytes_to,
          "2 cores of a Zen 5 virtual machine, 2, 4 and 8 ranks, 2026-11-24",
          false,
          load,
          load};
}

// The rows come from `baton tune --collectives`; its numbers here are shares of the time of the
// built-in row's choice. Between two ranks little differs: alltoall .92 to .96, allgather .92,
// allreduce .94; but scan .38 to .59, exscan .41 to .56. Where ranks outnumber CPUs messages beat
// direct copies, since those are system calls: gather .42 to .83; a room does, too: allgather .35
// to .66. Its results for scatters (.64 to .86) and longer alltoalls (.50 to .62) and gathers (.79)
// the bench did not confirm (8 ranks, us, direct and by messages: scatter 256 KiB 97 123, 1 MiB 501
// 614; alltoall blocks of 256 KiB 776 1500; gather 1 MiB 513 758). By the bench, 2026-11-25 (us,
// "far", by segments, direct, by messages): broadcast of 8 ranks 256 KiB 57 166 132, 2 MiB 478 1320
// 690; 32 ranks 128 KiB 95 365 310, 2 MiB 2170 5300 6600; 128 ranks 1 MiB by segments and direct
// 6830 10130. Alltoall of 8 ranks, in the room and by messages, near and far: blocks of 32 KiB 64
// 60, 145 57; 64 KiB 126 102, 295 119; 12 ranks 32 KiB 150 244. Allgather of 128 KiB by segments
// and direct: 32 ranks 4720 7630, 64 ranks 17040 30190.
constexpr SelectionRow zen5_rows[] = {
    of_zen5(reduce_chain_in_room, 2, 2, both_ways + 1),
    of_zen5(allreduce_halving, 2, 2, 131072, 1048575),
    of_zen5(alltoall_pairwise, 2, 2, 131072, 1048575),
    of_zen5(alltoall_segmented_in_room, 2, 2, 1048576),
    of_zen5(allgather_ring, 2, 2, 131072, 524287),
    of_zen5(alltoall_pairwise, some_ranks, 8, 262144, (2 << 20) - 1),
    of_zen5(broadcast_segmented_in_room, 3, no_end, beyond_a_room),
    of_zen5(gather_linear, 3, many_ranks - 1, 32768, 524287),
    of_zen5(allgather_segmented_in_room, 3, no_end, 131072),
    of_zen5(allreduce_in_room, 3, many_ranks - 1, 8192, 32767),
    of_zen5(reduce_scatter_segmented_in_room, some_ranks, many_ranks - 1, 131072, 524287),
};

// ---- what was measured on Emerald Rapids; the settings' own defaults are Sapphire Rapids' ----

// With 6 and more ranks direct copies are best already for shorter blocks; not so on Zen 4, where
// system calls are dearer (us, in the room and direct, warm and cold: gather, 8 ranks, 8 KiB 8.8
// 10.6, 10.2 14.1, 32 KiB 30 19, 35 32, 64 KiB 60 37, 70 57, 32 ranks 32 KiB 238 178, 242 181;
// scatter, 8 ranks, 32 KiB 30 21, 34 36, 64 KiB 53 40, 73 65, 32 ranks 32 KiB 171 158, 238 231; 4
// ranks 64 KiB 16 13, 24 26; alltoall, segmented and direct, 8 ranks, blocks of 8 KiB 45 50, 53 75,
// 16 KiB 100 64, 126 112, 64 KiB 358 241, 476 430; 32 ranks 16 KiB 1682 1443, 2107 2146).
constexpr SelectionRow of_some(Algorithm algorithm, std::int64_t bytes_from,
                               std::int64_t ranks_to = no_end) {
  return {algorithm,
          SelectionSource::measured,
          some_ranks,
          ranks_to,
          bytes_from,
          no_end,
          "2 cores of an Emerald Rapids virtual machine, 8 and 32 ranks, 2026-11-23",
          false,
          Load::any,
          Load::oversubscribed};
}

// Unlike on Zen 4, two ranks' reduces go by messages before they go along the chain (us, messages,
// chain: 16 KiB 2.5 3.9, 64 KiB 7.6 7.6, 1 MiB 140 122).
constexpr SelectionRow emerald_rapids_rows[] = {
    of_some(gather_direct, 32768),
    of_some(scatter_direct, 32768),
    of_some(alltoall_direct, 131072, many_ranks - 1),
    of_two(reduce_chain_in_room, 524288),
};

// ---- which family has what ----

template <std::size_t own>
constexpr auto with_built_in(const SelectionRow (&rows)[own]) {
  std::array<SelectionRow, std::size(built_in_rows) + own> all{};
  std::ranges::copy(rows, std::ranges::copy(built_in_rows, all.begin()).out);
  return all;
}
constexpr auto zen4_selection = with_built_in(zen4_rows);
constexpr auto zen5_selection = with_built_in(zen5_rows);
constexpr auto emerald_rapids_selection = with_built_in(emerald_rapids_rows);

constexpr ShippedProfile as_zen4(ProcessorFamily family) {
  return {family,      zen4,      "2 cores of a Zen 4 virtual machine, 2026-11-22",
          zen4_values, zen4_rows, zen4_selection};
}
constexpr ShippedProfile as_zen5(ProcessorFamily family) {
  return {family,      zen5,      "2 cores of a Zen 5 virtual machine, 2026-11-24",
          zen5_values, zen5_rows, zen5_selection};
}
constexpr ShippedProfile as_emerald_rapids(ProcessorFamily family) {
  return {family, emerald_rapids,      "2 cores of an Emerald Rapids virtual machine, 2026-11-23",
          {},     emerald_rapids_rows, emerald_rapids_selection};
}

constexpr ShippedProfile profiles[] = {
    as_zen4(zen1),
    as_zen4(zen2),
    as_zen4(zen3),
    as_zen4(zen4),
    as_zen5(zen5),
    as_zen4(other_amd),
    as_emerald_rapids(skylake_server),
    as_emerald_rapids(ice_lake_server),
    as_emerald_rapids(sapphire_rapids),
    as_emerald_rapids(emerald_rapids),
    as_emerald_rapids(granite_rapids),
    as_emerald_rapids(other_intel),
    as_emerald_rapids(other),
};
constexpr bool in_order() {
  for (int i = 0; i < processor_family_count; ++i)
    if (profiles[i].family != static_cast<ProcessorFamily>(i)) return false;
  return std::size(profiles) == processor_family_count;
}
static_assert(in_order(), "a row for each family, in the order of the families");

const ShippedProfile* in_use;  // null: not looked for yet

}  // namespace

const ShippedProfile& shipped_profile_of(ProcessorFamily family) {
  return profiles[static_cast<int>(family)];
}

const ShippedProfile& shipped_profile() {
  if (!in_use) use_shipped_profile(environment_variable("BATON_PROFILE"));
  return *in_use;
}

void use_shipped_profile(const char* family_name) {
  const auto named = family_named(family_name ? family_name : "");
  in_use = &shipped_profile_of(named ? *named : family_here());
}

std::optional<std::int64_t> shipped_value(const ShippedProfile& profile, const SettingRow& row) {
  for (const ShippedValue& one : profile.values)
    if (one.setting == row.field) return one.value;
  return std::nullopt;
}

}  // namespace baton
