// `run` and `replay`: single cases, both orders.

#include <fmt/format.h>

#include <memory>

#include "sim/bus/commands.hpp"
#include "sim/bus/machine.hpp"
#include "sim/bus/options.hpp"

namespace baton::bus {

namespace {

constexpr Cycles source_cycles_rank = 39, source_cycles_status = 31;

std::expected<Json, std::string> simulate_order(Machine& machine, Case given, Order order,
                                                bool with_timeline, Cycles& cycles) {
  given.order = order;
  auto outcome = machine.simulate(given);
  if (!outcome) return std::unexpected(outcome.error());
  cycles = outcome->cycles;
  Json described = describe(*outcome);
  if (!with_timeline) return described;
  if (given.roots.size() > 1)
    return std::unexpected("--timeline shows one root; give one with --roots");
  if (outcome->cycles > timeline_cycles_max)
    return std::unexpected(
        fmt::format("--timeline shows {} cycles at most, these are {}; give a "
                    "smaller --message",
                    timeline_cycles_max, outcome->cycles));
  described["timeline"] = timeline(given, *outcome);
  return described;
}

/// Both orders of a case, and the gain.
std::expected<Json, std::string> simulate_both(Machine& machine, const Case& given,
                                               bool with_timeline, Cycles& ranked, Cycles& aware) {
  Json report = {{"program", "baton-bus"}, {"kind", "simulated"}, {"case", describe(given)}};
  for (Order order : {Order::rank, Order::status}) {
    auto described =
        simulate_order(machine, given, order, with_timeline, order == Order::rank ? ranked : aware);
    if (!described) return described;
    report[word_of(order)] = *described;
  }
  report["gain"] = gain(ranked, aware);
  report["gain_formula"] = gain_formula;
  report["saved_share"] = saved_share(ranked, aware);
  report["saved_share_formula"] = "1 - cycles in status order / cycles in rank order";
  return report;
}

}  // namespace

Command add_run(CLI::App& command) {
  auto options = std::make_shared<CaseOptions>();
  auto output = std::make_shared<Output>();
  auto with_timeline = std::make_shared<bool>(false);
  add_case_options(command, *options);
  command.add_flag("--timeline", *with_timeline, "also what happens in each cycle");
  add_output_options(command, *output);
  return [=] {
    auto given = case_of(*options);
    if (!given) return fail(given.error());
    Machine machine(given->nodes, static_cast<int>(given->roots.size()));
    Cycles ranked = 0, aware = 0;
    auto report = simulate_both(machine, *given, *with_timeline, ranked, aware);
    if (!report) return fail(report.error());
    if (!write(*output, *report)) return 1;
    std::size_t missed = (*report)["status"]["undelivered"].size();
    if (missed > 0) {
      fmt::print(stderr, "baton-bus: {} block(s) were not delivered: --busy names dead nodes\n",
                 missed);
      return 3;
    }
    return 0;
  };
}

Command add_replay(CLI::App& command) {
  auto overhead = std::make_shared<Overhead>();
  auto operation = std::make_shared<Operation>(Operation::scatter);
  auto output = std::make_shared<Output>();
  add_operation_option(command, *operation);
  add_overhead_options(command, *overhead);
  add_output_options(command, *output);
  return [=] {
    Case given = example_case();
    given.operation = *operation;
    given.overhead = *overhead;
    Machine machine(given.nodes, 1);
    Cycles ranked = 0, aware = 0;
    auto report = simulate_both(machine, given, true, ranked, aware);
    if (!report) return fail(report.error());
    (*report)["source"] = {{"rank", source_cycles_rank}, {"status", source_cycles_status}};
    (*report)["inferred"] =
        "what P1 to P6 have left: 32, 32, 16, 16, 8, 8 bytes; the study gives only the order and "
        "the "
        "8 cycles of waiting";
    bool is_source = given.overhead == Overhead{};
    bool exact = ranked == source_cycles_rank && aware == source_cycles_status;
    (*report)["exact"] = exact;
    if (!write(*output, *report)) return 1;
    if (is_source && !exact)
      return fail(
          fmt::format("the example took {} and {} cycles, not {} and {}: an error of the model",
                      ranked, aware, source_cycles_rank, source_cycles_status));
    return 0;
  };
}

}  // namespace baton::bus
