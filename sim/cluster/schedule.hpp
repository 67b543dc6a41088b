// What an algorithm sends, as data: each rank's steps, in each of which it sends, then receives,
// and goes on when all of that is done. Pure; made for one rank and one step when asked, so that
// 100 000 ranks cost nothing until somebody looks. Simulated by flows.hpp and shares.hpp.
// Invariant: of two messages between the same ranks the one sent first is received first.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace baton::cluster {

// What the bytes of a message are, for tests that follow the data.
struct Content {
  enum class Kind : std::uint8_t {
    nothing,  // a notice
    parts,    // [first, first + count) of the parts of one vector, as they are
    sums,     // the same, to be added to what the receiver has
    blocks,  // of ranks [first, first + count), counted from the root and round: scatter, allgather
    one,     // what the sender gives to the receiver: alltoall
    bit,     // all that the sender holds for distances with the bit `first`: alltoall; `count`
             // above 0: distances of nodes of so many ranks, for ranks of its number there
    likes,   // what the sender gives to ranks of the receiver's number on nodes of `first` ranks
    of_nodes,  // what ranks on node `first` give to ranks on node `count`
    gathered,  // all that the sender gives to all; of an allgather all that it has
    handed     // all that is for the receiver
  };
  Kind kind = Kind::nothing;
  int first = 0;
  int count = 0;
};

struct Send {
  int to;
  std::int64_t bytes;
  Content content;
  // No message, but shown in memory that the node shares: nothing on a link, no time of the
  // sender's. Who reads it has its copying in `copied` or `combined`.
  bool shown = false;
};

struct Step {
  std::vector<Send> sends;
  std::vector<int> from;      // whom messages are received from, in this order
  std::int64_t combined = 0;  // bytes that are then added up
  std::int64_t copied = 0;    // bytes that the rank then packs, unpacks or puts into another order
  int together = 1;           // so many ranks of the node do that at the same time
  bool sees = false;          // what comes from them is shown, no message
};

struct Schedule {
  int ranks = 0;
  std::int64_t parts = 1;  // that the vector is divided into
  std::function<int(int rank)> steps;
  std::function<Step(int rank, int index)> step;
  // Steps that are as good as each other, of which a sample was made: so many there are, and so
  // many are here. Equal, where all are.
  std::int64_t alike = 0;
  std::int64_t alike_here = 0;
  std::int64_t sends_alike = 1;  // of a rank in one of them
  bool identical = false;        // else those of other distances take other links
};

// One after the other, each rank for itself.
Schedule then(Schedule first, Schedule second);
// A schedule of fewer ranks among those of a larger one: `member(own)` is a rank's number among
// them, or -1; `rank(member)` its inverse.
Schedule among(const Schedule& some, int ranks, std::function<int(int)> member,
               std::function<int(int)> rank);
// With what `change(rank, content)` makes of each content.
Schedule with_content(const Schedule& some, std::function<Content(int, Content)> change);
// Of the ranks of each number on their nodes, a schedule of nodes, each on a part of its own of the
// vector. All nodes have as many ranks.
Schedule by_columns(const Schedule& some, int ranks_per_node);
// Of the first ranks of all nodes.
Schedule among_leaders(const Schedule& some, int ranks, int ranks_per_node);
// On all nodes at the same time; `make(size)` for a node of so many ranks.
Schedule within_nodes(int ranks, int ranks_per_node, const std::function<Schedule(int)>& make);

inline int nodes_of(int ranks, int ranks_per_node) {
  return (ranks + ranks_per_node - 1) / ranks_per_node;
}

}  // namespace baton::cluster
