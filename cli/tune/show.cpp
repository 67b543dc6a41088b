// `baton tune --show` prints a profile for people.
#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <vector>

#include "base/settings.hpp"
#include "cli/commands.hpp"
#include "cli/print.hpp"
#include "cli/tune/contest.hpp"
#include "cli/value_text.hpp"
#include "machine/discover.hpp"
#include "profile/profile.hpp"

namespace baton::cli {

namespace {

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::ranges::sort(values);
  std::size_t half = values.size() / 2;
  return values.size() % 2 ? values[half] : (values[half - 1] + values[half]) / 2;
}

void print_machine(const profile::Profile& profile) {
  const profile::Identity& machine = profile.machine;
  write_out("measured {} with Baton {}{}{}\n", profile.date, profile.baton,
            profile.budget > 0
                ? fmt::format(", {:.0f} of {:.0f} s", profile.seconds, profile.budget)
                : std::string(),
            profile.complete ? "" : "; not complete: `baton tune` continues");
  write_out("machine: {}; {}; {} CPUs usable; {}; cross-memory attach {}\n", machine.cpu_model,
            machine.topology, machine.cpus_usable, machine.kernel,
            machine.cma_permitted ? "permitted" : "not permitted");
  for (const profile::Pair& pair : profile.pairs)
    write_out("between CPUs {} and {} ({})\n", pair.cpus[0], pair.cpus[1], pair.peers);
}

void print_chosen(const std::vector<profile::Chosen>& chosen) {
  for (const profile::Chosen& one : chosen)
    write_out("  {:<26} {:>7}  (default {}) {}\n", one.setting, value_text(one.value),
              value_text(default_of(*find_setting(one.setting.c_str()))), one.reason);
}

void print_measured(std::vector<profile::Cell> cells) {
  std::ranges::stable_sort(cells, {}, [](const profile::Cell& cell) {
    return std::tie(cell.question, cell.peers, cell.distance, cell.pattern, cell.data, cell.bytes);
  });
  std::size_t width = 10;
  for (const profile::Cell& cell : cells) width = std::max(width, cell.variant.size());
  std::string question;
  for (const profile::Cell& cell : cells) {
    if (cell.question != question)
      write_out("\n{} (one direction, us; median of rounds)\n", cell.question);
    question = cell.question;
    write_out("  {:>6}  {:<{}} {:<9} {:<4} {:<9} {:<7} {:>9.2f}  of {}\n", value_text(cell.bytes),
              cell.variant, width, cell.peers, distance_names[static_cast<int>(cell.distance)],
              cell.pattern, cell.data, median(cell.medians_us), cell.medians_us.size());
  }
}

// Prints the results size by size, where several algorithms can serve and were measured.
void print_contest(const tune::Contest& contest, std::vector<profile::CollectiveCell> measured) {
  for (std::int64_t bytes : contest.sizes) {
    std::string times;
    for (Algorithm algorithm : tune::rivals(contest, bytes))
      if (const auto* cell = tune::find_cell(measured, contest, algorithm, bytes))
        times += fmt::format("  {} {:.2f}", row_of(algorithm).name, median(cell->medians_us));
    if (times.empty()) continue;
    const tune::Verdict seen = tune::verdict(contest, bytes, measured);
    write_out("  {:<15} {:>3} ranks {:<4} {:>6}{}{}{}\n",
              collective_kind_names[static_cast<int>(contest.kind)], contest.ranks,
              distance_names[static_cast<int>(contest.distance)], value_text(bytes), times,
              seen.rounds == 0 ? std::string("  (not compared)")
                               : fmt::format("  (ratio {:.2f}, noise {:.2f}, {} rounds)",
                                             seen.ratio, seen.noise, seen.rounds),
              seen.algorithm == seen.built_in ? std::string()
                                              : fmt::format(" -> {}", row_of(seen.algorithm).name));
  }
}

void print_collectives(const profile::Profile& profile) {
  const profile::Collectives& found = profile.collectives;
  if (found.date.empty()) return;
  write_out("\ncollectives, measured {}, {:.0f} of {:.0f} s\nchosen{}\n", found.date, found.seconds,
            found.budget, found.chosen.empty() ? ": the built-in choices stay" : "");
  for (const profile::ChosenRow& one : found.chosen)
    write_out("  {}\n      {}\n", one.row, one.reason);
  if (found.measured.empty()) {
    write_out("{}\n", tune::nothing_measured);
    return;
  }
  write_out("\ncompared (us per call; the fastest other one to the built-in one)\n");
  for (Distance distance : {Distance::near, Distance::far})
    for (const tune::Contest& contest :
         tune::contests(found.ranks, profile.machine.cpus_usable, distance))
      print_contest(contest, found.measured);
}
void print_network(const profile::Network& network) {
  if (network.date.empty()) return;
  write_out("\nnetwork, measured {} between {}, {:.0f} of {:.0f} s\n", network.date,
            network.hosts.empty()
                ? std::string("two ranks of this machine over the loopback, which is no network")
                : fmt::format("{} and {}", network.hosts[0], network.hosts[1]),
            network.seconds, network.budget);
  write_out("{} on interface {}, of libfabric {}: chosen for jobs over the same provider\n",
            network.provider, network.interface, network.libfabric);
  print_chosen(network.chosen);
  write_out("{}: {}\n{}\n", network.arrival, network.writes, network.offers);
  print_measured(network.measured);
}

}  // namespace

int show_profile(const std::string& named) {
  std::string file = profile::file_in_use(named);
  if (file.empty()) {
    write_error("baton tune: there is no profile to show; `baton tune` makes one\n");
    return 1;
  }
  auto profile = profile::read_profile(file);
  if (!profile) {
    write_error("baton tune: {}\n", profile.error());
    return 1;
  }
  write_out("{}\n", file);
  print_machine(*profile);
  auto machine = machine::read_machine();
  if (machine) {
    std::string words = profile::difference(profile->machine, profile::identity_of(*machine));
    if (!words.empty()) write_out("NOT THIS MACHINE: {}\n", words);
  }
  if (!profile->chosen.empty()) write_out("\nchosen\n");
  print_chosen(profile->chosen);
  print_measured(profile->measured);
  print_collectives(*profile);
  print_network(profile->network);
  return 0;
}

}  // namespace baton::cli
