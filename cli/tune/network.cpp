// `baton tune --net` finds out what the network between two hosts does best, or this machine's
// loopback. Each round has a job for how messages arrive over the raw provider and one for each way
// that MPI's messages may go, in changing order. It saves its measurements after each round in a
// partial profile, so that it can be interrupted.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <iterator>

#include "base/environment.hpp"
#include "base/settings.hpp"
#include "cli/commands.hpp"
#include "cli/print.hpp"
#include "cli/tune/job.hpp"
#include "cli/tune/network_choice.hpp"
#include "cli/tune/session.hpp"
#include "cli/value_text.hpp"
#include "machine/discover.hpp"

namespace baton::cli {

namespace {

using namespace tune;
using profile::Network;
using profile::Profile;
using Clock = std::chrono::steady_clock;

// Returns the milliseconds for each size; each over the raw provider has twice that. It is a guess:
// a longer time adds little, another round more.
int milliseconds_each(double budget) {
  return std::clamp(static_cast<int>(budget / 4), 2, 8);
}

std::string where(const Network& network) {
  if (network.hosts.empty()) return "this machine's loopback";
  return fmt::format("{} and {}", network.hosts[0], network.hosts[1]);
}

profile::Cell& cell_of(Network& network, const char* question, const std::string& variant,
                       const std::string& data, std::int64_t bytes) {
  for (profile::Cell& cell : network.measured)
    if (cell.question == question && cell.variant == variant && cell.data == data &&
        cell.bytes == bytes)
      return cell;
  return network.measured.emplace_back(
      profile::Cell{question, variant, "network", "pingpong", data, bytes, {}});
}

// This is one run of `baton tune --net`.
class NetworkTuning {
 public:
  NetworkTuning(Programs programs, Profile start, NetworkPath path, std::vector<Offer> offers,
                std::string partial_file)
      : programs_(std::move(programs)),
        profile_(std::move(start)),
        path_(std::move(path)),
        offers_(std::move(offers)),
        partial_(std::move(partial_file)) {}

  // Measures round after round until the time is over or a signal comes, at least one round.
  std::expected<void, std::string> run();
  Network& result() { return profile_.network; }
  const std::vector<Offer>& offers() const { return offers_; }
  Profile& all() { return profile_; }

 private:
  using Cells = std::expected<std::vector<Measured>, std::string>;
  // This is one job of a round: over the raw provider, by a variant, or over an offer.
  struct Job {
    const Variant* variant = nullptr;
    const Offer* offer = nullptr;
    std::vector<Measured> cells;

    std::string name() const {
      return variant ? variant->name : offer ? name_of(*offer) : "the raw provider";
    }
  };
  std::vector<Job> jobs() const;
  Cells run_one(const Job& job) const;
  std::expected<bool, std::string> measure_one(Job& job);
  std::expected<void, std::string> measure_round();
  void keep(const std::vector<Job>& round);

  Programs programs_;
  Profile profile_;
  NetworkPath path_;
  std::vector<Offer> offers_;  // to be compared, where there are several
  std::string partial_;
  std::vector<Variant> variants_ = network_variants();
  std::size_t turn_ = 0;
  Progress progress_{"baton tune"};
};

std::vector<NetworkTuning::Job> NetworkTuning::jobs() const {
  std::vector<Job> all(1);
  for (const Variant& one : variants_) all.push_back({&one, nullptr, {}});
  for (const Offer& one : offers_)
    if (offers_.size() > 1) all.push_back({nullptr, &one, {}});
  std::ranges::rotate(all, all.begin() + static_cast<std::ptrdiff_t>(turn_ % all.size()));
  return all;
}

NetworkTuning::Cells NetworkTuning::run_one(const Job& job) const {
  std::vector<std::pair<const char*, std::string>> settings = {
      {"network_provider", job.offer ? job.offer->provider : path_.provider}};
  const int milliseconds = milliseconds_each(profile_.network.budget);
  std::vector<std::string> words = {std::to_string(milliseconds), "pingpong"};
  std::span<const std::int64_t> sizes = packet_sizes();
  if (job.variant) {
    settings.insert(settings.end(), job.variant->settings.begin(), job.variant->settings.end());
  } else if (job.offer) {
    settings.emplace_back("network_interface", job.offer->interface);
    sizes = offer_sizes();
  } else {
    words = {std::to_string(2 * milliseconds), "arrival", path_.interfaces[0], path_.interfaces[1]};
    sizes = arrival_sizes();
  }
  for (const std::int64_t bytes : sizes) words.push_back(std::to_string(bytes));
  auto said = measure_network(programs_, profile_.network.hosts, settings, {}, words);
  if (!said) return std::unexpected(said.error());
  std::vector<Measured> cells = cells_in(*said);
  // Each size has warm and cold data; over the raw provider it has two ways or more.
  if (cells.size() >= 2 * sizes.size()) return cells;
  return std::unexpected("it printed too little: " + cause_in(*said));
}

// Measures one job. False: it is an offer that does not work here, and is compared no more.
std::expected<bool, std::string> NetworkTuning::measure_one(Job& job) {
  progress_.show(result().seconds, result().budget,
                 fmt::format("{}, round {}: {}", where(result()), turn_ + 1, job.name()));
  const auto start = Clock::now();
  auto cells = run_one(job);
  result().seconds += std::chrono::duration<double>(Clock::now() - start).count();
  if (cells) {
    job.cells = *cells;
    return true;
  }
  if (interrupted() || !job.offer || job.offer == &offers_.front())
    return std::unexpected(cells.error());
  complain(fmt::format("{} is left out: {}", job.name(), cells.error()));
  return false;
}

void NetworkTuning::keep(const std::vector<Job>& round) {
  for (const Job& job : round)
    for (const Measured& one : job.cells) {
      profile::Cell& cell =
          job.variant ? cell_of(result(), packets_question, job.name(), one.data, one.bytes)
          : job.offer ? cell_of(result(), offers_question, job.name(), one.data, one.bytes)
                      : cell_of(result(), arrival_question, one.data, "", one.bytes);
      cell.medians_us.push_back(one.us);
    }
}

// Times count only if all jobs of a round have them, since rounds are compared one by one.
std::expected<void, std::string> NetworkTuning::measure_round() {
  std::vector<Job> round = jobs();
  std::vector<std::string> left_out;
  for (Job& job : round) {
    auto measured = measure_one(job);
    if (!measured) return std::unexpected(measured.error());
    if (!*measured) left_out.push_back(job.name());
  }
  keep(round);
  std::erase_if(offers_, [&](const Offer& one) {
    return std::ranges::find(left_out, name_of(one)) != left_out.end();
  });
  ++turn_;
  return write_profile(partial_, profile_);
}

std::expected<void, std::string> NetworkTuning::run() {
  double took = 0;
  do {
    const double before = result().seconds;
    auto measured = measure_round();
    if (!measured || interrupted()) {
      progress_.end();
      return interrupted() ? std::expected<void, std::string>{} : measured;
    }
    took = result().seconds - before;
  } while (result().seconds + took <= result().budget);
  progress_.end();
  return {};
}

// Returns the two hosts of the options, none for the loopback; the error says what is wrong with
// them.
std::expected<std::vector<std::string>, std::string> hosts_of(const TuneOptions& options) {
  if (options.hosts.empty() && options.host_file.empty()) return std::vector<std::string>{};
  std::vector<std::string> hosts = hosts_in_list(options.hosts);
  if (!options.host_file.empty()) {
    std::ifstream file(options.host_file);
    if (!file) return std::unexpected("cannot read the host file " + options.host_file);
    hosts = hosts_in_file({std::istreambuf_iterator<char>(file), {}});
  }
  if (hosts.size() < 2)
    return std::unexpected(
        "a network is between two hosts, and one is named: --host A,B; without --host the loopback "
        "of this machine is measured");
  if (hosts.size() > 2)
    complain(fmt::format("{} hosts are named; measured is between the first two, {} and {}",
                         hosts.size(), hosts[0], hosts[1]));
  hosts.resize(2);
  return hosts;
}

// Finds out which network the job uses; the error is for people.
std::expected<NetworkPath, std::string> find_path(const Programs& programs,
                                                  const std::vector<std::string>& hosts) {
  auto said = measure_network(programs, hosts, {}, {"--explain"}, {"1", "pingpong", "8"});
  if (!said && interrupted()) return std::unexpected(said.error());
  if (!said && hosts.empty()) return std::unexpected("no job over the loopback: " + said.error());
  if (!said)
    return std::unexpected(fmt::format(
        "no job on {} and {}: {}{}", hosts[0], hosts[1], said.error(),
        is_from_baton(said.error())
            ? std::string()
            : fmt::format(" (is Baton at the same path on both, and can the launcher reach them, "
                          "by `ssh {} true` without a password?)",
                          hosts[1])));
  if (auto path = read_path(*said, hosts)) return *path;
  return std::unexpected(
      hosts.empty() ? "mpiexec --explain names no network: " + cause_in(*said)
                    : fmt::format("the ranks on {} and {} use no network, so they are on one host; "
                                  "name two different ones",
                                  hosts[0], hosts[1]));
}

// Returns the offers that may be compared: none where the user has chosen one.
std::vector<Offer> find_offers(const Programs& programs, const Network& network,
                               const NetworkPath& path) {
  auto said = measure_network(programs, network.hosts, {}, {}, {"1", "offers", "8"});
  const bool chosen = environment_variable("BATON_NETWORK_PROVIDER") ||
                      environment_variable("BATON_NETWORK_INTERFACE");
  return offers_in(said && !chosen ? *said : "", path, network.hosts.empty());
}

// Returns the partial profile of an interrupted run, if it fits; else `fresh`.
Profile resumed(const std::string& partial, const Profile& fresh, bool anew) {
  if (anew || ::access(partial.c_str(), F_OK) != 0) return fresh;
  auto left = profile::read_profile(partial);
  const Network& now = fresh.network;
  const bool fits = left && profile::difference(left->machine, fresh.machine).empty() &&
                    left->network.hosts == now.hosts && left->network.provider == now.provider &&
                    left->network.interface == now.interface &&
                    left->network.libfabric == now.libfabric;
  if (!fits) {
    complain(fmt::format("{}; measuring starts over",
                         left ? "an interrupted run left data of another network" : left.error()));
    return fresh;
  }
  say_resumed(left->network.seconds);
  left->network.budget = now.budget;
  return *left;
}

int finish(NetworkTuning& tuning, const machine::Machine& machine, const std::string& target,
           const std::string& partial) {
  Network& found = tuning.result();
  found.chosen = choose_network(found.measured);
  found.arrival = arrival_words(found.measured);
  found.writes = writes_words(found.measured);
  found.offers = offers_words(tuning.offers(), found.measured);
  found.date = now_text();
  Profile profile = beside_the_others(target, machine, tuning.all());
  profile.network = found;
  if (auto written = write_profile(target, profile); !written) {
    complain(written.error());
    return 1;
  }
  ::unlink(partial.c_str());
  for (const profile::Chosen& one : found.chosen)
    write_out("{:<27} {:>5}{} {}\n", one.setting, value_text(one.value),
              one.value == default_of(*find_setting(one.setting.c_str())) ? " " : "*", one.reason);
  write_out(
      "(* differs from the default; for jobs over {} of libfabric {})\n{}: {}\n{}\nwritten: {}\n",
      found.provider, found.libfabric, found.arrival, found.writes, found.offers, target);
  if (found.hosts.empty())
    write_out(
        "This was the loopback: it says nothing of the network between hosts. `baton tune --net "
        "--host A,B` measures that.\n");
  return 0;
}

}  // namespace

int tune_network(const TuneOptions& options) {
  auto failed = [](const std::string& text) {
    complain(text);
    return interrupted() ? interrupted_code : 1;
  };
  auto machine = machine::read_machine();
  if (!machine) return failed(machine.error());
  auto hosts = hosts_of(options);
  if (!hosts) return failed(hosts.error());
  auto programs = find_programs();
  if (!programs) return failed(programs.error());
  const auto [target, problem] = target_of(options);
  if (!problem.empty()) return failed(problem);
  watch_signals();
  if (hosts->empty())
    complain(
        "no --host: two ranks of this machine are taken for two hosts. This measures the loopback, "
        "not a network");
  auto path = find_path(*programs, *hosts);
  if (!path) return failed(path.error());
  Profile start = new_profile(*machine);
  Network& network = start.network;
  network.date = start.date;
  network.budget = options.seconds;
  network.hosts = *hosts;
  network.provider = path->provider;
  network.interface = path->interfaces[0];
  network.libfabric = path->libfabric;
  const std::string partial = target + ".net.partial";
  start = resumed(partial, start, options.anew);
  // This writes at once, so that a bad name does not cost the whole time.
  if (auto written = write_profile(partial, start); !written) return failed(written.error());

  warn_if_busy(start.machine.cpus_usable);
  NetworkTuning tuning(*programs, start, *path, find_offers(*programs, start.network, *path),
                       partial);
  if (auto ran = tuning.run(); !ran) return failed(ran.error());
  if (!interrupted()) return finish(tuning, *machine, target, partial);
  return say_interrupted(tuning.result().seconds, tuning.result().budget, partial);
}

}  // namespace baton::cli
