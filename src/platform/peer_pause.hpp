// This waits patiently for another process that is in the middle of something short. Layers 5 and 6
// use it.
#pragma once

#include <cstdint>

#include "base/check.hpp"
#include "platform/futex.hpp"

namespace baton::platform {

// Waits for a peer that is in the middle of a message, mostly between two stores. Called
// repeatedly, it first pauses, then yields, and at last sleeps, since the peer must have been
// descheduled or stopped.
class PeerPause {
 public:
  void operator()() {
    if (BATON_LIKELY((++times_ & 63) != 0)) return pause_cpu();
    give_way();
  }

 private:
  BATON_COLD void give_way();
  std::uint32_t times_ = 0;
};

}  // namespace baton::platform
