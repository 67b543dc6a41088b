// Start of a job: the launcher's managers, one a node in a tree, start their ranks, collect one
// record of each rank and hand all records down again; then ranks connect, all with all or each
// with whom it talks to. The tree's messages are a schedule; the rest is closed form.
#pragma once

#include "sim/cluster/fabric.hpp"
#include "sim/cluster/schedule.hpp"

namespace baton::cluster {

// Of managers of so many ranks; `record` is what a rank publishes. A manager has at most `fan_out`
// children, as in a heap.
Schedule exchange_of_records(int nodes, int fan_out, std::int64_t bytes_of_node);

// The costs of a manager's messages.
Costs manager_costs(const Fabric& fabric);

struct Startup {
  double start = 0;        // of the managers down the tree, and of a node's ranks
  double exchange = 0;     // of the records
  double connect_few = 0;  // each rank with so many, when it first talks to them
  double connect_all = 0;  // each with all
};
// But for `exchange`. `contacts` of a rank, on other nodes.
Startup startup_in_closed_form(const Fabric& fabric, int ranks, int ranks_per_node, int fan_out,
                               int contacts);

}  // namespace baton::cluster
