#include "world/alike.hpp"

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstring>

#include "base/selection.hpp"
#include "base/version.hpp"
#include "lockfree/job.hpp"
#include "world/words.hpp"

namespace baton::world {

namespace {

const SettingRow& row_of_field(std::int64_t Settings::* field) {
  return *std::ranges::find(setting_rows(), field, &SettingRow::field);
}

}  // namespace

Alike own_alike() {
  const lockfree::JobHeader header = lockfree::job_header(1, 1);
  Alike alike{};
  std::snprintf(alike.version, sizeof alike.version, "%s", version);
  alike.job_version = header.version;
  alike.layout_hash = header.layout_hash;
  alike.selection_hash = hash_of_selection_between_nodes();
  for (std::size_t i = 0; i < alike_setting_count; ++i)
    alike.values[i] = settings.*alike_settings[i];
  return alike;
}

bool find_difference(const Alike& one, const Alike& other, const char* const (&names)[2],
                     char* text, std::size_t length) {
  Words words(text, length);
  const auto begin_next = [&] { words.add("%s", words.empty() ? "the same " : ", and the same "); };
  const bool versions = std::strncmp(one.version, other.version, sizeof one.version) != 0;
  if (versions || one.job_version != other.job_version || one.layout_hash != other.layout_hash) {
    begin_next();
    // Ranks of other versions may have other settings, so settings are not compared.
    words.add("%s (%.16s on %s, %.16s on %s)", versions ? "Baton" : "build of Baton", one.version,
              names[0], other.version, names[1]);
    return true;
  }
  for (std::size_t i = 0; i < alike_setting_count; ++i) {
    if (one.values[i] == other.values[i]) continue;
    begin_next();
    words.add("BATON_");
    for (const char* name = row_of_field(alike_settings[i]).name; *name; ++name)
      words.add("%c", std::toupper(static_cast<unsigned char>(*name)));
    words.add(" (%lld on %s, %lld on %s)", static_cast<long long>(one.values[i]), names[0],
              static_cast<long long>(other.values[i]), names[1]);
  }
  if (one.selection_hash != other.selection_hash) {
    begin_next();
    words.add("BATON_COLLECTIVES, or rows of a profile (BATON_PROFILE)");
  }
  return !words.empty();
}

}  // namespace baton::world
