// The order in which one rank serves the others of a collective that goes by messages, and how many
// at a time (base/order.hpp). By status it looks before each choice how busy they are: ranks of its
// node by the status board, others by what their packets say (message/core/outstanding.hpp).
// Invariant: each rank once; nothing but the order depends on what is said.
#pragma once

#include <climits>

#include "base/order.hpp"
#include "collective/run.hpp"

namespace baton::collective {

// How a rank serves in this kind of collective on the run's communicator.
Order serving_order(const Run& run, Kind kind);

// A rank that a root is going to serve tells it how busy it is, if it is on another node, serves by
// status and has heard something else.
void tell_root(const Run& run, Kind kind, const message::Context& context, int root);

class Serving {
 public:
  // The ranks of a context from `first` on, round to the one before it; all but `but`, which may be
  // none of them.
  Serving(Run& run, const message::Context& context, Order order, int first, int but);

  bool more() const { return left_ > 0; }
  // Whether another may be begun: of messages of this kind, longer than so many bytes, few are
  // under way, or it has been asked in vain for long. Some that do not come must not keep all
  // others waiting.
  bool may_begin(message::RequestKind kind, std::int64_t bytes) {
    return at_once_ == no_bound || run_.under_way(kind, bytes) < at_once_ || ++looks_ > patience_;
  }
  // Whom now. There are more.
  int next() {
    looks_ = 0;
    return waiting_ ? next_by_status() : next_by_rank();
  }

 private:
  static constexpr int no_bound = 0;
  int next_by_rank();
  int next_by_status();

  Run& run_;
  const message::Context& context_;
  int* waiting_ = nullptr;  // by status: who is left
  int left_ = 0;
  int at_ = 0;  // by rank: the next
  int but_;
  int at_once_ = no_bound;
  int looks_ = 0;
  int patience_ = INT_MAX;
};

}  // namespace baton::collective
