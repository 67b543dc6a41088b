#include "sim/bus/cost.hpp"

#include <bit>

namespace baton::bus {

namespace {

std::uint64_t divided_up(std::uint64_t value, std::uint64_t by) {
  return (value + by - 1) / by;
}

/// Levels of a tree of two-input elements over `leaves`.
Cycles levels(std::uint64_t leaves) {
  return leaves <= 1 ? 1 : static_cast<Cycles>(std::bit_width(leaves - 1));
}

}  // namespace

int left_bits(Bytes longest) {
  return std::bit_width(data_cycles(longest));
}

int class_bits(Bytes longest) {
  int powers = std::bit_width(std::bit_ceil(data_cycles(longest)));
  return std::bit_width(static_cast<unsigned>(powers));
}

std::vector<Cost> status_costs(int nodes, const HardwareAssumptions& assumed) {
  auto count = static_cast<std::uint64_t>(nodes - 1);
  auto entry = static_cast<std::uint64_t>(1 + left_bits(assumed.longest));
  auto word = static_cast<std::uint64_t>(assumed.word_bits);
  auto classes = static_cast<std::uint64_t>(class_bits(assumed.longest));
  return {
      {.design = "idle lines",
       .what = "a wire a node into a register, a priority encoder; busy nodes in order of rank",
       .bits = count,
       .wires = count,
       .write_ports = count,
       .read_ports = 1,
       .look_up = 1,
       .look_up_again = 1},
      {.design = "table read over the bus",
       .what = "each node keeps its own counter; the root reads a word a node",
       .bits = count * entry,
       .wires = 0,
       .write_ports = 0,
       .read_ports = count,
       .look_up = count,
       .look_up_again = count},
      {.design = "table at the root",
       .what = "nodes report begin and length, counters at the root run down; read in packed words",
       .bits = count * entry,
       .wires = count * 2,
       .write_ports = count,
       .read_ports = 1,
       .look_up = divided_up(count, word / entry ? word / entry : 1),
       .look_up_again = divided_up(count, word / entry ? word / entry : 1)},
      {.design = "classes at the root",
       .what = "as the table, but of what is left only a class is kept",
       .bits = count * classes,
       .wires = count * classes,
       .write_ports = count,
       .read_ports = 1,
       .look_up = divided_up(count * classes, word),
       .look_up_again = divided_up(count * classes, word)},
      {.design = "tree of comparators",
       .what = "counters at the root and a pipelined tree that yields the least, a level a cycle",
       .bits = count * entry + (count - 1) * (entry + levels(count)),
       .wires = count * 2,
       .write_ports = count,
       .read_ports = count,
       .comparators = count - 1,
       .look_up = levels(count),
       .look_up_again = 1},
  };
}

Json cost_formulas() {
  return {{"n", "nodes but the root"},
          {"entry", "1 idle bit + bits of (longest / 4 bytes), rounded up"},
          {"class_bits", "bits that tell idle and the powers of two up to longest / 4 bytes"},
          {"per_word", "entries that fit a word; one at least"},
          {"idle lines", "n bits, n wires, look-up 1"},
          {"table read over the bus", "n x entry bits, in the nodes; look-up n"},
          {"table at the root",
           "n x entry bits, 2n wires (begin, end); look-up n / per_word, rounded up"},
          {"classes at the root", "n x class bits; look-up n x class bits / word, rounded up"},
          {"tree of comparators",
           "n x entry bits + (n - 1) registers of entry + log2 n bits, n - 1 comparators; look-up "
           "log2 n, "
           "rounded up; then a choice a cycle"},
          {"left out", "area and delay of gates, wiring length, clock domains, power"}};
}

Json describe(const Cost& cost) {
  return {{"design", cost.design},
          {"what", cost.what},
          {"bits", cost.bits},
          {"wires", cost.wires},
          {"write_ports", cost.write_ports},
          {"read_ports", cost.read_ports},
          {"comparators", cost.comparators},
          {"look_up", cost.look_up},
          {"look_up_again", cost.look_up_again}};
}

}  // namespace baton::bus
