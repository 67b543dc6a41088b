#include "launch/run/family.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "base/environment.hpp"
#include "launch/run/ending.hpp"

namespace baton::launch {

namespace {
constexpr int still_runs = -1;
}

bool Family::open() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return false;
  read_ = ends[0];
  write_ = ends[1];
  ::fcntl(read_, F_SETFL, O_NONBLOCK);
  return ::fcntl(write_, F_SETFD, 0) == 0;  // ranks inherit this end
}

void Family::listen() {
  pid_t child = 0;
  // A process id is written at once, so it comes whole.
  while (::read(read_, &child, sizeof child) == sizeof child) jobs_.push_back({child, still_runs});
}

bool Family::take(pid_t child, int wait_status) {
  listen();  // it may have ended since it made itself known
  const auto found = std::ranges::find_if(jobs_, [child](const SpawnedJob& job) {
    return job.number == child && job.code == still_runs;
  });
  if (found == jobs_.end()) return false;
  found->code = ending_code(wait_status);
  if (code_ == 0) code_ = found->code;
  return true;
}

bool Family::is_running() const {
  return std::ranges::any_of(jobs_, [](const SpawnedJob& job) { return job.code == still_runs; });
}

void join_family() {
  const char* pipe = environment_variable("BATON_FAMILY_FD");
  if (!pipe) return;
  const pid_t own = ::getpid();
  const int descriptor = std::atoi(pipe);
  (void)!::write(descriptor, &own, sizeof own);
  ::close(descriptor);
}

}  // namespace baton::launch
