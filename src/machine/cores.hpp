// Which of the machine's CPUs a job takes, as the user says it: `mpiexec --cores`. Pure: words and
// machine in, a machine with fewer CPUs out, which placement then uses as if it were all there is.
#pragma once

#include <expected>
#include <string>
#include <vector>

#include "machine/machine.hpp"

namespace baton::machine {

struct CoreChoice {
  enum class Kind {
    all,
    objects,  // those of some packages, NUMA nodes, ...
    spread,   // ranks are dealt out over NUMA nodes, neighbors staying together
    listed,   // the CPUs themselves, in the order in which ranks take them
  };
  Kind kind = Kind::all;
  Level level = Level::machine;   // what `numbers` count, of `objects`
  std::vector<int> numbers = {};  // of objects, or CPUs
  int nodes = 0;                  // of `spread`: over so many NUMA nodes with CPUs; 0: over all

  bool operator==(const CoreChoice&) const = default;
};

// all | LEVEL:LIST | spread[:N] | LIST, where LEVEL is package (or socket), numa (or node), l3, l2
// or core and LIST is 0-3,8. The error says what is wrong and which words there are.
std::expected<CoreChoice, std::string> read_core_choice(const std::string& text);

// The machine with only the CPUs that were chosen; of a list, in the list's order. The error names
// what the machine does not have, and what it has.
std::expected<Machine, std::string> with_cores(const Machine& machine, const CoreChoice& choice);

// The choice in words, for the reason of a plan: "package 0", "2 NUMA nodes", "CPUs 0-3,8"; empty
// for all.
std::string words_of(const CoreChoice& choice);

// The NUMA nodes that have usable CPUs, ascending.
std::vector<int> nodes_with_cpus(const Machine& machine);

}  // namespace baton::machine
