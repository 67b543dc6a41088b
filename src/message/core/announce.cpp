#include "message/core/announce.hpp"

#include "platform/futex.hpp"

namespace baton::message {

void announce(std::uint32_t bits) {
  transport::each_own_slot(
      [bits](transport::Slot own) { lockfree::announce(own.doorbell(), bits); });
}

void retract(std::uint32_t bits) {
  transport::each_own_slot(
      [bits](transport::Slot own) { lockfree::retract(own.doorbell(), bits); });
}

bool is_announced(std::uint32_t bits) {
  bool all = true;
  transport::each_own_slot([&all, bits](transport::Slot own) {
    // relaxed: a look at our own announcement; whoever has answered it has rung besides.
    all = all && (own.doorbell().wake.word.load(std::memory_order_relaxed) & bits) == bits;
  });
  return all;
}

void order_against_senders() {
  // Where not all senders of our own job fence, those of other jobs do all the same.
  if (engine.senders_fence)
    lockfree::Hardware::full_fence();
  else
    platform::membarrier_all();
}

}  // namespace baton::message
