#include "message/core/wait_report.hpp"

#include <time.h>

#include <cstdio>

#include "message/core/engine.hpp"
#include "platform/call_stack.hpp"

namespace baton::message {

void (*describe_wait)(const WaitSubject& subject, lockfree::WaitDescription& wait) = nullptr;

namespace {

constexpr std::int64_t patience_ns = 10'000'000;   // guess: shorter waits are nobody's hang
constexpr std::int64_t interval_ns = 250'000'000;  // guess: how old what is told may be

std::int64_t now_ns() {
  timespec time;
  ::clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * std::int64_t{1'000'000'000} + time.tv_nsec;
}

// "MPI_Recv" for both names of it.
void name_procedure(char (&name)[lockfree::wait_procedure_bytes]) {
  const char* found = platform::exported_function_under_way();
  if (!found) return;
  std::snprintf(name, sizeof name, "%s", found[0] == 'P' ? found + 1 : found);
}

}  // namespace

void WaitReport::tell(const WaitSubject& subject) {
  const std::int64_t now = now_ns();
  if (since_ns_ == 0) {
    since_ns_ = now;
    next_ns_ = now + patience_ns;
  }
  if (!describe_wait || now < next_ns_) return;
  if (!told_ && !engine.wait_report_lock.try_lock()) return;
  told_ = true;
  next_ns_ = now + interval_ns;
  lockfree::WaitDescription wait;
  wait.since_ns = since_ns_;
  describe_wait(subject, wait);
  name_procedure(wait.procedure);
  transport::status_row(engine.local_rank).waits.publish(wait);
}

void WaitReport::end() {
  since_ns_ = 0;
  if (!told_) return;
  told_ = false;
  transport::status_row(engine.local_rank).waits.retract();
  engine.wait_report_lock.unlock();
}

}  // namespace baton::message
