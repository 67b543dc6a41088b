// These are the parts of the library, as a tree, by which tools find variables and events that
// belong together: the categories of the tool interface (MPI 5.0, "Variable Categorization").
// Settings, counters and events name their part in their own tables.
#pragma once

#include <cstdint>
#include <iterator>

namespace baton {

// clang-format off
// name, the part that it belongs to (none: the root comes first), what is in it
#define BATON_PARTS(X)                                                                           \
  X(baton,       baton,       "everything that this library shows")                              \
  X(messages,    baton,       "messages between two ranks")                                      \
  X(protocols,   messages,    "the ways that messages took, and why they took no cheaper one")   \
  X(network,     messages,    "messages between nodes")                                          \
  X(waiting,     baton,       "how this rank waits: spinning, yielding, sleeping")               \
  X(collectives, baton,       "collective calls")                                                \
  X(algorithms,  collectives, "the algorithms that collective calls took")                       \
  X(windows,     baton,       "one-sided communication")                                         \
  X(files,       baton,       "files")                                                           \
  X(library,     baton,       "the library itself: its state, its checks and reports")
// clang-format on

#define BATON_NAME(name, above, words) name,
enum class Part : std::uint8_t { BATON_PARTS(BATON_NAME) };
#undef BATON_NAME

struct PartRow {
  const char* name;
  Part above;  // the root's is itself
  const char* words;
};
#define BATON_ROW(name, above, words) {#name, Part::above, words},
inline constexpr PartRow part_rows[] = {BATON_PARTS(BATON_ROW)};
#undef BATON_ROW
inline constexpr int part_count = std::size(part_rows);

}  // namespace baton
