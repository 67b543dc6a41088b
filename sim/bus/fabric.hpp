// The shared bus (or the links of a ring or mesh) and its arbiter. Roots call move(), which returns
// when the bytes are through; Machine loads it before each case. A transfer holds all links of its
// route at once, from grant to end. Among those that could be granted, the next root in turn wins.
// On a ring or mesh the earlier transfers hold their links, too.
#pragma once

#include <deque>
#include <systemc>

#include "sim/bus/clock.hpp"
#include "sim/bus/route.hpp"

namespace baton::bus {

/// What root number `root_index` wants to move.
struct Move {
  int root_index = 0;
  int from = 0;
  int to = 0;
  Bytes bytes = 0;
  bool is_request = false;  // only a header: the root asks a node for its block
};

struct Phases {
  Cycles granted = 0;
  Cycles data = 0;
  Cycles ended = 0;
};

class FabricInterface : public sc_core::sc_interface {
 public:
  /// Blocks the calling process until all is through.
  virtual Phases move(const Move& wanted) = 0;
};

class Fabric : public sc_core::sc_module, public FabricInterface {
 public:
  SC_HAS_PROCESS(Fabric);
  Fabric(const sc_core::sc_module_name& name, int roots_max, Running& running);

  void load();
  Phases move(const Move& wanted) override;

 private:
  struct Request {
    bool waits = false;
    Route path;
  };

  void arbitrate();
  void hold_for_earlier_transfers();
  bool is_free(const Route& path, Cycles& free_from) const;

  Running& running_;
  std::vector<Request> requests_;  // a root each
  std::vector<bool> held_;         // a link each
  std::vector<Cycles> free_from_;  // a link each: the earlier transfers on it have ended
  std::deque<sc_core::sc_event> granted_;
  sc_core::sc_event look_;
  std::size_t turn_ = 0;  // the root that is asked first
};

}  // namespace baton::bus
