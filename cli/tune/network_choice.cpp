#include "cli/tune/network_choice.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <sstream>

#include "base/settings.hpp"
#include "cli/value_text.hpp"
#include "transport/network/choose_provider.hpp"

namespace baton::cli::tune {

using transport::network::is_inner_interface;
using transport::network::rank_of_provider;

namespace {

constexpr std::array<std::int64_t, 3> sizes_of_arrival = {8, 1024, 16384};
// There are two sizes for each limit of packets, and two that no packet takes.
constexpr std::array<std::int64_t, 8> sizes_of_packets = {24576, 32768,  49152,  65536,
                                                          98304, 131072, 262144, 1 << 20};
constexpr std::array<std::int64_t, 2> sizes_of_offers = {8, 1 << 20};
constexpr std::size_t offers_most = 4;  // guess: each costs one job a round
constexpr std::int64_t least_limit = 16384;
constexpr const char* advertised = "advertised";
constexpr const char* answered = "answered";
constexpr const char* packets = "packets";

Comparison compare_at(std::span<const profile::Cell> cells, const char* first, const char* second,
                      std::int64_t bytes) {
  return compare(cells, packets_question, first, second, bytes, "");
}

std::string words(const Comparison& seen, const char* first, const char* second,
                  std::int64_t bytes) {
  return fmt::format("at {} {} take {:.2f} of the time of {} (noise {:.2f}, {} rounds)",
                     value_text(bytes), first, seen.ratio, second, seen.noise, seen.rounds);
}

// Adverts are given up where writes after an answer are quicker at some size, and slower at none.
profile::Chosen choose_adverts(std::span<const profile::Cell> cells) {
  profile::Chosen chosen{"network_receiver_initiated", 1, {}};
  auto at = [&](std::int64_t bytes) { return compare_at(cells, answered, advertised, bytes); };
  const Comparison all = at(0);
  const bool worse = std::ranges::any_of(
      sizes_of_packets, [&](std::int64_t bytes) { return at(bytes).second_is_better(); });
  if (all.first_is_better() && !worse) chosen.value = 0;
  chosen.reason = fmt::format(
      "{}without adverts of posted receives long messages take {:.2f} of the time (noise {:.2f}, "
      "{} rounds)",
      chosen.value == 1 ? "the default stays: " : "", all.ratio, all.noise, all.rounds);
  return chosen;
}

// The limit is halved as long as writing is quicker than packets in the upper half of the sizes
// they take.
profile::Chosen choose_limit(std::span<const profile::Cell> cells, const char* written) {
  const SettingRow& row = *find_setting("network_eager_bytes_max");
  profile::Chosen chosen{row.name, default_of(row), {}};
  auto at = [&](std::int64_t bytes) { return compare_at(cells, packets, written, bytes); };
  auto writing_is_better = [&](std::int64_t limit) {
    return at(limit).second_is_better() && at(limit / 4 * 3).second_is_better();
  };
  while (chosen.value > least_limit && writing_is_better(chosen.value)) chosen.value /= 2;
  const bool stays = chosen.value == default_of(row);
  const std::int64_t decisive = stays ? chosen.value : chosen.value * 2;
  chosen.reason =
      (stays ? "the default stays: " : "") +
      words(at(decisive), packets, written == advertised ? "writes" : "answered writes", decisive);
  return chosen;
}

const profile::Cell* arrival_cell(std::span<const profile::Cell> cells, const char* variant,
                                  std::int64_t bytes) {
  for (const profile::Cell& cell : cells)
    if (cell.question == arrival_question && cell.variant == variant && cell.bytes == bytes)
      return &cell;
  return nullptr;
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  const std::size_t half = values.size() / 2;
  if (values.empty()) return 0;
  return values.size() % 2 ? values[half] : (values[half - 1] + values[half]) / 2;
}

std::string size_text(std::int64_t bytes) {
  return bytes < 1024 ? fmt::format("{} B", bytes) : fmt::format("{} KiB", bytes / 1024);
}

}  // namespace

std::span<const std::int64_t> arrival_sizes() {
  return sizes_of_arrival;
}

std::span<const std::int64_t> packet_sizes() {
  return sizes_of_packets;
}

std::vector<Variant> network_variants() {
  const std::string least = std::to_string(least_limit);
  const std::string most = std::to_string(default_of(*find_setting("network_eager_bytes_max")));
  return {{packets, {{"network_eager_bytes_max", most}}},
          {advertised, {{"network_eager_bytes_max", least}}},
          {answered, {{"network_eager_bytes_max", least}, {"network_receiver_initiated", "0"}}}};
}

std::vector<profile::Chosen> choose_network(std::span<const profile::Cell> cells) {
  const int rounds = compare_at(cells, packets, advertised, sizes_of_packets.front()).rounds;
  if (rounds < rounds_min) {
    const std::string few = fmt::format(
        "the default stays: fewer than {} rounds were measured; --seconds gives more time",
        rounds_min);
    return {{"network_eager_bytes_max", default_of(*find_setting("network_eager_bytes_max")), few},
            {"network_receiver_initiated", 1, few}};
  }
  const profile::Chosen adverts = choose_adverts(cells);
  return {choose_limit(cells, adverts.value == 1 ? advertised : answered), adverts};
}

std::string arrival_words(std::span<const profile::Cell> cells) {
  constexpr std::int64_t bytes = sizes_of_arrival.front();
  std::string text;
  for (const auto& [variant, name] :
       {std::pair("message", "message"), {"write", "remote write"}, {"polled", "polled write"}})
    if (const profile::Cell* cell = arrival_cell(cells, variant, bytes))
      text += fmt::format("{} {} {:.1f} us", text.empty() ? size_text(bytes) + ":" : ",", name,
                          median(cell->medians_us));
  return text;
}

std::string writes_words(std::span<const profile::Cell> cells) {
  std::vector<std::string> quicker;
  int rounds = 0;
  for (const std::int64_t bytes : sizes_of_arrival) {
    const profile::Cell* message = arrival_cell(cells, "message", bytes);
    bool wins = false;
    for (const char* variant : {"write", "polled"}) {
      const profile::Cell* write = arrival_cell(cells, variant, bytes);
      if (!message || !write) continue;
      const Comparison seen = compare_rounds(write->medians_us, message->medians_us);
      wins |= seen.first_is_better();
      rounds = std::max(rounds, seen.rounds);
    }
    if (wins) quicker.push_back(size_text(bytes));
  }
  if (rounds == 0) return "too few rounds to compare messages with remote writes";
  if (quicker.empty()) return "no remote write is quicker than a message";
  return fmt::format("remote writes would be quicker here ({}), Baton has no rings yet",
                     fmt::join(quicker, ", "));
}

namespace {

// Returns the text between two words of a line; empty: they are not there.
std::string between(const std::string& line, const std::string& before, const char* ends) {
  const std::size_t at = line.find(before);
  if (at == std::string::npos) return {};
  const std::size_t begin = at + before.size();
  return line.substr(begin, line.find_first_of(ends, begin) - begin);
}

}  // namespace

std::optional<NetworkPath> read_path(const std::string& explained,
                                     std::span<const std::string> hosts) {
  NetworkPath path;
  std::string host;
  std::istringstream lines(explained);
  for (std::string line; std::getline(lines, line);) {
    if (const std::string name = between(line, "mpiexec on ", ":"); !name.empty()) host = name;
    const std::string provider = between(line, "network: ", " ");
    std::string interface = between(line, " on interface ", ",");
    if (interface.empty()) interface = between(line, " on interfaces ", ", ");
    if (provider.empty() || interface.empty()) continue;
    path.provider = provider;
    path.libfabric = between(line, "of libfabric ", ":, ");
    const bool second = !hosts.empty() && (host == hosts[1] || !path.interfaces[0].empty());
    path.interfaces[second] = interface;
  }
  if (path.provider.empty()) return {};
  for (const int i : {0, 1})
    if (path.interfaces[i].empty()) path.interfaces[i] = path.interfaces[1 - i];
  return path;
}

std::string name_of(const Offer& offer) {
  return offer.provider + " on " + offer.interface;
}

std::span<const std::int64_t> offer_sizes() {
  return sizes_of_offers;
}

std::vector<Offer> offers_in(const std::string& listed, const NetworkPath& path, bool one_machine) {
  std::vector<Offer> offers = {{path.provider, path.interfaces[0]}};
  std::istringstream lines(listed);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string word;
    Offer one;
    bool native = false;
    if (!(words >> word >> one.provider >> one.interface >> native) || word != "offer") continue;
    const bool loopback = one.interface == "lo";
    const bool fits = rank_of_provider({one.provider, one.interface, native, loopback}) >= 0 &&
                      loopback == one_machine && !is_inner_interface(one.interface);
    const bool known = std::ranges::find(offers, name_of(one), name_of) != offers.end();
    if (fits && !known && offers.size() < offers_most) offers.push_back(one);
  }
  return offers;
}

std::string offers_words(std::span<const Offer> offers, std::span<const profile::Cell> cells) {
  constexpr double clear_margin = 0.9;  // guess: share of the time
  const std::string present = name_of(offers.front());
  if (offers.size() < 2) return present + " is the only offer that fits";
  const Offer* best = nullptr;
  Comparison best_short, best_long;
  int rounds = 0;
  for (const Offer& one : offers.subspan(1)) {
    auto at = [&](std::int64_t bytes) {
      return compare(cells, offers_question, name_of(one).c_str(), present.c_str(), bytes, "");
    };
    const Comparison brief = at(sizes_of_offers[0]), lengthy = at(sizes_of_offers[1]);
    rounds = std::max(rounds, brief.rounds);
    auto clear = [](const Comparison& seen) {
      return seen.first_is_better() && seen.ratio < clear_margin;
    };
    const bool is_best = !best || brief.ratio * lengthy.ratio < best_short.ratio * best_long.ratio;
    if (!clear(brief) || !clear(lengthy) || !is_best) continue;
    best = &one;
    best_short = brief;
    best_long = lengthy;
  }
  if (rounds < rounds_min) return "too few rounds to compare " + present + " with other offers";
  if (!best)
    return fmt::format("{} stays: of {} offers none is clearly quicker, both at 8 B and at 1 MiB",
                       present, offers.size());
  return fmt::format(
      "{} is quicker than {} (8 B: {:.2f} of its time, 1 MiB: {:.2f}, {} rounds); to take it, set "
      "BATON_NETWORK_PROVIDER='{}' and BATON_NETWORK_INTERFACE={}, and measure again with them",
      name_of(*best), present, best_short.ratio, best_long.ratio, rounds, best->provider,
      best->interface);
}

namespace {

void add_host(std::vector<std::string>& hosts, const std::string& word) {
  const std::string name = word.substr(0, word.find(':'));
  if (!name.empty() && std::ranges::find(hosts, name) == hosts.end()) hosts.push_back(name);
}

}  // namespace

std::vector<std::string> hosts_in_list(const std::string& list) {
  std::vector<std::string> hosts;
  std::istringstream words(list);
  for (std::string word; std::getline(words, word, ',');) add_host(hosts, word);
  return hosts;
}

std::vector<std::string> hosts_in_file(const std::string& text) {
  std::vector<std::string> hosts;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line.substr(0, line.find('#')));
    if (std::string word; words >> word) add_host(hosts, word);
  }
  return hosts;
}

bool is_from_baton(const std::string& line) {
  return line.find("baton: ") != std::string::npos || line.find("mpiexec: ") != std::string::npos;
}

std::string cause_in(const std::string& output) {
  std::istringstream lines(output);
  std::string first;
  for (std::string line; std::getline(lines, line);) {
    const bool is_news = line.find("handing over to ") != std::string::npos ||
                         line.find_first_not_of(" \t\r") == std::string::npos;
    if (is_news) continue;
    if (is_from_baton(line)) return line;
    if (first.empty()) first = line;
  }
  return first.empty() ? "it printed nothing" : first;
}

}  // namespace baton::cli::tune
