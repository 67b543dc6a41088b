#include "launch/run/relay.hpp"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace baton::launch {

namespace {

constexpr std::size_t read_bytes = 128 << 10;
// This is the size of each pipe, where the user's pipes have not taken much already. Larger pipes
// need fewer context switches.
constexpr int pipe_bytes = 256 << 10;
constexpr std::chrono::milliseconds prompt_time(100);  // guess: short for people, long for parts
constexpr std::chrono::seconds full_buffer_time(60);   // guess: see looks_like_a_full_buffer
constexpr std::size_t buffer_unit = 1024;
constexpr auto never = std::chrono::steady_clock::time_point::max();

// Runtimes write when their buffer is full, even within a line: after 4 KiB in C on a pipe, 8 KiB
// in Fortran. The rest comes with the next full buffer, which may take long.
bool looks_like_a_full_buffer(std::size_t length) {
  return length % buffer_unit == 0;
}

}  // namespace

bool Relay::start() {
  news_ = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (news_ < 0) return false;
  sigset_t all, before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);  // signals stay with the thread that watches
  pthread_t thread;
  auto body = [](void* self) -> void* {
    static_cast<Relay*>(self)->run();
    return nullptr;
  };
  const bool started = ::pthread_create(&thread, nullptr, body, this) == 0;
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (started) ::pthread_detach(thread);
  return started;
}

void Relay::wake() const {
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = ::write(news_, &one, sizeof one);
}

int Relay::add(bool behind_last) {
  int pipe[2];
  if (::pipe2(pipe, O_CLOEXEC) != 0) return -1;
  ::fcntl(pipe[0], F_SETFL, O_NONBLOCK);
  ::fcntl(pipe[0], F_SETPIPE_SZ, pipe_bytes);
  std::lock_guard lock(mutex_);
  new_pipes_.push_back({pipe[0], behind_last});
  wake();
  return pipe[1];
}

void Relay::catch_up(std::chrono::milliseconds most) {
  std::unique_lock lock(mutex_);
  const std::uint64_t mine = ++asked_;
  wake();
  changed_.wait_for(lock, most, [&] { return answered_ >= mine || finished_; });
}

bool Relay::finish(std::chrono::milliseconds most) {
  std::unique_lock lock(mutex_);
  finishing_ = true;
  wake();
  return changed_.wait_for(lock, most, [this] { return finished_; });
}

int Relay::error() {
  std::lock_guard lock(mutex_);
  return error_;
}

void Relay::run() {
  buffer_.resize(read_bytes);
  while (true) {
    wait_for_news();
    std::unique_lock lock(mutex_);
    const std::uint64_t asked = asked_;
    const bool finishing = finishing_;
    const bool wanted = asked != answered_ || finishing;
    lock.unlock();
    if (wanted) take_new();
    if (wanted) read_all();
    write_due(finishing);
    if (!wanted) continue;
    lock.lock();
    answered_ = asked;
    finished_ = finishing;
    changed_.notify_all();
    if (finishing) return;
  }
}

void Relay::wait_for_news() {
  polled_.assign(1, {news_, POLLIN, 0});
  for (const Stream& stream : streams_) polled_.push_back({stream.from, POLLIN, 0});
  if (::poll(polled_.data(), polled_.size(), milliseconds_to_wait()) <= 0) return;
  for (std::size_t i = 1; i < polled_.size(); ++i)
    if (polled_[i].revents) read_once(i - 1);
  if (polled_[0].revents) take_new();
}

void Relay::take_new() {
  std::uint64_t count;
  [[maybe_unused]] const ssize_t got = ::read(news_, &count, sizeof count);
  std::lock_guard lock(mutex_);
  for (const NewPipe& pipe : new_pipes_)
    if (error_ == EPIPE)
      ::close(pipe.from);
    else
      streams_.push_back({pipe.from, pipe.behind_last});
  new_pipes_.clear();
}

int Relay::milliseconds_to_wait() const {
  Clock::time_point next = never;
  for (std::size_t i = 0; i < streams_.size(); ++i) next = std::min(next, due(i));
  if (next == never) return -1;
  const auto wait = std::chrono::ceil<std::chrono::milliseconds>(next - Clock::now()).count();
  return static_cast<int>(std::clamp<std::int64_t>(wait, 0, 1 << 30));
}

Relay::Clock::time_point Relay::due(std::size_t number) const {
  const Stream& stream = streams_[number];
  const bool has_turn = open_ < 0 || open_ == static_cast<std::ptrdiff_t>(number);
  if (stream.tail.empty() || !has_turn) return never;
  if (stream.is_full_buffer && writers_ > 1) return stream.since + full_buffer_time;
  return stream.since + prompt_time;
}

void Relay::read_all() {
  for (std::size_t i = 0; i < streams_.size(); ++i) read_what_is_there(i);
}

// Reads all data that had been written when this began; of a rank that writes for ever no more than
// that.
void Relay::read_what_is_there(std::size_t number) {
  int there = 0;
  if (streams_[number].from < 0 || ::ioctl(streams_[number].from, FIONREAD, &there) != 0) return;
  std::size_t got = 0;
  for (auto left = static_cast<std::size_t>(there); left > 0; left -= std::min(left, got))
    if ((got = read_once(number)) == 0) break;
}

// Returns how many bytes were read; 0: nothing was there, or no more will be.
std::size_t Relay::read_once(std::size_t number) {
  Stream& stream = streams_[number];
  if (stream.from < 0) return 0;
  const ssize_t got = ::read(stream.from, buffer_.data(), buffer_.size());
  if (got < 0) return 0;
  if (got == 0) {
    ::close(stream.from);
    stream.from = -1;
    stream.is_full_buffer = false;
    return 0;
  }
  if (!stream.behind_last) {
    take(number, {buffer_.data(), static_cast<std::size_t>(got)});
  } else {
    // Text that the rank wrote before is in its other pipe by now, if it was not read yet.
    const std::string text(buffer_.data(), static_cast<std::size_t>(got));
    read_what_is_there(number - 1);
    take(number, text);
  }
  return static_cast<std::size_t>(got);
}

// Writes the lines that end in `text`; the rest is the stream's unfinished line.
void Relay::take(std::size_t number, std::string_view text) {
  Stream& stream = streams_[number];
  writers_ += !stream.wrote;
  stream.wrote = true;
  const void* newline = ::memrchr(text.data(), '\n', text.size());
  std::size_t end =
      newline ? static_cast<std::size_t>(static_cast<const char*>(newline) - text.data()) + 1 : 0;
  const bool too_long = (end ? 0 : stream.tail.size()) + text.size() - end > whole_line_bytes;
  if (too_long) end = text.size();
  if (end > 0) {
    write(stream.tail, text.substr(0, end));
    stream.tail.clear();
    open_ = too_long ? static_cast<std::ptrdiff_t>(number) : -1;
  }
  stream.tail += text.substr(end);
  stream.is_full_buffer = looks_like_a_full_buffer(text.size());
  stream.since = Clock::now();
}

void Relay::write_due(bool all) {
  const Clock::time_point now = Clock::now();
  for (std::size_t i = 0; i < streams_.size(); ++i)
    if (all || due(i) <= now) write_tail(i);
}

void Relay::write_tail(std::size_t number) {
  Stream& stream = streams_[number];
  if (stream.tail.empty()) return;
  write(stream.tail, {});
  stream.tail.clear();
  open_ = static_cast<std::ptrdiff_t>(number);
}

void Relay::write(std::string_view first, std::string_view second) {
  std::lock_guard turn(turn_);
  while (!first.empty() || !second.empty()) {
    if (error_ != 0) return;  // only this thread writes it
    const iovec parts[2] = {{const_cast<char*>(first.data()), first.size()},
                            {const_cast<char*>(second.data()), second.size()}};
    const ssize_t written = ::writev(to_, parts, 2);
    if (written < 0 && errno == EAGAIN) {
      // Another process has made the descriptor non-blocking.
      pollfd space{to_, POLLOUT, 0};
      ::poll(&space, 1, -1);
    } else if (written < 0 && errno != EINTR) {
      fail(errno);
    }
    if (written < 0) continue;
    const auto of_first = std::min(static_cast<std::size_t>(written), first.size());
    first.remove_prefix(of_first);
    second.remove_prefix(static_cast<std::size_t>(written) - of_first);
  }
}

// Where nobody reads any more, the ranks' own writes fail from now on, as they would have without
// us. They learn nothing of a full disk: their output is dropped, and that is reported at the end.
void Relay::fail(int error) {
  {
    std::lock_guard lock(mutex_);
    error_ = error;
  }
  if (error != EPIPE) return;
  for (Stream& stream : streams_)
    if (stream.from >= 0) {
      ::close(stream.from);
      stream.from = -1;
    }
}

}  // namespace baton::launch
