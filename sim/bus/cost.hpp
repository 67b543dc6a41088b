// What it would cost to keep the status in hardware: bits, wires, ports, comparators, cycles of
// look-up. On paper: formulas with stated assumptions. Pure; called by the command `beyond`.
// Nothing here is measured or synthesized.
#pragma once

#include <vector>

#include "sim/bus/report.hpp"

namespace baton::bus {

struct HardwareAssumptions {
  Bytes longest = 65536;  // the longest transfer whose rest has to be told
  int word_bits = 32;     // what the root reads in a cycle
};

struct Cost {
  const char* design = "";
  const char* what = "";
  std::uint64_t bits = 0;         // of storage
  std::uint64_t wires = 0;        // from the nodes to the root
  std::uint64_t write_ports = 0;  // of the storage at the root
  std::uint64_t read_ports = 0;
  std::uint64_t comparators = 0;  // of two entries
  Cycles look_up = 0;             // until the root has its first choice
  Cycles look_up_again = 0;       // until it has the next one, when it reads again
};

/// Bits of a counter of what is left, in words of the bus.
int left_bits(Bytes longest);

/// Bits that tell idle, or the power of two that what is left is rounded up to.
int class_bits(Bytes longest);

std::vector<Cost> status_costs(int nodes, const HardwareAssumptions& assumed);

/// The formulas behind status_costs(), in words.
Json cost_formulas();
Json describe(const Cost& cost);

}  // namespace baton::bus
