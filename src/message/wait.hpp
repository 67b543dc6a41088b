// Waiting: spin, then yield, then sleep until a sender wakes us. How long each lasts comes from
// ranks against usable CPUs; sleeping covers every source of progress, and every sleep is bounded.
// Called by all blocking operations of floors 6 to 10.
#pragma once

#include <cstdint>

#include "message/engine.hpp"
#include "platform/futex.hpp"

namespace baton::message {

struct WaitBudget {
  std::int64_t spins = 0;
  std::int64_t yields = 0;
};
extern WaitBudget wait_budget;

// Sets the budget from settings, ranks and CPUs. Once, at start.
void set_wait_budget();

// One waiter's patience.
class Waiter {
 public:
  Waiter() = default;
  Waiter(const Waiter&) = delete;
  Waiter& operator=(const Waiter&) = delete;

  // After a round that found nothing: pauses, yields or sleeps.
  void idle() {
    if (BATON_LIKELY(spins_ < wait_budget.spins)) {
      ++spins_;
      platform::pause_cpu();
      return;
    }
    idle_slow();
  }
  // After a round that found something.
  void reset() {
    spins_ = yields_ = 0;
    if (BATON_UNLIKELY(announced_)) rise();
  }
  ~Waiter() {
    if (BATON_UNLIKELY(announced_)) rise();
  }

 private:
  BATON_COLD void idle_slow();
  BATON_COLD void rise();
  std::int64_t spins_ = 0;
  std::int64_t yields_ = 0;
  bool announced_ = false;
};

// Makes progress until `done()`.
template <class Done>
void wait_until(Done&& done) {
  Waiter waiter;
  while (!done()) {
    if (progress())
      waiter.reset();
    else
      waiter.idle();
  }
}

inline void wait_for(const Request& request) {
  wait_until([&] { return is_complete(request); });
}

}  // namespace baton::message
