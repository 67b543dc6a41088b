#include "world/hint.hpp"

#include <cstring>

namespace baton::world {

namespace {

constexpr const char* names[] = {
    "mpi_assert_no_any_tag",
    "mpi_assert_no_any_source",
    "mpi_assert_exact_length",
    "mpi_assert_allow_overtaking",
    "mpi_assert_strict_persistent_collective_ordering",
};

}  // namespace

void update_hints(Hints& hints, const Info* info) {
  if (!info) return;
  Hints bit = 1;
  for (const char* name : names) {
    const char* value = info->get(name);
    if (value && std::strcmp(value, "true") == 0) hints |= bit;
    if (value && std::strcmp(value, "false") == 0) hints &= ~bit;
    bit <<= 1;
  }
}

Error describe_hints(Hints hints, Info& info) {
  Hints bit = 1;
  for (const char* name : names) {
    if (Error error = info.set(name, hints & bit ? "true" : "false")) return error;
    bit <<= 1;
  }
  return MPI_SUCCESS;
}

}  // namespace baton::world
