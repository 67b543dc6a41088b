#include "sim/bus/machine.hpp"

#include <fmt/format.h>

#include <deque>

#include "sim/bus/root.hpp"

/// SystemC's library has a main() that calls this; our programs have their own, so nobody does.
__attribute__((visibility("default"))) int sc_main(int, char**) {
  return 0;
}

namespace baton::bus {

struct Machine::Parts {
  Running running;
  Fabric fabric;
  std::deque<Node> nodes;
  std::deque<Root> roots;

  Parts(int nodes_most, int roots_most) : fabric("fabric", roots_most, running) {
    sc_core::sc_time cycle(nanoseconds_per_cycle, sc_core::SC_NS);
    running.cycle = cycle.value();
    for (int rank = 0; rank < nodes_most; ++rank)
      nodes.emplace_back(fmt::format("node{}", rank).c_str(), rank, running);
    for (int index = 0; index < roots_most; ++index) {
      roots.emplace_back(fmt::format("root{}", index).c_str(), index, running);
      roots.back().fabric(fabric);
      for (Node& node : nodes) roots.back().nodes(node);
    }
  }
};

Machine::Machine(int nodes_most, int roots_most) {
  sc_core::sc_set_time_resolution(1, sc_core::SC_NS);  // so that 64 bits last for 2^60 cycles
  parts_ = std::make_unique<Parts>(nodes_most, roots_most);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);  // every root waits for its beginning
}

Machine::~Machine() = default;

std::expected<Outcome, std::string> Machine::simulate(const Case& given) {
  if (std::string wrong = complaint(given); !wrong.empty()) return std::unexpected(wrong);
  if (static_cast<std::size_t>(given.nodes) > parts_->nodes.size() ||
      given.roots.size() > parts_->roots.size())
    return std::unexpected(fmt::format("the model was made for {} nodes and {} roots",
                                       parts_->nodes.size(), parts_->roots.size()));
  Outcome outcome;
  outcome.transfers.reserve(given.roots.size() * static_cast<std::size_t>(given.nodes));
  Running& running = parts_->running;
  running.given = &given;
  running.outcome = &outcome;
  running.begin = sc_core::sc_time_stamp().value();
  parts_->fabric.load();
  for (int rank = 0; rank < given.nodes; ++rank)
    parts_->nodes[static_cast<std::size_t>(rank)].load();
  for (std::size_t index = 0; index < given.roots.size(); ++index) {
    parts_->roots[index].expect();
    parts_->roots[index].begin();
  }
  sc_core::sc_start();  // until nothing is under way
  cycles_ += outcome.cycles;
  ++cases_;
  if (std::string wrong = check(given, outcome); !wrong.empty()) return std::unexpected(wrong);
  return outcome;
}

/// Conservation, counted by the nodes themselves: each block once, or named as undelivered.
std::string Machine::check(const Case& given, const Outcome& outcome) const {
  std::size_t moved = 0, wanted = given.roots.size() * static_cast<std::size_t>(given.nodes - 1);
  for (std::size_t index = 0; index < given.roots.size(); ++index) {
    if (!parts_->roots[index].done()) return "a root never ended: an error of the model";
    for (int rank = 0; rank < given.nodes; ++rank) {
      int blocks = parts_->nodes[static_cast<std::size_t>(rank)].blocks_of(static_cast<int>(index));
      if (blocks > (rank == given.roots[index] ? 0 : 1))
        return fmt::format("node {} took {} blocks of root {}: an error of the model", rank, blocks,
                           given.roots[index]);
      moved += static_cast<std::size_t>(blocks);
    }
  }
  if (moved + outcome.undelivered.size() != wanted)
    return fmt::format("{} of {} blocks were moved: an error of the model", moved, wanted);
  return {};
}

}  // namespace baton::bus
