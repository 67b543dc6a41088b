// This is the order in which one rank serves the others of a collective that goes by messages, and
// how many at a time (base/order.hpp). With order=status it looks before each choice how busy they
// are: ranks of its node by the status board, others by what their packets say
// (message/core/outstanding.hpp).
// Invariant: each rank is served once; only the order depends on how busy the ranks are.
#pragma once

#include <climits>

#include "base/order.hpp"
#include "collective/run.hpp"

namespace baton::collective {

// Returns the order in which a rank serves in this kind of collective on the run's communicator.
Order serving_order(const Run& run, Kind kind);

// Tells the root how busy this rank is, before the root serves it, if the root is on another node,
// serves by status and was told something else before.
void tell_root(const Run& run, Kind kind, const message::Context& context, int root);

class Serving {
 public:
  // Serves the ranks of a context from `first` on, round to the one before it; all except `but`,
  // which may be none of them.
  Serving(Run& run, const message::Context& context, Order order, int first, int but);

  bool more() const { return left_ > 0; }
  // Returns whether another may be begun: if few messages of this kind, longer than `bytes`, are
  // under way, or if this was asked in vain for long. Some messages that do not come must not keep
  // all others waiting.
  bool may_begin(message::RequestKind kind, std::int64_t bytes) {
    return at_once_ == no_bound || run_.under_way(kind, bytes) < at_once_ || ++looks_ > patience_;
  }
  // Returns the rank to be served now. The caller has checked more().
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
  int* waiting_ = nullptr;  // by status: the ranks that are left
  int left_ = 0;
  int at_ = 0;  // by rank: the next one
  int but_;
  int at_once_ = no_bound;
  int looks_ = 0;
  int patience_ = INT_MAX;
};

}  // namespace baton::collective
