// An action that makes or leaves meetings runs in the thread that makes progress. Used by meet.cpp
// and meet_over_network.cpp.
#pragma once

#include "message/core/meeting.hpp"
#include "message/core/wait.hpp"

namespace baton::message {

// Runs one action at a time in the thread that makes progress: a thread that waits in the library
// keeps the progress lock for as long.
class Errand final : public ProgressSource {
 public:
  template <class Act>
  void run(Act&& act) {
    if (!platform::threads_multiple) return act();
    platform::Guard guard(lock_);
    struct Call {
      Act& act;
      Explanation explanation{};
    } call{act};
    act_ = [](void* called) {
      auto& one = *static_cast<Call*>(called);
      one.act();
      one.explanation = last_explanation();
    };
    call_ = &call;
    // ORDER errand.begun: release here, acquire in advance.
    std::atomic_ref(is_done_).store(false, std::memory_order_release);
    set_active(*this, true);
    // ORDER errand.done: acquire here, release in advance.
    wait_until([this] { return std::atomic_ref(is_done_).load(std::memory_order_acquire); });
    last_explanation() = call.explanation;
  }
  bool advance() override {
    // ORDER errand.begun: acquire here, release in run.
    if (std::atomic_ref(is_done_).load(std::memory_order_acquire)) return false;
    act_(call_);
    set_active(*this, false);
    // ORDER errand.done: release here, acquire in run.
    std::atomic_ref(is_done_).store(true, std::memory_order_release);
    return true;
  }

 private:
  void (*act_)(void* call) = nullptr;
  void* call_ = nullptr;
  bool is_done_ = true;
  platform::Lock lock_;
};
extern Errand errand;

// --- under the progress lock, in an errand.
// Leaves the meetings that nobody uses.
void leave_unused();
// Gives a meeting the lowest numbers for its processes that are free and follow each other. Error,
// explained: MPI_ERR_OTHER, there are too many processes.
[[nodiscard]] Error take_numbers(Meeting& meeting);
// Makes a meeting known, whose processes have numbers.
void list_meeting(Meeting& meeting);

}  // namespace baton::message
