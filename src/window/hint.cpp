#include "window/hint.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>

#include "world/memory_kind.hpp"

namespace baton::window {

namespace {

constexpr char ordering_key[] = "accumulate_ordering";
constexpr char ops_key[] = "accumulate_ops";
constexpr char granularity_key[] = "mpi_accumulate_granularity";
constexpr const char* orderings[] = {"rar", "raw", "war", "waw"};

void read_flag(const Info& info, const char* key, bool& flag) {
  char value[8] = "";
  info.get(key, value, sizeof value);
  if (std::strcmp(value, "true") == 0) flag = true;
  if (std::strcmp(value, "false") == 0) flag = false;
}

// Reads the value of accumulate_ordering: "none", or some of the four words, with commas between
// them.
void read_ordering(const Info& info, std::uint8_t& ordering) {
  char text[64];
  if (!info.get(ordering_key, text, sizeof text)) return;
  std::uint8_t read = 0;
  if (std::strcmp(text, "none") != 0) {
    char* rest = text;
    while (char* word = ::strsep(&rest, ",")) {
      bool known = false;
      for (std::size_t i = 0; i < std::size(orderings); ++i) {
        if (std::strcmp(word, orderings[i]) != 0) continue;
        read |= static_cast<std::uint8_t>(1u << i);
        known = true;
      }
      if (!known) return;
    }
  }
  ordering = read;
}

}  // namespace

void update_hints(Hints& hints, const Info* info, bool made) {
  if (!info) return;
  char text[MPI_MAX_INFO_VAL];
  if (!made) {
    read_flag(*info, "no_locks", hints.no_locks);
    read_flag(*info, "alloc_shared_noncontig", hints.noncontiguous);
    read_flag(*info, "same_size", hints.same_size);
    read_flag(*info, "same_disp_unit", hints.same_unit);
    if (info->get(ops_key, text, sizeof text)) {
      if (std::strcmp(text, "same_op") == 0) hints.same_op = true;
      if (std::strcmp(text, "same_op_no_op") == 0) hints.same_op = false;
    }
    read_ordering(*info, hints.ordering);
    if (info->get(granularity_key, text, sizeof text)) {
      const long number = std::strtol(text, nullptr, 10);
      if (number >= 0 && number <= 1 << 30) hints.granularity = static_cast<std::uint32_t>(number);
    }
  }
  if (info->get(world::asserted_kinds_key, text, sizeof text))
    if (const char* kept = world::keep_asserted_kinds(text)) hints.asserted_kinds = kept;
}

Error describe_hints(const Hints& hints, int flavor, const char* memory_kinds, Info& info) {
  auto flag = [&](const char* key, bool value) { return info.set(key, value ? "true" : "false"); };
  Error error = flag("no_locks", hints.no_locks);
  if (!error) error = flag("same_size", hints.same_size);
  if (!error) error = flag("same_disp_unit", hints.same_unit);
  if (!error) error = info.set(ops_key, hints.same_op ? "same_op" : "same_op_no_op");
  char text[64] = "";
  for (std::size_t i = 0; i < std::size(orderings); ++i) {
    if (!(hints.ordering & 1u << i)) continue;
    if (text[0]) std::strcat(text, ",");
    std::strcat(text, orderings[i]);
  }
  if (!error) error = info.set(ordering_key, text[0] ? text : "none");
  std::snprintf(text, sizeof text, "%u", hints.granularity);
  if (!error) error = info.set(granularity_key, text);
  if (!error && flavor == MPI_WIN_FLAVOR_SHARED)
    error = flag("alloc_shared_noncontig", hints.noncontiguous);
  if (!error) error = info.set(world::memory_kinds_key, memory_kinds);
  if (!error && hints.asserted_kinds)
    error = info.set(world::asserted_kinds_key, hints.asserted_kinds);
  return error;
}

}  // namespace baton::window
