#include "machine/cores.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string_view>

#include "base/nearest_name.hpp"

namespace baton::machine {

namespace {

constexpr int number_max = 8192;  // Linux on x86-64 can be built for so many CPUs, and no more

// These are the words before a list, each with its level; then the words without a level.
constexpr const char* words[] = {"package", "socket", "numa",   "node", "l3",
                                 "l2",      "core",   "spread", "all"};
constexpr Level levels[] = {Level::package, Level::package, Level::numa, Level::numa,
                            Level::l3,      Level::l2,      Level::core};

constexpr const char* valid =
    "it takes all, package:LIST (or socket:LIST), numa:LIST (or node:LIST), l3:LIST, l2:LIST, "
    "core:LIST, spread[:NODES], or the CPUs themselves as a LIST such as 0-3,8";

std::unexpected<std::string> wrong(const std::string& problem) {
  return std::unexpected(problem + "; " + valid);
}

// Takes a number from the front of `text`, which it shortens; -1: there is none.
int take_number(std::string_view& text) {
  int value = -1;
  while (!text.empty() && text[0] >= '0' && text[0] <= '9' && value < number_max) {
    value = std::max(value, 0) * 10 + (text[0] - '0');
    text.remove_prefix(1);
  }
  return value < number_max ? value : -1;
}

std::expected<std::vector<int>, std::string> read_list(std::string_view text) {
  const std::string whole(text);
  std::vector<int> numbers;
  while (true) {
    const int first = take_number(text);
    int last = first;
    if (!text.empty() && text[0] == '-') {
      text.remove_prefix(1);
      last = take_number(text);
    }
    if (first < 0 || last < first) return wrong('"' + whole + "\" is no list of numbers");
    for (int number = first; number <= last; ++number) {
      if (std::ranges::find(numbers, number) != numbers.end())
        return wrong('"' + whole + "\" names " + std::to_string(number) + " twice");
      numbers.push_back(number);
    }
    if (text.empty()) return numbers;
    if (text[0] != ',') return wrong('"' + whole + "\" is no list of numbers");
    text.remove_prefix(1);
  }
}

std::expected<CoreChoice, std::string> read_spread(std::string_view number) {
  CoreChoice choice{.kind = CoreChoice::Kind::spread};
  if (number.empty()) return choice;
  number.remove_prefix(1);
  choice.nodes = take_number(number);
  if (choice.nodes < 1 || !number.empty())
    return wrong("after spread: comes a number of NUMA nodes, at least 1");
  return choice;
}

std::expected<CoreChoice, std::string> listed(const std::string& text) {
  auto numbers = read_list(text);
  if (!numbers) return std::unexpected(numbers.error());
  return CoreChoice{CoreChoice::Kind::listed, Level::hwthread, *numbers, 0};
}

// Returns every number that the usable CPUs have at a level, in topology order.
std::vector<int> numbers_at(const Machine& machine, Level level) {
  std::vector<int> numbers;
  for (const Cpu& cpu : machine.cpus) {
    const int number = object_of(cpu, level);
    if (number >= 0 && std::ranges::find(numbers, number) == numbers.end())
      numbers.push_back(number);
  }
  return numbers;
}

}  // namespace

std::expected<CoreChoice, std::string> read_core_choice(const std::string& text) {
  const std::size_t colon = text.find(':');
  const std::string_view word = std::string_view(text).substr(0, colon);
  if (text == "all") return CoreChoice{};
  if (word == "spread") return read_spread(std::string_view(text).substr(word.size()));
  if (!text.empty() && text[0] >= '0' && text[0] <= '9') return listed(text);
  const auto known = std::ranges::find(words, words + std::size(levels), word);
  if (known == words + std::size(levels)) {
    const char* near = nearest_name(word, words);
    return wrong('"' + std::string(word) + "\" is not known" +
                 (near ? std::string("; did you mean ") + near + '?' : ""));
  }
  if (colon == std::string::npos)
    return wrong('"' + text + "\" needs a list of numbers behind it, as in " + text + ":0");
  auto numbers = read_list(std::string_view(text).substr(colon + 1));
  if (!numbers) return std::unexpected(numbers.error());
  return CoreChoice{CoreChoice::Kind::objects, levels[known - words], *numbers, 0};
}

std::vector<int> nodes_with_cpus(const Machine& machine) {
  std::vector<int> nodes = numbers_at(machine, Level::numa);
  std::ranges::sort(nodes);
  return nodes;
}

std::expected<Machine, std::string> with_cores(const Machine& machine, const CoreChoice& choice) {
  if (choice.kind == CoreChoice::Kind::all) return machine;
  std::vector<int> wanted = choice.numbers;
  Level level = choice.level;
  if (choice.kind == CoreChoice::Kind::spread) {
    level = Level::numa;
    wanted = nodes_with_cpus(machine);
    const int there = static_cast<int>(wanted.size());
    if (choice.nodes > std::max(there, 1))
      return std::unexpected("spread:" + std::to_string(choice.nodes) + ": this machine has " +
                             std::to_string(there) + " NUMA node" + (there == 1 ? "" : "s") +
                             " with usable CPUs");
    if (wanted.empty()) return machine;
    if (choice.nodes > 0) wanted.resize(static_cast<std::size_t>(choice.nodes));
  }
  const std::vector<int> there = numbers_at(machine, level);
  Machine chosen = machine;
  chosen.cpus.clear();
  for (int number : wanted) {
    if (std::ranges::find(there, number) == there.end())
      return std::unexpected(
          std::string("there is no usable ") + level_noun(level) + ' ' + std::to_string(number) +
          (there.empty() ? "; this machine tells of none" : "; there are " + cpu_list(there)));
    for (const Cpu& cpu : machine.cpus)
      if (object_of(cpu, level) == number) chosen.cpus.push_back(cpu);
  }
  return chosen;
}

std::string words_of(const CoreChoice& choice) {
  const bool many = choice.numbers.size() > 1;
  switch (choice.kind) {
    case CoreChoice::Kind::all:
      return "";
    case CoreChoice::Kind::spread:
      return choice.nodes
                 ? std::to_string(choice.nodes) + " NUMA node" + (choice.nodes > 1 ? "s" : "")
                 : "all NUMA nodes";
    default:
      return std::string(level_noun(choice.level)) + (many ? "s " : " ") + cpu_list(choice.numbers);
  }
}

}  // namespace baton::machine
