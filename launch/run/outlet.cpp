#include "launch/run/outlet.hpp"

#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <utility>

namespace baton::launch {

namespace {

constexpr std::size_t part_bytes = 64 << 10;  // length of one write: a pipe holds as much
constexpr int wait_without_thread_ms = 100;   // guess: for a reader, where no thread can be had

void tell_news() {
  std::uint64_t one = 1;
  [[maybe_unused]] ssize_t written = ::write(Outlet::news(), &one, sizeof one);
}

}  // namespace

Outlet& Outlet::of(int descriptor) {
  static Outlet* const output = new Outlet(STDOUT_FILENO);
  static Outlet* const error = new Outlet(STDERR_FILENO);
  return descriptor == STDOUT_FILENO ? *output : *error;
}

std::mutex& Outlet::turn(int descriptor) {
  static std::mutex of_output, of_error;
  static const bool are_same = [] {
    struct stat output {
    }, error{};
    return ::fstat(STDOUT_FILENO, &output) == 0 && ::fstat(STDERR_FILENO, &error) == 0 &&
           output.st_dev == error.st_dev && output.st_ino == error.st_ino;
  }();
  return descriptor == STDERR_FILENO && !are_same ? of_error : of_output;
}

int Outlet::news() {
  static const int descriptor = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  return descriptor;
}

void Outlet::take_news() {
  std::uint64_t count;
  [[maybe_unused]] ssize_t got = ::read(news(), &count, sizeof count);
}

// Signals are blocked in this thread, so that they go to the thread that watches the job.
bool Outlet::start() {
  if (started_) return true;
  sigset_t all, before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_t thread;
  auto body = [](void* self) -> void* {
    static_cast<Outlet*>(self)->write_for_ever();
    return nullptr;
  };
  started_ = ::pthread_create(&thread, nullptr, body, this) == 0;
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (started_) ::pthread_detach(thread);
  return started_;
}

void Outlet::put(std::string_view text) {
  std::unique_lock lock(mutex_);
  if (error_ != 0 || text.empty()) return;
  if (!start()) return write_what_fits(text);
  queue_ += text;
  changed_.notify_all();
}

std::size_t Outlet::waiting() {
  std::lock_guard lock(mutex_);
  return queue_.size() + writing_;
}

int Outlet::error() {
  std::lock_guard lock(mutex_);
  return error_;
}

bool Outlet::finish(std::chrono::milliseconds most) {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, most, [this] { return queue_.empty() && writing_ == 0; });
}

void Outlet::fail(int error) {
  error_ = error;
  queue_.clear();
  writing_ = 0;
}

void Outlet::write_for_ever() {
  std::string part;
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return !queue_.empty(); });
    const std::size_t lines =
        queue_.size() > part_bytes ? queue_.rfind('\n', part_bytes - 1) + 1 : 0;
    part.assign(queue_, 0, lines > 0 ? lines : part_bytes);
    queue_.erase(0, part.size());
    writing_ = part.size();
    lock.unlock();
    std::unique_lock turn(Outlet::turn(descriptor_));
    lock.lock();
    for (std::string_view left = part; !left.empty();) {
      lock.unlock();
      const ssize_t written = ::write(descriptor_, left.data(), left.size());
      const int error = errno;
      // Another process has made the descriptor non-blocking.
      pollfd space{descriptor_, POLLOUT, 0};
      if (written < 0 && error == EAGAIN) ::poll(&space, 1, -1);
      lock.lock();
      if (written < 0 && error != EINTR && error != EAGAIN) {
        fail(error);
        break;
      }
      if (written > 0) left.remove_prefix(static_cast<std::size_t>(written));
      writing_ = left.size();
    }
    changed_.notify_all();
    tell_news();
  }
}

// Without a thread (ulimit -u) a reader that stops loses the text.
void Outlet::write_what_fits(std::string_view text) {
  while (!text.empty()) {
    pollfd space{descriptor_, POLLOUT, 0};
    if (::poll(&space, 1, wait_without_thread_ms) <= 0) return fail(EAGAIN);
    ssize_t written =
        ::write(descriptor_, text.data(), std::min<std::size_t>(text.size(), PIPE_BUF));
    if (written < 0 && errno != EINTR && errno != EAGAIN) return fail(errno);
    if (written > 0) text.remove_prefix(static_cast<std::size_t>(written));
  }
}

}  // namespace baton::launch
