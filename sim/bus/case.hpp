// One case of the bus model as plain data, and what its simulation found.
// Made by the commands (options.cpp, draw.cpp, study*.cpp), simulated by Machine.
// A case says everything: the same case has the same outcome, whatever was simulated before.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace baton::bus {

using Bytes = std::uint64_t;
using Cycles = std::uint64_t;

inline constexpr int nodes_max = 1024;
inline constexpr Bytes bytes_most = Bytes{1} << 56;  // of a case's blocks together
inline constexpr Bytes bytes_per_cycle = 4;
inline constexpr Cycles cycles_per_second = 100'000'000;  // the simulated bus runs at 100 MHz

constexpr Cycles data_cycles(Bytes bytes) {
  return bytes / bytes_per_cycle + (bytes % bytes_per_cycle != 0);
}

enum class Operation { scatter, gather };
enum class Order { rank, status };

/// What rank order waits for before its first transfer: all nodes (the study), or never more than
/// the next node.
enum class Start { all, next };

enum class LookUp { once, per_node };
enum class Topology { bus, ring, mesh };

/// Cycles beside the data; the study gives none, so none is the default.
struct Overhead {
  Cycles arbitration = 0;  // from a request that could be granted to the grant
  Cycles header = 0;       // before the data of each transfer
  Cycles look_up = 0;      // reading the status
  LookUp look_up_counts = LookUp::once;
  Cycles hand_shake = 0;  // after the data of each transfer
  bool operator==(const Overhead&) const = default;
};

enum class Condition {
  sound,  // its earlier transfer ends after `left` bytes
  never,  // its earlier transfer never ends; a block can be pushed in nevertheless
  dead,   // takes nothing any more
};

/// A node's channel when the collective begins.
struct Channel {
  Bytes left = 0;     // of the earlier transfer; 0: idle
  Bytes earlier = 0;  // how long that transfer was in all; only old status needs it
  int peer = -1;      // whom the earlier transfer comes from; only ring and mesh need it
  Condition condition = Condition::sound;
  bool operator==(const Channel&) const = default;
};

/// How exactly the status tells what is left.
enum class Detail {
  bytes,
  classes,    // rounded up to a power of two
  idle_only,  // idle or not: busy nodes come in order of rank
};

/// What is wrong with a node's entry in the status.
struct Flaw {
  bool wrong = false;  // idle is told as busy with `claimed` bytes, busy as idle
  Bytes claimed = 0;
  Cycles age = 0;  // the entry tells what was so many cycles ago
  bool operator==(const Flaw&) const = default;
};

struct Case {
  int nodes = 32;
  std::vector<int> roots = {0};  // each scatters or gathers among all nodes
  Operation operation = Operation::scatter;
  Order order = Order::status;
  Start start = Start::all;
  Detail detail = Detail::bytes;
  bool read_again = false;  // the root looks at the status before each transfer, not only once
  Overhead overhead;
  Topology topology = Topology::bus;
  Cycles hop = 1;                     // a link of a ring or mesh that a transfer crosses
  Cycles patience = Cycles{1} << 32;  // from the beginning; then a root waits for no node any more
  std::vector<Bytes> blocks;          // a node's block with each root
  std::vector<Channel> channels;      // a node each
  std::vector<Flaw> flaws;            // a node each, or none at all
};

/// One block's transfer, in cycles from the beginning.
struct Transfer {
  int root = 0;
  int node = 0;
  Bytes bytes = 0;
  Cycles turned = 0;    // the root chose this node
  Cycles asked = 0;     // the node was ready: the root asked for the bus
  Cycles granted = 0;   // arbitration is over
  Cycles data = 0;      // the first cycle of data
  Cycles ended = 0;     // the first cycle after it
  bool forced = false;  // pushed into a node that had not become idle
  bool operator==(const Transfer&) const = default;
};

struct Undelivered {
  int root = 0;
  int node = 0;
  bool operator==(const Undelivered&) const = default;
};

struct Outcome {
  Cycles cycles = 0;       // until the last root is done
  Cycles busy_cycles = 0;  // in which transfers held the bus, added up over transfers
  Cycles waited = 0;       // cycles in which roots waited for nodes, added up
  Cycles look_up = 0;      // cycles in which roots read the status, added up
  std::vector<Transfer> transfers;
  std::vector<Undelivered> undelivered;
  bool operator==(const Outcome&) const = default;
};

/// Nothing when the case can be simulated, else what is wrong and what to do about it.
std::string complaint(const Case& given);

}  // namespace baton::bus
