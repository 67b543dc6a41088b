// The model put together: nodes, roots and the fabric between them. Commands and tests make one a
// process (SystemC elaborates once) and simulate case after case with it. Between cases nothing is
// under way.
#pragma once

#include <expected>
#include <memory>
#include <string>

#include "sim/bus/case.hpp"

namespace baton::bus {

class Machine {
 public:
  /// For cases of at most so many nodes and roots. A second machine in a process is refused by
  /// SystemC.
  Machine(int nodes_most, int roots_most);
  ~Machine();
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  /// The outcome, or why the case cannot be simulated.
  std::expected<Outcome, std::string> simulate(const Case& given);

  /// How many cycles and cases it has simulated so far.
  Cycles cycles() const { return cycles_; }
  std::uint64_t cases() const { return cases_; }

 private:
  struct Parts;
  std::string check(const Case& given, const Outcome& outcome) const;

  std::unique_ptr<Parts> parts_;
  Cycles cycles_ = 0;
  std::uint64_t cases_ = 0;
};

}  // namespace baton::bus
