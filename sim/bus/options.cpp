#include "sim/bus/options.hpp"

#include <fmt/format.h>

#include <charconv>

#include "sim/bus/report.hpp"

namespace baton::bus {

namespace {

template <class T>
void add_words(CLI::App& command, const char* name, T& value, const char* what,
               std::initializer_list<T> choices) {
  std::map<std::string, T> words;
  for (T choice : choices) words[word_of(choice)] = choice;
  std::string list;
  for (const auto& word : words) list += (list.empty() ? "" : "|") + word.first;
  command
      .add_option_function<std::string>(
          name, [&value, words](const std::string& word) { value = words.at(word); }, what)
      ->check(CLI::Validator(
          [words, list](std::string& word) {
            return words.contains(word) ? std::string()
                                        : fmt::format("{} is none of {}", word, list);
          },
          list));
}

bool read_number(std::string_view text, std::uint64_t& value) {
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && !text.empty();
}

/// "" when `text` could be put into `channels`.
std::string put_busy(const std::string& text, std::vector<Channel>& channels) {
  auto wrong = [&](const char* what) {
    return fmt::format("--busy {}: {}; give RANK:LEFT, RANK:LEFT:EARLIER, RANK:never or RANK:dead",
                       text, what);
  };
  std::vector<std::string> parts = CLI::detail::split(text, ':');
  std::uint64_t rank = 0;
  if (parts.size() < 2 || parts.size() > 3 || !read_number(parts[0], rank))
    return wrong("it is not understood");
  if (rank >= channels.size()) return wrong("there is no such rank");
  Channel& channel = channels[rank];
  if (channel != Channel{}) return wrong("the rank is given twice");
  if (parts.size() == 2 && (parts[1] == "never" || parts[1] == "dead")) {
    channel.condition = parts[1] == "never" ? Condition::never : Condition::dead;
    return {};
  }
  if (!read_number(parts[1], channel.left)) return wrong("LEFT is no number of bytes");
  channel.earlier = channel.left;
  if (parts.size() == 3 &&
      (!read_number(parts[2], channel.earlier) || channel.earlier < channel.left))
    return wrong("EARLIER is no number of bytes, or less than LEFT");
  return {};
}

}  // namespace

void add_overhead_options(CLI::App& command, Overhead& overhead) {
  CLI::Range cycles(0, 1'000'000);
  auto add = [&](const char* name, Cycles& value, const char* what) {
    command.add_option(name, value, what)
        ->check(cycles)
        ->capture_default_str()
        ->type_name("CYCLES");
  };
  add("--arbitration", overhead.arbitration, "from a request that can be granted to the grant");
  add("--header", overhead.header, "before the data of each transfer");
  add("--look-up", overhead.look_up, "reading the status");
  add_words(command, "--look-up-counts", overhead.look_up_counts,
            "those cycles are for all nodes or for each (once)", {LookUp::once, LookUp::per_node});
  add("--hand-shake", overhead.hand_shake, "after the data of each transfer");
}

void add_operation_option(CLI::App& command, Operation& operation) {
  add_words(command, "--operation", operation, "what the roots do (scatter)",
            {Operation::scatter, Operation::gather});
}

void add_case_options(CLI::App& command, CaseOptions& options) {
  Case& given = options.given;
  Draw& draw = options.draw;
  CLI::Range share(0.0, 1.0);
  CLI::Range bytes(std::uint64_t{0}, std::uint64_t{1} << 40);
  command.add_option("--nodes", given.nodes, "nodes, 2 to 1024")->capture_default_str();
  command
      .add_option("--roots", given.roots, "ranks of the roots, each with a collective of its own")
      ->delimiter(',')
      ->capture_default_str();
  add_operation_option(command, given.operation);
  command.add_option("--message", options.message, "bytes of each node's block")
      ->check(bytes)
      ->capture_default_str();
  command.add_option("--blocks", options.blocks, "bytes of the nodes' blocks, one a node")
      ->delimiter(',')
      ->check(bytes);
  command
      .add_option("--busy", options.busy,
                  "busy nodes: RANK:LEFT[:EARLIER] in bytes, RANK:never or RANK:dead; else drawn")
      ->delimiter(',');
  command.add_option("--idle-share", draw.idle_share, "share of nodes that are idle")
      ->check(share)
      ->capture_default_str();
  command
      .add_option_function<int>(
          "--busy-count",
          [&draw](int count) {
            draw.busy = Busy::count;
            draw.busy_count = count;
          },
          "so many nodes are busy, whatever the share")
      ->check(CLI::Range(0, nodes_max));
  command.add_flag_callback(
      "--each", [&draw] { draw.busy = Busy::each; },
      "draw each node for itself, not just as many as the share says");
  add_words(command, "--left", draw.left, "what is left of earlier transfers (whole)",
            {Left::whole, Left::drawn});
  command.add_option("--earlier", draw.earlier, "bytes of earlier transfers")
      ->check(bytes)
      ->capture_default_str();
  command.add_option("--seed", draw.seed, "of all that is drawn")->capture_default_str();
  add_words(command, "--start", given.start,
            "rank order begins when all nodes are idle, or waits for the next one only (all)",
            {Start::all, Start::next});
  add_words(
      command, "--detail", given.detail,
      "what the status tells of busy nodes: bytes left, their power of two, or nothing (bytes)",
      {Detail::bytes, Detail::classes, Detail::idle_only});
  command.add_flag("--read-again", given.read_again, "read the status before each transfer");
  add_overhead_options(command, given.overhead);
  add_words(command, "--topology", given.topology, "what joins the nodes (bus)",
            {Topology::bus, Topology::ring, Topology::mesh});
  command.add_option("--hop", given.hop, "cycles a link of a ring or mesh takes")
      ->check(CLI::Range(0, 1000))
      ->capture_default_str();
  command.add_option("--wrong-share", options.wrong_share, "share of the status that is wrong")
      ->check(share)
      ->capture_default_str();
  command.add_option("--age", options.age, "entries of the status are up to so many cycles old")
      ->check(bytes)
      ->capture_default_str();
  command.add_option("--patience", given.patience, "cycles after which roots wait for no node")
      ->check(bytes)
      ->capture_default_str();
}

std::expected<Case, std::string> case_of(const CaseOptions& options) {
  Case made = options.given;
  if (made.nodes < 2 || made.nodes > nodes_max)
    return std::unexpected(fmt::format("--nodes {}: give 2 to {}", made.nodes, nodes_max));
  auto count = static_cast<std::size_t>(made.nodes);
  if (!options.blocks.empty() && options.blocks.size() != count)
    return std::unexpected(
        fmt::format("--blocks has {} sizes for {} nodes: give one a node (the "
                    "root's is not used), or --message for all",
                    options.blocks.size(), count));
  for (int root : made.roots)
    if (root < 0 || root >= made.nodes)
      return std::unexpected(
          fmt::format("--roots {}: give ranks from 0 to {}", root, made.nodes - 1));
  made.blocks =
      options.blocks.empty() ? std::vector<Bytes>(count, options.message) : options.blocks;
  const Draw& draw = options.draw;
  if (options.busy.empty()) {
    made.channels = draw_channels(made.nodes, made.roots, draw);
  } else {
    made.channels.resize(count);
    for (const std::string& text : options.busy)
      if (std::string wrong = put_busy(text, made.channels); !wrong.empty())
        return std::unexpected(wrong);
  }
  made.flaws = draw_flaws(made.nodes, options.wrong_share, options.age, draw.earlier, draw.seed);
  if (std::string wrong = complaint(made); !wrong.empty())
    return std::unexpected("--roots, --message or --blocks: " + wrong);
  return made;
}

}  // namespace baton::bus
