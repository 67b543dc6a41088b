// What the stress programs share: memory that forked processes share, a seed that is printed, a
// watchdog, and waiting with a real futex where a lost wake-up is a failure, not a delay.
#pragma once

#include <cstdint>
#include <functional>
#include <random>
#include <vector>

#include "lockfree/doorbell.hpp"
#include "platform/futex.hpp"

namespace baton::stress {

using Random = std::mt19937_64;
using Process = std::function<void(Random&)>;

// Ends the process with a message.
[[noreturn]] void give_up(const char* what);
inline void check(bool condition, const char* what) {
  if (!condition) give_up(what);
}

// Whether the time for sending is over.
bool time_is_over();

// Zeroed memory that the processes of one run share.
char* shared_memory(std::size_t bytes);

// Runs the processes side by side until all have ended; false, explained, when one failed or hangs.
// In a build with ThreadSanitizer they are threads: it sees one process only.
bool run(const char* name, double seconds, std::uint64_t seed,
         const std::vector<Process>& processes);

// Now and then loses the CPU for a while, so that the others get ahead.
void dawdle(Random& random);

// The library's waiting, with a sleep that lasts for ever by human measure.
class Waiter {
 public:
  Waiter(lockfree::Doorbell<lockfree::Hardware>& own, bool fences) : own_(own), fences_(fences) {}
  // From now on senders ring; the caller then looks at every ring once, later only where it rang.
  void trust_doorbells();
  void idle();
  void reset() {
    spins_ = 0;
    if (announced_) rise();
  }
  std::uint64_t sleeps = 0;

 private:
  void rise();
  void order();
  lockfree::Doorbell<lockfree::Hardware>& own_;
  bool fences_;
  bool announced_ = false;
  std::uint32_t trusted_ = 0;
  int spins_ = 0;
};

void notify(lockfree::Doorbell<lockfree::Hardware>& doorbell, std::uint32_t sender, bool fences);

// What ranks share of a window (stress_window.cpp).
bool stress_turns(const char* name, double seconds, std::uint64_t seed, std::uint32_t ranks,
                  bool fences);
bool stress_elements(const char* name, double seconds, std::uint64_t seed, std::uint32_t ranks,
                     bool fences);
bool stress_regions(const char* name, double seconds, std::uint64_t seed);

}  // namespace baton::stress
