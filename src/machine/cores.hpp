// `mpiexec --cores` says which of the machine's CPUs a job takes. This is pure: words and machine
// in, a machine with fewer CPUs out, which placement then uses as if it were the whole machine.
#pragma once

#include <expected>
#include <string>
#include <vector>

#include "machine/machine.hpp"

namespace baton::machine {

struct CoreChoice {
  enum class Kind {
    all,
    objects,  // the CPUs of some packages, NUMA nodes, ...
    spread,   // ranks are dealt out over NUMA nodes, neighbors staying together
    listed,   // the CPUs themselves, in the order in which ranks take them
  };
  Kind kind = Kind::all;
  Level level = Level::machine;   // the kind of objects that `numbers` count
  std::vector<int> numbers = {};  // of objects, or CPUs
  int nodes = 0;                  // for `spread`: how many NUMA nodes with CPUs; 0: all

  bool operator==(const CoreChoice&) const = default;
};

// Reads all | LEVEL:LIST | spread[:N] | LIST, where LEVEL is package (or socket), numa (or node),
// l3, l2 or core and LIST is 0-3,8. The error says what is wrong, and lists the valid words.
std::expected<CoreChoice, std::string> read_core_choice(const std::string& text);

// Returns the machine with only the chosen CPUs; those of a list are in the list's order. The error
// names the objects that the machine does not have, and those that it has.
std::expected<Machine, std::string> with_cores(const Machine& machine, const CoreChoice& choice);

// Returns the choice in words, for the reason of a plan: "package 0", "2 NUMA nodes", "CPUs 0-3,8";
// empty for all.
std::string words_of(const CoreChoice& choice);

// Returns the NUMA nodes that have usable CPUs, ascending.
std::vector<int> nodes_with_cpus(const Machine& machine);

}  // namespace baton::machine
