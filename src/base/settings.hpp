// The one table of settings. Each is read from the environment variable BATON_<NAME> once, at
// start; `baton settings`, MPI_T and docs/settings.md are made from the same table.
#pragma once

#include <cstdint>
#include <span>

namespace baton {

// clang-format off
// name, type (bytes, count, flag, microseconds), default, minimum, maximum, why it exists
#define BATON_SETTINGS(X)                                                                                       \
  X(eager_bytes_max,        bytes,  4096,    48,     6144,      "longest message that enters a ring before it is matched") \
  X(unexpected_bytes_max,   bytes,  1 << 20, 0,      1LL << 40, "unexpected payload kept per peer; beyond it only envelopes are taken in") \
  X(cma_bytes_min,          bytes,  16384,   1,      1LL << 40, "shortest contiguous message that one copy through CMA may carry") \
  X(stage_early,            flag,   1,       0,      1,         "longer messages begin to go through staging before they are matched") \
  X(observe,                flag,   1,       0,      1,         "long messages go the way that their receiver has seen to be quicker; 0: in one copy where that is possible") \
  X(redirect,               flag,   1,       0,      1,         "receives that were posted first are made known to their sender, which puts long messages straight into them") \
  X(push_bytes_min,         bytes,  131072,  1,      1LL << 40, "shortest message that is put into such a receive by a system call (CMA); into memory of MPI_Alloc_mem any may be") \
  X(cma,                    flag,   1,       0,      1,         "allow cross-memory attach (process_vm_readv)") \
  X(spin_count,             count,  -1,      -1,     1LL << 40, "polls before a waiter yields; -1: from ranks against usable CPUs") \
  X(yield_count,            count,  -1,      -1,     1LL << 40, "yields before a waiter sleeps; -1: from ranks against usable CPUs") \
  X(unnamed_pairs,          flag,   0,       0,      1,         "MPI_Type_get_value_index also gives pairs that have no name; off: MPI_DATATYPE_NULL, which other libraries answer") \
  X(rooms,                  flag,   1,       0,      1,         "short collectives meet in shared rooms instead of point-to-point") \
  X(vector_level_max,       count,  4,       1,      4,         "highest level of x86-64 (1, 3: AVX2, 4: AVX-512) whose instructions reductions may use") \
  X(deposit_model,          count,  0,       0,      5,         "1 to 5: messages between ranks go as in the models of the deposit study (docs/decisions/deposit-models.md); the same for all ranks") \
  X(deposit_ring_bytes,     bytes,  4 << 20, 8192,   1 << 30,   "the receive ring of these models, one for each sender") \
  X(leak_report,            flag,   0,       0,      1,         "name what the program did not free, on standard error at MPI_Finalize and at the end of the last session")
// clang-format on

struct Settings {
#define BATON_SETTING_FIELD(name, type, fallback, minimum, maximum, why) \
  std::int64_t name = fallback;
  BATON_SETTINGS(BATON_SETTING_FIELD)
#undef BATON_SETTING_FIELD
};

struct SettingRow {
  const char* name;
  const char* type;
  std::int64_t fallback;
  std::int64_t minimum;
  std::int64_t maximum;
  const char* why;
  std::int64_t Settings::*field;
};

// All rows, for tools and documentation.
std::span<const SettingRow> setting_rows();

// The process's settings; defaults until read_settings has run.
extern Settings settings;

// Reads BATON_* once. Unknown names and values out of range are reported on standard error with the
// nearest name or the range, and otherwise ignored.
void read_settings();

// For the launcher, which has the ranks' environment: what a setting is when the variable holds
// this text (null: it is not set).
std::int64_t setting_value(std::int64_t Settings::*field, const char* text);

// A variable that is not a setting (the launcher's, a foreign launcher's); null when it is not set.
// The only other place that looks into the environment.
const char* environment_variable(const char* name);

}  // namespace baton
