// A root: reads the status, decides whom to serve next, waits until that node can take or give its
// block, and moves it. Machine begins it; one process runs through all cases. Every block of its
// collective is moved once, or named as undelivered.
#pragma once

#include <systemc>

#include "sim/bus/fabric.hpp"
#include "sim/bus/node.hpp"

namespace baton::bus {

class Root : public sc_core::sc_module {
 public:
  SC_HAS_PROCESS(Root);
  Root(const sc_core::sc_module_name& name, int index, Running& running);

  sc_core::sc_port<FabricInterface> fabric;
  sc_core::sc_port<NodeInterface, 0> nodes;

  void begin() { begin_.notify(sc_core::SC_ZERO_TIME); }
  bool done() const { return done_; }
  void expect() { done_ = false; }

 private:
  void run();
  void serve_all();
  void serve(int node);
  void read_status();
  bool wait_for(int node);

  const int index_;
  Running& running_;
  bool done_ = true;
  int rank_ = 0;
  std::vector<int> pending_;
  std::vector<StatusEntry> status_;
  sc_core::sc_event begin_;
};

}  // namespace baton::bus
