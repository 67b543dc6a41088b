// What ranks do on a machine that is modelled, placed as Baton places them: the configurations of
// mpiexec --config, and any --cores and --memory, go through machine/'s own planning.
#pragma once

#include <expected>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "base/numa_policy.hpp"
#include "machine/cores.hpp"
#include "sim/machine/simulate.hpp"

namespace baton::model {

// The value, or the planning's own words, thrown.
template <class T>
T expect(std::expected<T, std::string> result) {
  if (!result) throw std::runtime_error(result.error());
  return std::move(*result);
}

// A program of which each rank moves `bytes`, each of them so many bytes read and written, with so
// many lines under way at once (nothing: as many as the core can have).
struct Program {
  double bytes = 0;
  double reads = 1;
  double writes = 0;
  std::optional<double> lines;
  Order order = Order::at_once;  // of the nodes that its memory lies on
  double computing = 0;          // seconds of each byte that its core computes besides
};

struct Plan {
  machine::CoreChoice cores;
  std::string memory = "all=near";  // as mpiexec --memory takes it
  int ranks = 0;                    // 0: one for each core
};

// Where a rank comes to be, and the nodes its memory lies on, in equal parts.
struct PlacedRank {
  int cpu;
  std::vector<int> nodes;
};

// As `mpiexec --config NAME` plans: local, interleave, spread, spread-interleave, remote. These
// functions throw std::runtime_error with the planning's own words.
Plan plan_of_configuration(const Description& description, const std::string& name, int ranks);
std::vector<PlacedRank> place(const Description& description, const Plan& plan);
// The words of mpiexec --memory; and the nodes that one of its policies means for a rank at home
// there: all of those that it takes in turn, else the first, which is large enough here.
NumaPolicies policies_of(const std::string& memory);
std::vector<int> nodes_for(const Description& description, int home, NumaPolicy policy);
// What a core does of a program whose memory lies on those nodes, in equal parts.
Work work_of(const Description& description, int cpu, const std::vector<int>& nodes,
             const Program& program);
Case case_of(const Description& description, const std::string& name,
             const std::vector<PlacedRank>& ranks, const Program& program);

}  // namespace baton::model
