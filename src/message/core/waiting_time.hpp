// How long this thread has waited for other ranks, for mpiexec --stats and --trace (src/tool/).
// Only in jobs that are timed; in others waiting does not even ask. What counts is time in which
// nothing moved, from the first round of progress that found nothing to the next that found
// something. While a long message is under way its next segment is awaited, which belongs to moving
// it and does not count.
#pragma once

#include <cstdint>

#include "platform/clock.hpp"

namespace baton::message {

struct WaitingTime {
  std::int64_t since = 0;  // ticks; 0: it does not wait now
  std::int64_t ticks = 0;  // so far
};
extern __attribute__((tls_model("initial-exec"))) constinit thread_local WaitingTime waiting_time;

inline void begin_waiting() {
  if (waiting_time.since == 0) waiting_time.since = platform::now_ticks();
}
inline void end_waiting() {
  if (waiting_time.since == 0) return;
  waiting_time.ticks += platform::now_ticks() - waiting_time.since;
  waiting_time.since = 0;
}

}  // namespace baton::message
