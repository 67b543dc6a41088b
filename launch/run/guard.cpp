#include "launch/run/guard.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <optional>

#include "launch/run/debugger.hpp"
#include "launch/run/ending.hpp"
#include "launch/run/signals.hpp"

namespace baton::launch {

namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::seconds;

constexpr seconds patience(10);         // guess: the manager may have much to report at the end
constexpr seconds little_patience(4);   // guess: after a second signal
constexpr seconds to_die(3);            // guess: the kernel may hold a process longer
constexpr seconds behind_the_limit(2);  // guess: the manager looks at --timeout first
constexpr Clock::time_point never = Clock::time_point::max();

class Guard {
 public:
  explicit Guard(const Watched& watched) : watched_(watched), ranks_pipe_(watched.ranks) {
    processes_.resize(watched.ranks_count);
    ::fcntl(ranks_pipe_, F_SETFL, O_NONBLOCK);
    const std::chrono::duration<double> limit(watched.timeout_seconds);
    if (limit.count() > 0 && limit < std::chrono::hours(1 << 16))
      wake_at_ =
          Clock::now() + std::chrono::duration_cast<Clock::duration>(limit) + behind_the_limit;
  }

  JobEnd watch() {
    while (true) {
      if (auto status = manager_end()) return end_of(*status);
      if (killed_ && Clock::now() >= kill_at_) return end_of(SIGKILL);
      pollfd polled[] = {{watched_.signals, POLLIN, 0}, {ranks_pipe_, POLLIN, 0}};
      ::poll(polled, 2, milliseconds_to_wait());
      if (polled[1].revents) take_ranks();
      take_signals();
      look_at_clock();
    }
  }

 private:
  // This also reaps processes that come up to us when the manager dies.
  std::optional<int> manager_end() const {
    int status = 0;
    for (pid_t ended; (ended = ::waitpid(-1, &status, WNOHANG)) > 0;)
      if (ended == watched_.manager) return status;
    return std::nullopt;
  }

  int milliseconds_to_wait() const {
    using std::chrono::milliseconds;
    const Clock::time_point next = std::min(wake_at_, kill_at_);
    if (next == never) return -1;
    const auto wait = std::chrono::ceil<milliseconds>(next - Clock::now()).count();
    return static_cast<int>(std::clamp<std::int64_t>(wait, 0, 1 << 30));
  }

  // Reads until all ranks are named, or the manager has none to name.
  void take_ranks() {
    char* bytes = reinterpret_cast<char*>(processes_.data());
    const std::size_t all = processes_.size() * sizeof(pid_t);
    const ssize_t got = ::read(ranks_pipe_, bytes + ranks_bytes_, all - ranks_bytes_);
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) return;
    if (got > 0) ranks_bytes_ += static_cast<std::size_t>(got);
    if (got > 0 && ranks_bytes_ < all) return;
    ranks_pipe_ = -1;
    named_ = ranks_bytes_ == all;
    if (named_) show_ranks(processes_);
    const char byte = 1;
    [[maybe_unused]] ssize_t written = ::write(watched_.release, &byte, 1);
    if (named_) watched_.sweeper.start();
  }

  void take_signals() {
    signalfd_siginfo info;
    while (::read(watched_.signals, &info, sizeof info) == sizeof info) {
      const int signal = static_cast<int>(info.ssi_signo);
      if (signal == SIGCHLD) continue;
      // A terminal's Ctrl-C has reached the manager already; its hang-up goes to us alone if we
      // lead the session.
      if (info.ssi_code != SI_KERNEL || signal == SIGHUP) ::kill(watched_.manager, signal);
      if (ends_the_job(signal, info.ssi_code)) wants_the_end(128 + signal);
    }
  }

  // A second call means that people do not want to wait.
  void wants_the_end(int code) {
    if (killed_) return;
    ::kill(watched_.manager, SIGCONT);  // a stopped process could not obey
    const bool first = kill_at_ == never;
    if (first) code_ = code;
    kill_at_ = std::min(kill_at_, Clock::now() + (first ? patience : little_patience));
  }

  void look_at_clock() {
    const Clock::time_point now = Clock::now();
    if (now >= wake_at_) {
      wake_at_ = never;
      wants_the_end(timeout_code);
    }
    if (now < kill_at_ || killed_) return;
    killed_ = true;
    kill_at_ = now + to_die;  // from here on the manager is not waited for
    ::kill(watched_.manager, SIGKILL);
  }

  JobEnd end_of(int status) {
    if (ranks_pipe_ >= 0) take_ranks();
    if (!named_) processes_.clear();
    if (killed_)
      return {code_, "the process manager did not end the job in time; ended both", processes_};
    std::string problem;
    if (WIFSIGNALED(status))
      problem = fmt::format("the process manager died: {}; ended the job", ending_text(status));
    return {ending_code(status), problem, processes_};
  }

  const Watched& watched_;
  int ranks_pipe_;  // -1: the ranks are named, or never will be
  std::vector<pid_t> processes_;
  std::size_t ranks_bytes_ = 0;
  bool named_ = false;
  int code_ = 0;  // exit code for the first reason to end
  bool killed_ = false;
  Clock::time_point wake_at_ = never;
  Clock::time_point kill_at_ = never;
};

}  // namespace

JobEnd guard(const Watched& watched) {
  return Guard(watched).watch();
}

}  // namespace baton::launch
