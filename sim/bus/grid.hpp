// Rank order against status order over nodes, messages, earlier transfers and idle shares, under
// stated assumptions. Called by the sweep; simulates with the one Machine of the process. Both
// orders see the same draw.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "sim/bus/case.hpp"
#include "sim/bus/draw.hpp"
#include "sim/bus/machine.hpp"
#include "sim/bus/progress.hpp"
#include "sim/bus/report.hpp"

namespace baton::bus {

/// All that the study leaves open.
struct Assumption {
  std::string name;
  std::string what;
  Overhead overhead = {};
  Operation operation = Operation::scatter;
  Start start = Start::all;
  bool read_again = false;
  Busy busy = Busy::share;
  int busy_count = 6;
  Left left = Left::whole;
  Topology topology = Topology::bus;
  int roots = 1;  // spread evenly over the ranks, from rank 0 on
  Detail detail = Detail::bytes;
  double wrong_share = 0;
  Cycles age = 0;
};

struct Grid {
  std::vector<int> nodes = {8, 16, 32};
  std::vector<Bytes> messages;
  std::vector<Bytes> earlier = {32, 128, 512, 1536};
  std::vector<double> idle_shares;
  int seeds = 1;
};

/// 4, 8, 16 ... 2048.
std::vector<Bytes> doubled_messages();
/// 0 to 1, in so many steps.
std::vector<double> idle_steps(int steps);

struct Row {
  int nodes = 0;
  Bytes message = 0;
  Bytes earlier = 0;
  double idle_share = 0;  // as asked for; with a count of busy nodes: as it comes out
  double busy_mean = 0;   // how many nodes were busy, over seeds
  double gain_mean = 0;   // over seeds
  double gain_least = 0;
  double gain_most = 0;
  Cycles old_cycles = 0;  // of the seed with the most gain
  Cycles new_cycles = 0;
  bool hidden = true;  // in every seed status order waited for no node
};

std::uint64_t points(const Assumption& assumed, const Grid& grid);
std::vector<Row> run_grid(Machine& machine, const Assumption& assumed, const Grid& grid,
                          Progress& progress);

/// The row with the most gain of so many nodes; the smallest message among equals.
const Row& best_of(const std::vector<Row>& rows, int nodes);

Json describe(const Assumption& assumed);
Json describe(const Row& row);

}  // namespace baton::bus
