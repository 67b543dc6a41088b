// A node: its channel, busy with an earlier transfer or idle, and the blocks it took or gave.
// Roots ask it through NodeInterface; Machine loads it before each case.
// It becomes idle exactly in the cycle in which the last bytes of its earlier transfer are through.
#pragma once

#include <systemc>

#include "sim/bus/clock.hpp"
#include "sim/bus/order.hpp"

namespace baton::bus {

class NodeInterface : public sc_core::sc_interface {
 public:
  /// Can a block be moved now?
  virtual bool idle() const = 0;
  /// Happens when it becomes idle.
  virtual const sc_core::sc_event& became_idle() const = 0;
  /// What its row of the status tells now.
  virtual StatusEntry status() const = 0;
  /// Dead nodes refuse even what is pushed into them.
  virtual bool refuses() const = 0;
  /// The block of the root with this number has moved.
  virtual void count_block(int root_index) = 0;
};

class Node : public sc_core::sc_module, public NodeInterface {
 public:
  SC_HAS_PROCESS(Node);
  Node(const sc_core::sc_module_name& name, int rank, const Running& running);

  /// Before a case: the earlier transfer begins to run out.
  void load();
  int blocks_of(int root_index) const { return blocks_[static_cast<std::size_t>(root_index)]; }

  bool idle() const override { return idle_; }
  const sc_core::sc_event& became_idle() const override { return became_idle_; }
  StatusEntry status() const override;
  bool refuses() const override;
  void count_block(int root_index) override { ++blocks_[static_cast<std::size_t>(root_index)]; }

 private:
  void end_earlier_transfer();

  const int rank_;
  const Running& running_;
  bool idle_ = true;
  std::vector<int> blocks_;
  sc_core::sc_event earlier_ended_;
  sc_core::sc_event became_idle_;
};

}  // namespace baton::bus
