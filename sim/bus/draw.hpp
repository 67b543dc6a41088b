// Which nodes are busy and which entries of the status are flawed, drawn from a seed; the study's
// example. Pure: the same seed draws the same on every machine. Called by the commands and tests.
#pragma once

#include <cstdint>

#include "sim/bus/case.hpp"

namespace baton::bus {

/// Numbers from a seed (SplitMix64): not those of the C++ library, which differ from one to
/// another.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next();
  /// 0 to below - 1; a bias of below / 2^64 is let pass.
  std::uint64_t below(std::uint64_t limit) { return limit == 0 ? 0 : next() % limit; }
  /// At least 0, less than 1.
  double share() { return static_cast<double>(next() >> 11) * 0x1p-53; }

 private:
  std::uint64_t state_;
};

enum class Busy {
  share,  // exactly the share of the nodes that is not idle, rounded
  each,   // each node for itself, with that probability
  count,  // a number of nodes, as many as there are at most
};

enum class Left {
  whole,  // the earlier transfers begin with the collective: all of each is left
  drawn,  // from 4 bytes to all, in steps of 4, each as likely
};

struct Draw {
  Busy busy = Busy::share;
  double idle_share = 0.5;
  int busy_count = 6;
  Left left = Left::whole;
  Bytes earlier = 1536;
  std::uint64_t seed = 1;
};

/// Roots' channels are idle.
std::vector<Channel> draw_channels(int nodes, const std::vector<int>& roots, const Draw& how);

/// A share of the entries wrong, rounded; each entry up to `age_most` cycles old.
std::vector<Flaw> draw_flaws(int nodes, double wrong_share, Cycles age_most, Bytes earlier,
                             std::uint64_t seed);

/// The study's example: 32 nodes, P1 to P6 busy, four bytes a message. What P1 to P6 have left is
/// inferred from the order that the study gives and from its 8 cycles of waiting.
Case example_case();

}  // namespace baton::bus
