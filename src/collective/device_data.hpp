// Long data of collectives in device memory stays there: the call goes by messages alone, which
// devices copy between processes of a node, and intermediate results are the device's, too. Over
// several nodes so do the steps within the nodes, and messages between nodes are staged unless the
// network reaches the device. All other foreign data is copied to host memory first
// (host_copies.hpp).
//
// Each rank knows only where its own data lies, and all must take the same algorithm. Where that
// one goes by messages anyway, each rank does as its data needs. Else the ranks ask each other,
// seldom (DeviceHabit): what they learn holds for the calls that follow, of a persistent request
// for its own starts.
// A nonblocking call that asks, and those behind it, begin when their turn comes (turn.hpp), later
// than they are called. So each call finds the same answer at all ranks.
#pragma once

#include "collective/run.hpp"

namespace baton::collective {

// Does a run's call where its data lies, when its turn comes; `begin` makes the algorithm. Under
// the setting `check` the ranks compare their calls first (check/alike.hpp), which leads to
// `begin_in_turn`.
BATON_COLD Task begin_where_data_lies(Run& run, Task (*begin)(Run& run));
// Does the call of a run whose turn it is.
BATON_COLD Task begin_in_turn(Run& run, Task (*begin)(Run& run));

}  // namespace baton::collective
