// These read where ranks and memory go.
#include <cctype>
#include <cstdlib>

#include "launch/options/option_reader.hpp"
#include "launch/options/value_text.hpp"
#include "lockfree/job.hpp"

namespace baton::launch {

namespace {

using machine::Level;

constexpr long threads_max = 4096;  // of a rank; beyond any machine's CPUs
constexpr const char* levels = "hwthread, core, l2, l3, numa, package (or socket), node or gpu";

std::optional<Level> level_named(const std::string& text) {
  static const std::pair<const char*, Level> names[] = {
      {"hwthread", Level::hwthread}, {"pu", Level::hwthread},   {"core", Level::core},
      {"slot", Level::core},         {"l1cache", Level::core},  {"l2", Level::l2},
      {"l2cache", Level::l2},        {"l3", Level::l3},         {"l3cache", Level::l3},
      {"numa", Level::numa},         {"numanode", Level::numa}, {"package", Level::package},
      {"socket", Level::package},    {"board", Level::machine}, {"machine", Level::machine},
      {"node", Level::machine},
  };
  const std::string name = lower_case(text);
  for (const auto& [known, level] : names)
    if (name == known) return level;
  return std::nullopt;
}

// Returns whether a word of --map-by means devices.
bool means_devices(const std::string& word) {
  return word == "gpu" || word == "device";
}

constexpr const char* modifiers =
    "after the level come pe=N, oversubscribe, nooversubscribe, hwtcpus, separated by colons";

// Reads a modifier behind the level of --map-by.
void read_modifier(Reader& reader, const std::string& text) {
  Options& options = reader.options;
  const std::string word = lower_case(text);
  if (word.starts_with("pe=")) {
    auto width = number_in(word.substr(3), 1, threads_max);
    if (!width)
      return reader.fail(": " + text + ": CPUs of a rank are a number from 1 to " +
                         std::to_string(threads_max));
    options.width = static_cast<int>(*width);
  } else if (word.starts_with("pe-list=")) {
    auto choice = machine::read_core_choice("core:" + word.substr(8));
    if (!choice) return reader.fail(": " + text + ": " + choice.error());
    options.cores = *choice;
  } else if (word == "oversubscribe") {
    options.may_share = true;
  } else if (word == "nooversubscribe") {
    options.may_not_share = true;
  } else if (word == "hwtcpus") {
    options.hwthreads = true;
  } else if (word == "span") {
    options.ranking = {machine::Ranking::Kind::span, {}};
  } else if (word == "display" || word == "displayalloc") {
    options.report_binding = true;
  } else if (word != "corecpus" && word != "inherit" && word != "noinherit" && word != "ordered") {
    reader.fail(": \"" + text + "\" is not known; " + modifiers);
  }
}

// Reads ppr:N:OBJECT.
void read_per_object(Reader& reader, const std::vector<std::string>& parts) {
  auto count = parts.size() > 1 ? number_in(parts[1], 1, lockfree::ranks_max) : std::nullopt;
  const bool by_device = parts.size() > 2 && means_devices(lower_case(parts[2]));
  const Level level =
      parts.size() > 2 ? level_named(parts[2]).value_or(Level::hwthread) : Level::hwthread;
  if (!count || parts.size() < 3 || (!level_named(parts[2]) && !by_device))
    return reader.fail(std::string(": ranks on each object are ppr:N:OBJECT, where OBJECT is ") +
                       levels);
  Options& options = reader.options;
  if (level == Level::machine) {
    options.per_node = static_cast<int>(*count);
    options.per_node_most = true;
    return;
  }
  options.per_object = static_cast<int>(*count);
  options.map_by = by_device ? Level::core : level;
  options.by_device = by_device;
}

// Reads RANKSxTHREADS or 1+RANKSxTHREADS; 0 ranks: it is neither.
Layout layout_of(const std::string& text) {
  const bool master = text.starts_with("1+");
  const std::size_t from = master ? 2 : 0, times = text.find_first_of("xX", from);
  if (times == std::string::npos) return {};
  auto ranks = number_in(text.substr(from, times - from), 1, lockfree::ranks_max - master);
  auto threads = number_in(text.substr(times + 1), 1, threads_max);
  if (!ranks || !threads) return {};
  return {static_cast<int>(*ranks), static_cast<int>(*threads), master};
}

void take_per_node(Reader& reader, bool most) {
  reader.options.per_node =
      static_cast<int>(reader.number("a number of ranks", 1, lockfree::ranks_max));
  reader.options.per_node_most = most;
}

}  // namespace

void read_per_node(Reader& reader) {
  take_per_node(reader, false);
}
void read_most_per_node(Reader& reader) {
  take_per_node(reader, true);
}

void read_one_per_node(Reader& reader) {
  reader.options.per_node = 1;
  reader.options.per_node_most = true;
}

void read_per_package(Reader& reader) {
  reader.options.per_object =
      static_cast<int>(reader.number("a number of ranks", 1, lockfree::ranks_max));
  reader.options.map_by = Level::package;
}

void read_map_by(Reader& reader) {
  const std::string text = reader.take(levels);
  if (!reader.error.empty()) return;
  const std::vector<std::string> parts = parts_of(text, ":,");
  const std::string word = lower_case(parts.front());
  std::size_t used = 1;
  if (word == "ppr") {
    read_per_object(reader, parts);
    used = 3;
  } else if (word == "seq" || word == "rankfile" || word == "rank_file" || word == "dist" ||
             word == "user") {
    return reader.fail(" " + text + ": here --cores LIST sets the CPUs that ranks take, in order");
  } else if (means_devices(word)) {
    reader.options.by_device = true;
  } else if (auto level = level_named(word)) {
    reader.options.map_by = *level == Level::machine ? Level::core : *level;
  } else if (!word.empty()) {
    return reader.fail(
        " " + text + ": it takes " + levels +
        ", or ppr:N:OBJECT for N ranks on each, and may end in :pe=N for N CPUs per rank");
  }
  for (std::size_t i = used; i < parts.size() && reader.error.empty(); ++i)
    read_modifier(reader, parts[i]);
}

void read_rank_by(Reader& reader) {
  using Kind = machine::Ranking::Kind;
  const std::string text = reader.take("slot, fill, span or an object");
  const std::string word = lower_case(text.substr(0, text.find(':')));
  auto level = level_named(word);
  machine::Ranking& ranking = reader.options.ranking;
  if (word == "slot" || word == "node" || word == "core" || word == "hwthread")
    ranking = {};
  else if (word == "fill" || word == "span")
    ranking = {word == "fill" ? Kind::fill : Kind::span, {}};
  else if (level)
    ranking = {Kind::span, *level};
  else
    reader.fail(" " + text + ": it takes slot, fill, span, l2, l3, numa or package");
}

void read_bind_to(Reader& reader) {
  const char* what = "none, hwthread, core, l2, l3, numa or package";
  const std::string text = reader.take(what);
  if (!reader.error.empty()) return;
  const std::vector<std::string> parts = parts_of(text, ":,");
  const std::string word = lower_case(parts.front());
  auto level = word == "none" ? Level::machine : level_named(word);
  Options& options = reader.options;
  if (level) options.bind_to = *level;
  if (word == "user" || word == "cpu-list")
    return reader.fail(" " + text + ": here --cores LIST sets the CPUs that ranks take, in order");
  if (!level && !(word.empty() && parts.size() > 1))
    return reader.fail(" " + text + ": it takes " + what + ", and may end in :overload-allowed");
  for (std::size_t i = 1; i < parts.size(); ++i) {
    const std::string modifier = lower_case(parts[i]);
    auto width = number_in(modifier, 1, threads_max);  // MPICH: how many of them for each rank
    if (modifier == "overload-allowed")
      options.may_share = true;
    else if (width && (options.bind_to == Level::core || options.bind_to == Level::hwthread))
      options.width = static_cast<int>(*width);
    else if (modifier != "if-supported" && modifier != "no-overload" && modifier != "report")
      return reader.fail(" " + text + ": \"" + parts[i] +
                         "\" is not known; after the level comes "
                         "overload-allowed, or of core and hwthread how many a rank has");
    if (modifier == "report") options.report_binding = true;
  }
}

void read_cores(Reader& reader) {
  const std::string text = reader.take("which CPUs, as in package:0, spread:2 or 0-3");
  if (!reader.error.empty()) return;
  auto choice = machine::read_core_choice(text);
  if (!choice) return reader.fail(": " + choice.error());
  reader.options.cores = *choice;
}

void read_cpu_set(Reader& reader) {
  const std::string text = reader.take("numbers of cores, as in 0-3,8");
  if (!reader.error.empty()) return;
  auto choice = machine::read_core_choice("core:" + text);
  if (!choice) return reader.fail(": " + choice.error());
  reader.options.cores = *choice;
}

void read_hwthreads(Reader& reader) {
  reader.options.hwthreads = true;
}
void read_oversubscribe(Reader& reader) {
  reader.options.may_share = true;
}
void read_no_oversubscribe(Reader& reader) {
  reader.options.may_not_share = true;
}

// machine/configuration.hpp checks the name.
void read_config(Reader& reader) {
  reader.options.config =
      reader.take_some("local, interleave, spread, spread-interleave or remote");
}

void read_layout(Reader& reader) {
  const std::string text = reader.take("RANKSxTHREADS or 1+RANKSxTHREADS");
  reader.options.layout = layout_of(text);
  if (reader.options.layout->ranks == 0)
    reader.fail(
        " " + text +
        ": it takes RANKSxTHREADS, as in 4x8, or 1+RANKSxTHREADS for an additional master (up to " +
        std::to_string(lockfree::ranks_max) + " ranks of " + std::to_string(threads_max) +
        " threads)");
}

// The words are parsed where the machine is known (run/memory.cpp).
void read_memory(Reader& reader) {
  reader.options.memory = reader.take_some("WHAT=WHERE, for example queues=hbm");
}

void read_export_heap(Reader& reader) {
  reader.options.export_heap = true;
}

std::string place_conflict(const Options& options, long ranks) {
  if (options.may_share && options.may_not_share)
    return "ranks cannot both share CPUs and not share them; leave out oversubscribe, or "
           "nooversubscribe";
  if (!options.config.empty() && options.cores.kind != machine::CoreChoice::Kind::all)
    return "--config also sets the cores; leave out --cores (or --cpu-set), or --config";
  if (!options.config.empty() && !options.memory.empty())
    return "--config also sets the memory; leave out --memory, or --config";
  const long hosts = std::max<long>(static_cast<long>(options.hosts.size()), 1);
  if (options.per_node_most && ranks > options.per_node * hosts)
    return std::to_string(options.per_node) + " ranks on a node at most, and " +
           std::to_string(ranks) +
           " in all, make several nodes; this mpiexec starts one: leave out -n, or -N (ppr:N:node)";
  if (options.per_object > 0 && options.per_node > 0)
    return "ranks are counted for each node and for each object; leave out -ppn (-N), or ppr";
  if (!options.layout) return {};
  if (options.ranking.kind != machine::Ranking::Kind::mapped || options.per_object > 0)
    return "--layout says where ranks go; leave out --rank-by and ppr, or --layout";
  if (options.width > 0) return "--layout says how many threads a rank has; leave out :pe=N";
  if (ranks == 0 || ranks == options.layout->all_ranks()) return {};
  return "--layout makes " + std::to_string(options.layout->all_ranks()) + " ranks, -n says " +
         std::to_string(ranks) + "; leave out one of them";
}

}  // namespace baton::launch
