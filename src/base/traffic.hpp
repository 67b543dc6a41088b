// These counts say which way (protocol) messages took: how many and how many bytes, by way and by
// size. Each process counts for each of its peers; the launcher adds up and prints (mpiexec
// --explain).
#pragma once

#include <bit>
#include <cstdint>

namespace baton {

// This is a row of a table of names: the name in code and the words that people read.
struct NameRow {
  const char* name;
  const char* words;
};

// This is the one table of ways; docs/one-message.md describes each. The ways between two ranks
// come first, `self` last.
// clang-format off
#define BATON_WAYS(X)                                              \
  X(inline_eager, "in one cache line of a ring")                   \
  X(eager,    "through a ring, in several lines")                  \
  X(pipelined, "copied into the receiver's staging and out of it, in segments at the same time") \
  X(cma,      "single copy, by cross-memory attach (CMA)")         \
  X(xpmem,    "single copy, in memory of the other rank that is mapped (XPMEM)") \
  X(receiver_initiated, "pushed straight into a receive that was posted first") \
  X(network_eager, "over the network at once, with the envelope") \
  X(network_write, "over the network, written into the receive buffer once it is known (RTS, CTS)") \
  X(network_device, "over the network, read from or written into device memory by its adapter (FI_HMEM)") \
  X(exported, "single copy from or to the exported heap (MPI_Alloc_mem, --export-heap)") \
  X(device,   "single copy by the device, from or to the other process's device memory (IPC)") \
  X(self,     "to the rank itself, copied inside the process")
// clang-format on

// `offered` is no way yet: the receiver will choose.
enum class Way : std::uint8_t {
#define BATON_WAY_NAME(name, words) name,
  BATON_WAYS(BATON_WAY_NAME)
#undef BATON_WAY_NAME
      offered
};
inline constexpr NameRow way_rows[] = {
#define BATON_WAY_ROW(name, words) {#name, words},
    BATON_WAYS(BATON_WAY_ROW)
#undef BATON_WAY_ROW
};
inline constexpr int way_count = static_cast<int>(Way::offered);
inline constexpr int peer_way_count = static_cast<int>(Way::self);

// A peer class says what two ranks share of the machine, nearest first.
// clang-format off
#define BATON_PEER_CLASSES(X)                        \
  X(self,       "from ranks to themselves")          \
  X(l2,         "between ranks that share an L2")    \
  X(l3,         "between ranks that share an L3")    \
  X(numa_node,  "between ranks on one NUMA node")    \
  X(other,      "between other ranks of a node")    \
  X(between_nodes, "between ranks on different nodes")
// clang-format on

enum class PeerClass : std::uint8_t {
#define BATON_PEER_CLASS_NAME(name, words) name,
  BATON_PEER_CLASSES(BATON_PEER_CLASS_NAME)
#undef BATON_PEER_CLASS_NAME
};
inline constexpr NameRow peer_class_rows[] = {
#define BATON_PEER_CLASS_ROW(name, words) {#name, words},
    BATON_PEER_CLASSES(BATON_PEER_CLASS_ROW)
#undef BATON_PEER_CLASS_ROW
};
inline constexpr int peer_class_count = sizeof peer_class_rows / sizeof peer_class_rows[0];

// Size classes differ by factors of 8: up to 8 bytes, up to 64, ... up to 2 MiB, more.
inline constexpr int size_class_count = 8;
constexpr int size_class(std::int64_t bytes) {
  if (bytes <= 8) return 0;
  int place = (std::bit_width(static_cast<std::uint64_t>(bytes - 1)) - 1) / 3;
  return place < size_class_count ? place : size_class_count - 1;
}
// Returns the longest message of a class; the last class has no limit.
constexpr std::int64_t size_class_limit(int size) {
  return std::int64_t{8} << (3 * size);
}
static_assert(size_class(8) == 0 && size_class(9) == 1 && size_class(64) == 1);
static_assert(size_class(65) == 2 && size_class(2 << 20) == 6 && size_class((2 << 20) + 1) == 7);
static_assert(size_class(size_class_limit(4)) == 4 && size_class(size_class_limit(4) + 1) == 5);

struct Tally {
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
};

// An observation says how messages of a size find their data: warm in caches, since the same
// buffers are sent again, or cold, new each time.
enum class Observation : std::uint8_t { unknown, warm, cold };
// These count the pairs of ranks by their observation. A pair that observed nothing is in neither.
struct Observed {
  std::uint32_t warm = 0;
  std::uint32_t cold = 0;
};

// These are the counts for one peer.
struct Traffic {
  Tally tally[peer_way_count][size_class_count];
  Observation observed[size_class_count] = {};
  Tally& at(Way way, std::int64_t bytes) { return tally[static_cast<int>(way)][size_class(bytes)]; }
};

}  // namespace baton
