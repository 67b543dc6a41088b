// `beyond`: what the study's simulation did not look at: more nodes, rings and meshes, a status
// that is wrong, old or coarse, several roots at once, and what the status would cost in hardware.

#include <fmt/format.h>

#include <memory>

#include "sim/bus/commands.hpp"
#include "sim/bus/cost.hpp"
#include "sim/bus/grid.hpp"
#include "sim/bus/monotone.hpp"
#include "sim/bus/sensitivity.hpp"

namespace baton::bus {

namespace {

constexpr int roots_most = 16;

/// Assumptions that are compared over the same grid.
struct Study {
  const char* name;
  const char* question;
  Grid grid;
  std::vector<Assumption> assumptions;
};

Assumption changed(std::string name, std::string what, auto change) {
  Assumption assumed = base_assumption();
  assumed.name = std::move(name);
  assumed.what = std::move(what);
  change(assumed);
  return assumed;
}

Study scale_study(bool is_quick) {
  Study study{
      "scale",
      "how far does the gain go with the nodes, and what does reading the status cost then?",
      {.nodes = {32, 64, 128, 256, 512, 1024},
       .messages = doubled_messages(),
       .earlier = {1536},
       .idle_shares = {0.25, 0.5, 0.75, 0.9},
       .seeds = is_quick ? 1 : 5},
      {}};
  study.assumptions = {
      base_assumption(),
      changed("look-up 1 a node", "a cycle for each node's status, before the first transfer",
              [](Assumption& assumed) {
                assumed.overhead = {.look_up = 1, .look_up_counts = LookUp::per_node};
              }),
      changed("left drawn", "what is left of each earlier transfer is drawn",
              [](Assumption& assumed) { assumed.left = Left::drawn; }),
  };
  return study;
}

Study topology_study(bool is_quick) {
  Study study{"topology",
              "a ring or a mesh, whose links the earlier transfers hold, beside a bus that they do "
              "not touch",
              {.nodes = {16, 64, 256},
               .messages = {16, 64, 256, 1024},
               .earlier = {1536},
               .idle_shares = {0.25, 0.5, 0.75, 0.9},
               .seeds = is_quick ? 2 : 10},
              {}};
  for (Topology topology : {Topology::bus, Topology::ring, Topology::mesh})
    for (Start start : {Start::all, Start::next})
      study.assumptions.push_back(
          changed(fmt::format("{}, rank order waits for {}", word_of(topology),
                              start == Start::all ? "all" : "the next"),
                  "a hop takes a cycle; a transfer holds its route from end to end",
                  [=](Assumption& assumed) {
                    assumed.topology = topology;
                    assumed.start = start;
                    assumed.left = Left::drawn;
                  }));
  return study;
}

Study status_study(bool is_quick) {
  Study study{"status",
              "what is a status worth that is wrong, old or coarse?",
              {.nodes = {32},
               .messages = {16, 64, 256},
               .earlier = {1536},
               .idle_shares = {0.25, 0.5, 0.75},
               .seeds = is_quick ? 10 : 100},
              {}};
  auto add = [&](std::string name, std::string what, auto change) {
    study.assumptions.push_back(changed(std::move(name), std::move(what), [=](Assumption& assumed) {
      assumed.left = Left::drawn;
      change(assumed);
    }));
  };
  for (bool again : {false, true}) {
    const char* when = again ? ", read again" : "";
    for (double share : {0.0, 0.05, 0.1, 0.25, 0.5, 1.0})
      add(fmt::format("{:.0f} % wrong{}", 100 * share, when), "entries that tell the contrary",
          [=](Assumption& assumed) { assumed.wrong_share = share, assumed.read_again = again; });
    for (Cycles age : {16, 64, 256, 1024})
      add(fmt::format("up to {} cycles old{}", age, when), "each entry has an age of its own",
          [=](Assumption& assumed) { assumed.age = age, assumed.read_again = again; });
  }
  add("in classes", "what is left is told as its power of two",
      [](Assumption& assumed) { assumed.detail = Detail::classes; });
  add("idle or not", "what is left is not told, busy nodes come in order of rank",
      [](Assumption& assumed) { assumed.detail = Detail::idle_only; });
  return study;
}

Study roots_study(const char* name, const char* question, bool is_quick, Bytes earlier,
                  std::initializer_list<int> counts) {
  Study study{name,
              question,
              {.nodes = {64},
               .messages = {16, 64, 256},
               .earlier = {earlier},
               .idle_shares = {0.25, 0.5, 0.75},
               .seeds = is_quick ? 2 : 10},
              {}};
  for (Topology topology : {Topology::bus, Topology::ring, Topology::mesh})
    for (int roots : counts)
      study.assumptions.push_back(changed(fmt::format("{} on a {}", roots, word_of(topology)),
                                          "roots spread evenly over the ranks",
                                          [=](Assumption& assumed) {
                                            assumed.topology = topology;
                                            assumed.roots = roots;
                                            assumed.left = Left::drawn;
                                          }));
  return study;
}

Study all_roots_study(bool is_quick) {
  return roots_study("roots", "several scatters at once, of all roots among all nodes", is_quick,
                     1536, {1, 2, 4, 8, roots_most});
}

/// What is left of the difference when there is hardly anything to wait for: both orders are then
/// only two sequences of receivers.
Study packing_study(bool is_quick) {
  return roots_study("packing", "many scatters at once after earlier transfers of four cycles",
                     is_quick, 16, {roots_most});
}

double mean_gain(const std::vector<Row>& rows) {
  double sum = 0;
  for (const Row& row : rows) sum += row.gain_mean;
  return sum / static_cast<double>(rows.size());
}

Json run_study(Machine& machine, Progress& progress, const Study& study) {
  Json lines = Json::array();
  for (const Assumption& assumed : study.assumptions) {
    progress.begin(fmt::format("{}: {}", study.name, assumed.name), points(assumed, study.grid));
    std::vector<Row> rows = run_grid(machine, assumed, study.grid, progress);
    progress.end();
    Json line = describe(assumed);
    line["gain_mean"] = mean_gain(rows);
    line["best"] = Json::array();
    for (int nodes : study.grid.nodes) line["best"].push_back(describe(best_of(rows, nodes)));
    line["means"] = means_along(Axis::nodes, rows);
    line["rows"] = Json::array();
    for (const Row& row : rows) line["rows"].push_back(describe(row));
    lines.push_back(line);
  }
  return {{"question", study.question}, {"seeds", study.grid.seeds}, {"lines", lines}};
}

/// The case that hardware is judged by: half of the nodes busy, what is left drawn.
Case judging_case(int nodes, Bytes message) {
  Case given;
  given.nodes = nodes;
  given.blocks.assign(static_cast<std::size_t>(nodes), message);
  given.channels = draw_channels(nodes, {0}, {.idle_share = 0.5, .left = Left::drawn, .seed = 1});
  return given;
}

Cycles cycles_of(Machine& machine, Case given, Order order, Cycles look_up, Detail detail) {
  given.order = order;
  given.overhead.look_up = look_up;
  given.detail = detail;
  auto outcome = machine.simulate(given);
  if (!outcome) throw std::runtime_error(outcome.error());
  return outcome->cycles;
}

/// The most cycles of look-up with which status order is not slower than rank order.
Cycles look_up_affordable(Machine& machine, const Case& given, Cycles ranked) {
  Cycles low = 0, high = ranked;  // with `high` it is slower
  while (high - low > 1) {
    Cycles middle = low + (high - low) / 2;
    bool good = cycles_of(machine, given, Order::status, middle, Detail::bytes) <= ranked;
    (good ? low : high) = middle;
  }
  return low;
}

Detail detail_of(const Cost& cost) {
  std::string_view design = cost.design;
  return design == "idle lines"            ? Detail::idle_only
         : design == "classes at the root" ? Detail::classes
                                           : Detail::bytes;
}

Json judge_hardware(Machine& machine) {
  constexpr HardwareAssumptions assumed;
  constexpr Bytes message = 64;
  Json by_nodes = Json::array();
  for (int nodes : {8, 16, 32, 64, 128, 256, 512, 1024}) {
    Case given = judging_case(nodes, message);
    Cycles ranked = cycles_of(machine, given, Order::rank, 0, Detail::bytes);
    Json designs = Json::array();
    for (const Cost& cost : status_costs(nodes, assumed)) {
      Json design = describe(cost);
      Cycles aware = cycles_of(machine, given, Order::status, cost.look_up, detail_of(cost));
      design["simulated"] = {{"cycles_status", aware}, {"gain", gain(ranked, aware)}};
      designs.push_back(design);
    }
    by_nodes.push_back({{"nodes", nodes},
                        {"cycles_rank", ranked},
                        {"look_up_affordable", look_up_affordable(machine, given, ranked)},
                        {"designs", designs}});
  }
  return {{"kind", "modelled"},
          {"formulas", cost_formulas()},
          {"assumed",
           {{"longest", assumed.longest},
            {"word_bits", assumed.word_bits},
            {"class_bits", class_bits(assumed.longest)},
            {"entry_bits", 1 + left_bits(assumed.longest)}}},
          {"judged_by",
           {{"message", message}, {"earlier", 1536}, {"idle_share", 0.5}, {"left", "drawn"}}},
          {"by_nodes", by_nodes}};
}

}  // namespace

Command add_beyond(CLI::App& command) {
  auto output = std::make_shared<Output>();
  auto is_quick = std::make_shared<bool>(false);
  command.add_flag("--quick", *is_quick, "fewer seeds: some seconds");
  add_output_options(command, *output);
  return [=] {
    Machine machine(nodes_max, roots_most);
    Progress progress(output->quiet);
    Json report = {{"program", "baton-bus"}, {"kind", "simulated"}, {"gain_formula", gain_formula}};
    for (const Study& study :
         {scale_study(*is_quick), topology_study(*is_quick), status_study(*is_quick),
          all_roots_study(*is_quick), packing_study(*is_quick)})
      report[study.name] = run_study(machine, progress, study);
    report["hardware"] = judge_hardware(machine);
    return write(*output, report) ? 0 : 1;
  };
}

}  // namespace baton::bus
