// `inverse`: is there any setting at all that gives the study's best gain? All messages, earlier
// transfers, numbers of busy nodes, overheads and ways to look, with equal remainders.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "sim/bus/commands.hpp"
#include "sim/bus/grid.hpp"
#include "sim/bus/machine.hpp"
#include "sim/bus/progress.hpp"

namespace baton::bus {

namespace {

constexpr int nodes = 32;
constexpr double percent_of_source = 78.93;
constexpr Cycles header_most = 4;
constexpr std::size_t nearest_shown = 5;
constexpr double rounding = 0.005;  // the study gives two digits behind the point, in percent

struct Looking {
  const char* words;
  Cycles cycles;
  LookUp counts;
};
constexpr Looking lookings[] = {{"free", 0, LookUp::once},
                                {"a cycle for all", 1, LookUp::once},
                                {"a cycle a node", 1, LookUp::per_node}};

struct Setting {
  Bytes message;
  Bytes earlier;
  int busy;
  Cycles header;
  const char* looking;
  Cycles old_cycles;
  Cycles new_cycles;

  double percent() const { return 100 * gain(old_cycles, new_cycles); }
};

/// 4, 8, 12 ... 512, 1024, 2048.
std::vector<Bytes> messages() {
  std::vector<Bytes> all;
  for (Bytes bytes = 4; bytes <= 512; bytes += 4) all.push_back(bytes);
  all.insert(all.end(), {1024, 2048});
  return all;
}

Case case_of(Bytes message, Bytes earlier, int busy) {
  Case given;
  given.nodes = nodes;
  given.blocks.assign(nodes, message);
  given.channels.assign(nodes, {});
  // Which nodes are busy matters to neither order: both serve all, equal remainders one by one.
  for (int node = 1; node <= busy; ++node)
    given.channels[static_cast<std::size_t>(node)] = {.left = earlier, .earlier = earlier};
  return given;
}

Cycles cycles_of(Machine& machine, Case& given, Order order) {
  given.order = order;
  const auto outcome = machine.simulate(given);
  return outcome ? outcome->cycles : 0;
}

/// All settings, in order of their distance from the wanted gain.
std::vector<Setting> search(Machine& machine, Progress& progress, double wanted) {
  std::vector<Setting> all;
  const Grid grid;
  const auto sizes = messages();
  progress.begin("inverse", sizes.size());
  for (Bytes message : sizes) {
    for (Bytes earlier : grid.earlier)
      for (int busy = 1; busy < nodes; ++busy) {
        Case given = case_of(message, earlier, busy);
        for (Cycles header = 0; header <= header_most; ++header)
          for (const Looking& looking : lookings) {
            given.overhead = {
                .header = header, .look_up = looking.cycles, .look_up_counts = looking.counts};
            const Cycles old_cycles = cycles_of(machine, given, Order::rank);
            all.push_back({message, earlier, busy, header, looking.words, old_cycles,
                           cycles_of(machine, given, Order::status)});
          }
      }
    progress.step();
  }
  progress.end();
  std::ranges::stable_sort(
      all, {}, [wanted](const Setting& setting) { return std::abs(setting.percent() - wanted); });
  return all;
}

Json describe(const Setting& setting) {
  return {{"message", setting.message},
          {"earlier", setting.earlier},
          {"busy", setting.busy},
          {"header", setting.header},
          {"look_up", setting.looking},
          {"cycles_rank", setting.old_cycles},
          {"cycles_status", setting.new_cycles},
          {"gain_percent", setting.percent()}};
}

}  // namespace

Command add_inverse(CLI::App& command) {
  auto wanted = std::make_shared<double>(percent_of_source);
  auto output = std::make_shared<Output>();
  command.add_option("--percent", *wanted, "the gain that is looked for")->capture_default_str();
  add_output_options(command, *output);
  return [=] {
    Machine machine(nodes, 1);
    Progress progress(output->quiet);
    const std::vector<Setting> all = search(machine, progress, *wanted);
    const auto found = std::ranges::count_if(all, [&](const Setting& setting) {
      return std::abs(setting.percent() - *wanted) < rounding;
    });
    Json report = {{"program", "baton-bus"},
                   {"kind", "simulated"},
                   {"nodes", nodes},
                   {"wanted_percent", *wanted},
                   {"gain_formula", gain_formula},
                   {"settings", all.size()},
                   {"found", found},
                   {"nearest", Json::array()}};
    for (std::size_t i = 0; i < std::min(nearest_shown, all.size()); ++i)
      report["nearest"].push_back(describe(all[i]));
    if (!write(*output, report)) return 1;
    if (!output->quiet)
      fmt::print(stderr, "{} of {} settings give {} %; the nearest gives {:.2f} %\n", found,
                 all.size(), *wanted, all.front().percent());
    return 0;
  };
}

}  // namespace baton::bus
