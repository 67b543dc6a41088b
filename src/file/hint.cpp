#include "file/hint.hpp"
#include "world/memory_kind.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>

namespace baton::file {

namespace {

constexpr const char* use_words[] = {"automatic", "enable", "disable"};

struct UseKey {
  const char* key;
  Use Hints::*use;
};
constexpr UseKey use_keys[] = {
    {"romio_cb_read", &Hints::collective_read},
    {"romio_cb_write", &Hints::collective_write},
    {"romio_ds_read", &Hints::sieve_read},
};

struct SizeKey {
  const char* key;
  std::int64_t Hints::*bytes;
};
constexpr SizeKey size_keys[] = {
    {"cb_buffer_size", &Hints::collective_bytes},
    {"ind_rd_buffer_size", &Hints::read_bytes},
};

// Reads a positive number; anything else leaves `number` as it is.
void read_number(const Info& info, const char* key, std::int64_t& number) {
  char text[32], *end = nullptr;
  if (!info.get(key, text, sizeof text)) return;
  const long long read = std::strtoll(text, &end, 10);
  if (end != text && *end == '\0' && read > 0) number = read;
}

void read_use(const Info& info, const char* key, Use& use) {
  char text[16];
  if (!info.get(key, text, sizeof text)) return;
  for (std::size_t i = 0; i < std::size(use_words); ++i)
    if (std::strcmp(text, use_words[i]) == 0) use = static_cast<Use>(i);
}

// "true" and "false" of the standard's key for both directions.
void read_collective_buffering(const Info& info, Hints& hints) {
  char text[8];
  if (!info.get("collective_buffering", text, sizeof text)) return;
  if (std::strcmp(text, "true") == 0) hints.collective_read = hints.collective_write = Use::enable;
  if (std::strcmp(text, "false") == 0)
    hints.collective_read = hints.collective_write = Use::disable;
}

}  // namespace

void update_hints(Hints& hints, const Info* info, bool opened) {
  if (!info) return;
  read_collective_buffering(*info, hints);
  for (const UseKey& key : use_keys) read_use(*info, key.key, hints.*key.use);
  std::int64_t aggregators = hints.aggregators;
  read_number(*info, "cb_nodes", aggregators);
  hints.aggregators = static_cast<int>(std::min<std::int64_t>(aggregators, INT32_MAX));
  for (const SizeKey& key : size_keys)
    if (!opened || key.bytes != &Hints::collective_bytes)
      read_number(*info, key.key, hints.*key.bytes);
  hints.collective_bytes = std::max(hints.collective_bytes, collective_bytes_min);
  char kinds[MPI_MAX_INFO_VAL];
  if (info->get(world::asserted_kinds_key, kinds, sizeof kinds))
    if (const char* kept = world::keep_asserted_kinds(kinds)) hints.asserted_kinds = kept;
}

Error describe_hints(const Hints& hints, int ranks, const char* memory_kinds, Info& info) {
  for (const UseKey& key : use_keys)
    if (Error error = info.set(key.key, use_words[static_cast<int>(hints.*key.use)])) return error;
  char text[32];
  for (const SizeKey& key : size_keys) {
    std::snprintf(text, sizeof text, "%lld", static_cast<long long>(hints.*key.bytes));
    if (Error error = info.set(key.key, text)) return error;
  }
  const bool limited = hints.aggregators > 0 && hints.aggregators < ranks;
  std::snprintf(text, sizeof text, "%d", limited ? hints.aggregators : ranks);
  if (Error error = info.set("cb_nodes", text)) return error;
  if (Error error = info.set(world::memory_kinds_key, memory_kinds)) return error;
  return hints.asserted_kinds ? info.set(world::asserted_kinds_key, hints.asserted_kinds)
                              : MPI_SUCCESS;
}

}  // namespace baton::file
