#include "sim/bus/grid.hpp"

#include <algorithm>
#include <stdexcept>

namespace baton::bus {

namespace {

Case case_for(const Assumption& assumed, int nodes, Bytes message) {
  Case made;
  made.nodes = nodes;
  made.operation = assumed.operation;
  made.start = assumed.start;
  made.read_again = assumed.read_again;
  made.overhead = assumed.overhead;
  made.topology = assumed.topology;
  made.detail = assumed.detail;
  made.roots.clear();
  for (int root = 0; root < assumed.roots; ++root)
    made.roots.push_back(static_cast<int>(static_cast<long>(root) * nodes / assumed.roots));
  made.blocks.assign(static_cast<std::size_t>(nodes), message);
  return made;
}

Outcome must_simulate(Machine& machine, const Case& given) {
  auto outcome = machine.simulate(given);
  if (!outcome) throw std::runtime_error(outcome.error());
  return *std::move(outcome);
}

void simulate_seed(Machine& machine, const Assumption& assumed, Case& given, const Draw& draw,
                   Row& row) {
  given.channels = draw_channels(given.nodes, given.roots, draw);
  given.flaws = draw_flaws(given.nodes, assumed.wrong_share, assumed.age, draw.earlier, draw.seed);
  given.order = Order::rank;
  Outcome ranked = must_simulate(machine, given);
  given.order = Order::status;
  Outcome aware = must_simulate(machine, given);
  double found = gain(ranked.cycles, aware.cycles);
  row.gain_mean += found;
  row.gain_least = std::min(row.gain_least, found);
  if (found > row.gain_most || row.new_cycles == 0) {
    row.gain_most = found;
    row.old_cycles = ranked.cycles;
    row.new_cycles = aware.cycles;
  }
  row.hidden = row.hidden && aware.waited == 0;
  for (const Channel& channel : given.channels) row.busy_mean += channel.left > 0;
}

}  // namespace

std::vector<Bytes> doubled_messages() {
  std::vector<Bytes> messages;
  for (Bytes bytes = 4; bytes <= 2048; bytes *= 2) messages.push_back(bytes);
  return messages;
}

std::vector<double> idle_steps(int steps) {
  std::vector<double> shares;
  for (int step = 0; step <= steps; ++step) shares.push_back(static_cast<double>(step) / steps);
  return shares;
}

std::uint64_t points(const Assumption& assumed, const Grid& grid) {
  std::size_t shares = assumed.busy == Busy::count ? 1 : grid.idle_shares.size();
  return grid.nodes.size() * grid.messages.size() * grid.earlier.size() * shares;
}

std::vector<Row> run_grid(Machine& machine, const Assumption& assumed, const Grid& grid,
                          Progress& progress) {
  std::vector<Row> rows;
  rows.reserve(points(assumed, grid));
  std::vector<double> by_count(1);
  for (int nodes : grid.nodes) {
    by_count[0] = 1 - static_cast<double>(std::min(assumed.busy_count, nodes - 1)) / (nodes - 1);
    for (Bytes message : grid.messages)
      for (Bytes earlier : grid.earlier)
        for (double share : assumed.busy == Busy::count ? by_count : grid.idle_shares) {
          progress.step();
          Row row{.nodes = nodes,
                  .message = message,
                  .earlier = earlier,
                  .idle_share = share,
                  .gain_least = 1e300,
                  .gain_most = -1e300};
          Case given = case_for(assumed, nodes, message);
          for (int seed = 1; seed <= grid.seeds; ++seed)
            simulate_seed(machine, assumed, given,
                          {.busy = assumed.busy,
                           .idle_share = share,
                           .busy_count = assumed.busy_count,
                           .left = assumed.left,
                           .earlier = earlier,
                           .seed = static_cast<std::uint64_t>(seed)},
                          row);
          row.gain_mean /= grid.seeds;
          row.busy_mean /= grid.seeds;
          rows.push_back(row);
        }
  }
  return rows;
}

const Row& best_of(const std::vector<Row>& rows, int nodes) {
  const Row* best = nullptr;
  for (const Row& row : rows)
    if (row.nodes == nodes && (!best || row.gain_most > best->gain_most)) best = &row;
  if (!best) throw std::out_of_range("no rows of so many nodes");
  return *best;
}

Json describe(const Assumption& assumed) {
  Json described = {{"name", assumed.name},
                    {"what", assumed.what},
                    {"operation", assumed.operation},
                    {"start", assumed.start},
                    {"read_again", assumed.read_again},
                    {"overhead", describe(assumed.overhead)},
                    {"busy", assumed.busy},
                    {"left", assumed.left},
                    {"topology", assumed.topology},
                    {"roots", assumed.roots},
                    {"detail", assumed.detail},
                    {"wrong_share", assumed.wrong_share},
                    {"age", assumed.age}};
  if (assumed.busy == Busy::count) described["busy_count"] = assumed.busy_count;
  return described;
}

Json describe(const Row& row) {
  return {{"nodes", row.nodes},
          {"message", row.message},
          {"earlier", row.earlier},
          {"idle_share", row.idle_share},
          {"busy_mean", row.busy_mean},
          {"gain_mean", row.gain_mean},
          {"gain_least", row.gain_least},
          {"gain_most", row.gain_most},
          {"cycles_rank", row.old_cycles},
          {"cycles_status", row.new_cycles},
          {"hidden", row.hidden}};
}

}  // namespace baton::bus
