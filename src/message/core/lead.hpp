// Who leads: of the threads that could make progress one does, and the library's own thread
// (progress_thread.hpp) only while none of the program waits. Its state, and what the others tell
// it.
#pragma once

#include <pthread.h>

#include <atomic>
#include <cstdint>

#include "message/core/request.hpp"

namespace baton::message {

enum class ThreadState : std::uint32_t {
  awake,
  resting,      // asleep until it is roused
  watching,     // announced, and asleep or about to be
  taken_over,   // as before, but a leader has taken the announcement back
  ending_watch  // takes it back itself
};

struct ProgressThread {
  pthread_t id{};
  bool runs = false;
  bool has_own_cpu = false;
  std::atomic<bool> stop{false};
  std::atomic<ThreadState> state{ThreadState::awake};
  std::atomic<std::uint32_t> calls{0};    // what it rests on
  std::atomic<std::uint32_t> wanted{0};   // threads of the program that wait in MPI
  std::atomic<std::uint32_t> watched{0};  // requests with a handle that are under way
};
extern ProgressThread progress_thread;

BATON_COLD void watch_slow(Request& request);
BATON_COLD void unwatch(Request& request);
// A request begins. One with a handle may be left alone by the program.
inline void watch(Request& request) {
  if (BATON_UNLIKELY(progress_thread.runs && request.heap)) watch_slow(request);
}

BATON_COLD void rouse_slow();
// Something was begun that is not over.
inline void rouse_progress_thread() {
  if (BATON_UNLIKELY(progress_thread.runs)) rouse_slow();
}

// A thread of the program waits: it leads as soon as it can.
class LeadWish {
 public:
  LeadWish() {
    if (BATON_UNLIKELY(progress_thread.runs)) begin();
  }
  ~LeadWish() {
    if (BATON_UNLIKELY(begun_)) end();
  }
  LeadWish(const LeadWish&) = delete;
  LeadWish& operator=(const LeadWish&) = delete;

 private:
  BATON_COLD void begin();
  BATON_COLD void end();
  bool begun_ = false;
};

BATON_COLD void take_over_slow();
// The caller begins to lead: senders need not wake the thread any more.
inline void take_over_watch() {
  // relaxed: a look; what follows is a compare-and-swap.
  auto state = progress_thread.state.load(std::memory_order_relaxed);
  if (BATON_UNLIKELY(state >= ThreadState::watching)) take_over_slow();
}

// --- for the thread
// Whether something is under way that goes on only while this process makes progress.
bool is_anything_under_way();
// Ends its rest.
void call_progress_thread();

}  // namespace baton::message
