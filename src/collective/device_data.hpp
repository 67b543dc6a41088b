// Long data of collectives in device memory stays there: the call goes by messages alone, which
// devices copy between processes of a node, and intermediate results are the device's, too. All
// other foreign data is copied to host memory first (host_copies.hpp).
//
// Each rank knows only where its own data lies, and all must take the same algorithm. Where that
// one goes by messages anyway, each rank does as its data needs. Else the ranks ask each other in
// blocking calls, seldom (DeviceHabit): what they learn holds for the calls that follow.
#pragma once

#include "collective/run.hpp"

namespace baton::collective {

// Does a run's call where its data lies; `begin` makes the algorithm.
BATON_COLD Task begin_where_data_lies(Run& run, Task (*begin)(Run& run));

}  // namespace baton::collective
