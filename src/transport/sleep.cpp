#include "transport/sleep.hpp"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "platform/clock.hpp"
#include "platform/futex.hpp"
#include "platform/memory_file.hpp"
#include "transport/network/network.hpp"
#include "transport/node.hpp"

namespace baton::transport {

namespace {

int own_pipe[2] = {-1, -1};
// The ends by which we wake others, plus 1; 0: not opened yet, -1: it cannot be.
int* other_pipes = nullptr;

int pipe_to(LocalRank rank) {
  int& pipe = other_pipes[number_of(rank)];
  if (pipe == 0) {
    const auto& state = status_row(rank).state;
    // relaxed: written before the rank announced that it sleeps, which we have seen.
    const int number = state.wake_pipe.load(std::memory_order_relaxed);
    const int process = state.pid.load(std::memory_order_relaxed);
    const int opened = number > 0 ? platform::open_from_process(process, number - 1) : -1;
    if (opened >= 0) ::fcntl(opened, F_SETFL, O_NONBLOCK);
    pipe = opened >= 0 ? opened + 1 : -1;
  }
  return pipe - 1;
}

void empty_own_pipe() {
  char bytes[64];
  while (::read(own_pipe[0], bytes, sizeof bytes) == static_cast<ssize_t>(sizeof bytes)) {
  }
}

}  // namespace

Error open_wake_pipe() {
  other_pipes = static_cast<int*>(std::calloc(rank_count(), sizeof(int)));
  if (!other_pipes || ::pipe2(own_pipe, O_CLOEXEC | O_NONBLOCK) != 0)
    return fail(MPI_ERR_NO_MEM, "no pipe to be woken by: %s; raise the limit on open files",
                std::strerror(errno));
  for (int& end : own_pipe) end = platform::move_to_high_number(end);
  // relaxed: see pipe_to.
  status_row(own_rank()).state.wake_pipe.store(own_pipe[1] + 1, std::memory_order_relaxed);
  return MPI_SUCCESS;
}

void close_wake_pipe() {
  for (int& end : own_pipe) {
    if (end >= 0) ::close(end);
    end = -1;
  }
  for (std::uint32_t i = 0; other_pipes && i < rank_count(); ++i)
    if (other_pipes[i] > 0) ::close(other_pipes[i] - 1);
  std::free(other_pipes);
  other_pipes = nullptr;
}

namespace {

// Whether the network's descriptor can be believed. That of libfabric 1.17's own TCP provider stays
// readable for good once it was: then nobody ever waits for it.
class DescriptorTrust {
 public:
  bool deserved() const { return false_alarms_ < false_alarms_max; }
  // It was readable after so long; `completions` is what came from the network so far. Remote
  // writes and reads of peers' providers wake us without any.
  void alarm(std::uint64_t completions, std::int64_t waited_ns) {
    constexpr std::int64_t at_once_ns = 10000;  // guess: of ppoll that need not wait
    false_alarms_ = completions == seen_ && waited_ns < at_once_ns ? false_alarms_ + 1 : 0;
    seen_ = completions;
  }

 private:
  static constexpr int false_alarms_max = 20;  // guess
  int false_alarms_ = 0;
  std::uint64_t seen_ = 0;
} trust;

void sleep_with_network(std::uint32_t expected, std::int64_t bound_us) {
  const int rails = network::network.rails();
  pollfd ends[1 + network::rails_max] = {{own_pipe[0], POLLIN, 0}};
  bool tells = trust.deserved();
  std::uint64_t completions = 0;
  for (int rail = 0; tells && rail < rails; ++rail) {
    network::Endpoint& endpoint = network::network.endpoint_at(rail);
    tells = endpoint.wait_descriptor() >= 0;
    if (tells && !endpoint.may_wait()) return;  // something is there
    completions += endpoint.completions();
    ends[1 + rail] = {endpoint.wait_descriptor(), POLLIN, 0};
  }
  constexpr std::int64_t blind_us = 200;  // guess: where it does not tell, look again soon
  if (!tells) bound_us = std::min(bound_us, blind_us);
  // relaxed: who changes it after this writes to the pipe, too.
  if (doorbell(own_rank()).wake.word.load(std::memory_order_relaxed) != expected) return;
  const timespec bound{bound_us / 1000000, bound_us % 1000000 * 1000};
  const std::int64_t begun_ns = tells ? platform::now_ns() : 0;
  const int woken = ::ppoll(ends, tells ? 1 + static_cast<nfds_t>(rails) : 1, &bound, nullptr);
  if (ends[0].revents) empty_own_pipe();
  if (woken > (ends[0].revents ? 1 : 0)) trust.alarm(completions, platform::now_ns() - begun_ns);
}

}  // namespace

void sleep_until_woken(std::uint32_t expected, std::int64_t bound_us) {
  if (BATON_UNLIKELY(spans_nodes())) return sleep_with_network(expected, bound_us);
  platform::futex_wait(doorbell(own_rank()).wake.word, expected, bound_us);
}

void wake_sleeper(LocalRank rank) {
  if (BATON_LIKELY(!spans_nodes())) return platform::futex_wake(doorbell(rank).wake.word);
  const int end = rank == own_rank() ? own_pipe[1] : pipe_to(rank);
  // A full pipe has woken it; one that cannot be opened leaves it to sleep to its bound.
  if (end >= 0) (void)!::write(end, "", 1);
}

}  // namespace baton::transport
