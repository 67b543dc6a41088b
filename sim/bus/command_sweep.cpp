// `sweep`: the study's whole sweep, the best gain by nodes beside its number, what moves it, and
// whether the gain grows as the study found.

#include <fmt/format.h>
#include <sys/resource.h>

#include <chrono>
#include <memory>

#include "sim/bus/commands.hpp"
#include "sim/bus/monotone.hpp"
#include "sim/bus/sensitivity.hpp"

namespace baton::bus {

namespace {

constexpr double source_best_gain = 0.7893;
constexpr int source_best_nodes = 32;

struct Sweep {
  Machine& machine;
  Progress& progress;
  Grid grid;            // of the base and of gather
  Grid sensitive_grid;  // the same with fewer seeds
};

Grid grid_of(bool is_quick, int seeds) {
  Grid grid;
  grid.messages = doubled_messages();
  grid.idle_shares = idle_steps(is_quick ? 10 : 20);
  grid.seeds = seeds;
  return grid;
}

std::vector<Row> run(Sweep& sweep, const Assumption& assumed, const Grid& grid) {
  sweep.progress.begin(assumed.name, points(assumed, grid));
  std::vector<Row> rows = run_grid(sweep.machine, assumed, grid, sweep.progress);
  sweep.progress.end();
  return rows;
}

Json best_by_nodes(const std::vector<Row>& rows, const Grid& grid) {
  Json best = Json::array();
  for (int nodes : grid.nodes) {
    const Row& row = best_of(rows, nodes);
    Json described = describe(row);
    described["saved_share"] = saved_share(row.old_cycles, row.new_cycles);
    best.push_back(described);
  }
  return best;
}

/// Of the most nodes, by what is in flight: figure 5 as its caption has it.
Json best_by_earlier(const std::vector<Row>& rows, const Grid& grid) {
  Json best = Json::array();
  for (Bytes earlier : grid.earlier) {
    std::vector<Row> those;
    for (const Row& row : rows)
      if (row.earlier == earlier) those.push_back(row);
    best.push_back(describe(best_of(those, source_best_nodes)));
  }
  return best;
}

Json trends(std::vector<Row> rows, bool by_count) {
  if (by_count)  // the share of idle nodes is not an axis, it follows from the nodes
    for (Row& row : rows) row.idle_share = 0;
  Json described = Json::array();
  for (Axis axis : {Axis::nodes, Axis::idle_share, Axis::message})
    if (!by_count || axis != Axis::idle_share) {
      described.push_back(describe(trend_along(axis, rows)));
      described.back()["means"] = means_along(axis, rows);
    }
  return described;
}

/// The line of a changed assumption: best gains, and how far the one at 32 nodes moved.
Json line_of(const Assumption& assumed, const std::vector<Row>& rows, const Grid& grid,
             double base_gain) {
  double found = best_of(rows, source_best_nodes).gain_most;
  Json line = describe(assumed);
  line["best"] = best_by_nodes(rows, grid);
  line["best_by_earlier"] = best_by_earlier(rows, grid);
  line["moved_points"] = 100 * (found - base_gain);
  line["from_source_points"] = 100 * (found - source_best_gain);
  return line;
}

Json sensitivity(Sweep& sweep, const std::vector<Row>& base_rows) {
  const Row& base = best_of(base_rows, source_best_nodes);
  Json lines = Json::array();
  Json first = line_of(base_assumption(), base_rows, sweep.grid, base.gain_most);
  lines.push_back(first);
  double other_formula = saved_share(base.old_cycles, base.new_cycles);
  lines.push_back({{"name", "the other formula"},
                   {"what", "1 - new / old instead of old / new - 1; the same cycles"},
                   {"best_at_32", other_formula},
                   {"moved_points", 100 * (other_formula - base.gain_most)},
                   {"from_source_points", 100 * (other_formula - source_best_gain)}});
  // On paper: then the bus is never idle in either order, and carries the same bytes.
  lines.push_back(
      {{"name", "earlier transfers on the bus"},
       {"what",
        "they use the same bus instead of channels of their own; on paper: the bus is busy "
        "throughout in both orders and both end in the same cycle"},
       {"kind", "modelled"},
       {"best_at_32", 0.0},
       {"moved_points", -100 * base.gain_most},
       {"from_source_points", -100 * source_best_gain}});
  for (const Assumption& assumed : changed_assumptions()) {
    std::vector<Row> rows = run(sweep, assumed, sweep.sensitive_grid);
    Json line = line_of(assumed, rows, sweep.sensitive_grid, base.gain_most);
    if (assumed.busy == Busy::count || assumed.left == Left::drawn)
      line["trends"] = trends(rows, assumed.busy == Busy::count);
    lines.push_back(line);
  }
  Grid fine = sweep.sensitive_grid;
  fine.seeds = 1;
  fine.messages.clear();
  for (Bytes bytes = 4; bytes <= 512; bytes += 4) fine.messages.push_back(bytes);
  Assumption in_fours = base_assumption();
  in_fours.name = "messages in fours";
  in_fours.what = "messages of 4, 8, 12 ... 512 bytes, not only the powers of two";
  lines.push_back(line_of(in_fours, run(sweep, in_fours, fine), fine, base.gain_most));
  return lines;
}

/// How far the simulated bus came in how much time; the time of all of the sweep.
Json speed(const Machine& machine, std::chrono::steady_clock::time_point began) {
  double wall = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  double cpu = static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
               1e-6 * static_cast<double>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
  return {{"cases", machine.cases()},
          {"bus_cycles", machine.cycles()},
          {"wall_seconds", wall},
          {"cpu_seconds", cpu},
          {"bus_cycles_per_wall_second", static_cast<double>(machine.cycles()) / wall}};
}

/// The hardest to simulate: a transfer each cycle, nothing to skip.
double densest_rate(Machine& machine) {
  Case given = example_case();
  for (Channel& channel : given.channels) channel = {};
  Cycles before = machine.cycles();
  auto began = std::chrono::steady_clock::now();
  for (int time = 0; time < 10'000; ++time) (void)machine.simulate(given);
  double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  return static_cast<double>(machine.cycles() - before) / seconds;
}

Json describe(const Grid& grid) {
  return {{"nodes", grid.nodes},
          {"messages", grid.messages},
          {"earlier", grid.earlier},
          {"idle_shares", grid.idle_shares},
          {"seeds", grid.seeds}};
}

Json sweep_all(Sweep& sweep) {
  auto began = std::chrono::steady_clock::now();
  Json report = {
      {"program", "baton-bus"},
      {"kind", "simulated"},
      {"gain_formula", gain_formula},
      {"bus", {{"cycles_per_second", cycles_per_second}, {"bytes_per_cycle", bytes_per_cycle}}},
      {"source", {{"best_gain", source_best_gain}, {"nodes", source_best_nodes}}},
      {"base", describe(base_assumption())},
      {"grid", describe(sweep.grid)}};
  std::vector<Row> rows = run(sweep, base_assumption(), sweep.grid);
  Assumption gather = base_assumption();
  gather.name = "gather";
  gather.operation = Operation::gather;
  std::vector<Row> gather_rows = run(sweep, gather, sweep.grid);
  report["best"] = best_by_nodes(rows, sweep.grid);
  report["best_gather"] = best_by_nodes(gather_rows, sweep.grid);
  report["trends"] = trends(rows, false);
  report["sensitivity"] = sensitivity(sweep, rows);
  report["speed"] = speed(sweep.machine, began);
  report["speed"]["densest_bus_cycles_per_wall_second"] = densest_rate(sweep.machine);
  Json scatter_rows = Json::array(), other_rows = Json::array();
  for (const Row& row : rows) scatter_rows.push_back(describe(row));
  for (const Row& row : gather_rows) other_rows.push_back(describe(row));
  report["rows"] = scatter_rows;
  report["rows_gather"] = other_rows;
  return report;
}

void say(const Json& report) {
  for (const Json& best : report["best"])
    fmt::print(stderr, "{} nodes: best gain {:.2f} % (message {} B, earlier {} B, {:.0f} % idle)\n",
               best["nodes"].get<int>(), 100 * best["gain_most"].get<double>(),
               best["message"].get<Bytes>(), best["earlier"].get<Bytes>(),
               100 * best["idle_share"].get<double>());
  const Json& rate = report["speed"];
  fmt::print(
      stderr,
      "{:.3g} bus cycles in {:.1f} s: {:.3g} a second; {:.3g} a second with a transfer in each\n",
      rate["bus_cycles"].get<double>(), rate["wall_seconds"].get<double>(),
      rate["bus_cycles_per_wall_second"].get<double>(),
      rate["densest_bus_cycles_per_wall_second"].get<double>());
}

}  // namespace

Command add_sweep(CLI::App& command) {
  auto output = std::make_shared<Output>();
  auto is_quick = std::make_shared<bool>(false);
  auto seeds = std::make_shared<int>(0);
  command.add_flag("--quick", *is_quick, "coarser idle shares, fewer seeds: some seconds");
  command.add_option("--seeds", *seeds, "draws a point (20; with --quick 3)")
      ->check(CLI::Range(1, 1000));
  add_output_options(command, *output);
  return [=] {
    int wanted = *seeds > 0 ? *seeds : *is_quick ? 3 : 20;
    Machine machine(source_best_nodes, 1);
    Progress progress(output->quiet);
    Sweep sweep{machine, progress, grid_of(*is_quick, wanted),
                grid_of(*is_quick, std::max(1, wanted / 4))};
    Json report = sweep_all(sweep);
    if (!write(*output, report)) return 1;
    if (!output->quiet) say(report);
    return 0;
  };
}

}  // namespace baton::bus
