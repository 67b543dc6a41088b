#include "sim/bus/sensitivity.hpp"

namespace baton::bus {

Assumption base_assumption() {
  return {.name = "base",
          .what =
              "no overhead; busy nodes by share, all of each earlier transfer left; scatter; rank "
              "order waits for all"};
}

std::vector<Assumption> changed_assumptions() {
  constexpr Overhead all_one{.arbitration = 1, .header = 1, .look_up = 1, .hand_shake = 1};
  return {
      {.name = "arbitration 1",
       .what = "a cycle of arbitration a transfer",
       .overhead = {.arbitration = 1}},
      {.name = "header 1", .what = "a cycle of header a transfer", .overhead = {.header = 1}},
      {.name = "header 4", .what = "four cycles of header a transfer", .overhead = {.header = 4}},
      {.name = "hand-shake 1",
       .what = "a cycle of hand-shake a transfer",
       .overhead = {.hand_shake = 1}},
      {.name = "look-up 1 once",
       .what = "a cycle for the whole status",
       .overhead = {.look_up = 1}},
      {.name = "look-up 1 a node",
       .what = "a cycle for each node's status, before the first transfer",
       .overhead = {.look_up = 1, .look_up_counts = LookUp::per_node}},
      {.name = "all 1", .what = "a cycle each of all four", .overhead = all_one},
      {.name = "gather", .what = "gather instead of scatter", .operation = Operation::gather},
      {.name = "gather, all 1",
       .what = "gather, a cycle each of all four",
       .overhead = all_one,
       .operation = Operation::gather},
      {.name = "rank order waits for the next",
       .what = "rank order begins at once and waits only for the node that is next",
       .start = Start::next},
      {.name = "read again", .what = "the status is read before each transfer", .read_again = true},
      {.name = "read again, look-up 1 a node",
       .what = "the same, with a cycle for each node still to be served",
       .overhead = {.look_up = 1, .look_up_counts = LookUp::per_node},
       .read_again = true},
      {.name = "left drawn",
       .what = "what is left of each earlier transfer is drawn evenly",
       .left = Left::drawn},
      {.name = "busy drawn each",
       .what = "each node is busy or idle by a draw of its own",
       .busy = Busy::each},
      {.name = "both drawn",
       .what = "busy drawn each, and left drawn",
       .busy = Busy::each,
       .left = Left::drawn},
      {.name = "six busy",
       .what = "six nodes are busy however many there are, as in the study's example",
       .busy = Busy::count,
       .busy_count = 6},
      {.name = "six busy, left drawn",
       .what = "the same, and what is left is drawn",
       .busy = Busy::count,
       .busy_count = 6,
       .left = Left::drawn},
      {.name = "one busy", .what = "one node is busy", .busy = Busy::count, .busy_count = 1},
  };
}

}  // namespace baton::bus
