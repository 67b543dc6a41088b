#include "launch/run/output.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <mutex>
#include <system_error>

#include "launch/run/outlet.hpp"
#include "launch/run/write_text.hpp"

namespace baton::launch {

namespace {

constexpr std::size_t line_bytes_max = 1 << 20;
constexpr std::size_t unread_bytes_max = 256 << 10;   // guess: beyond it ranks have to wait
constexpr std::chrono::milliseconds words_wait(100);  // guess: see catch_up
constexpr int look_again_ms = 20;  // guess: how often drain() asks whether to give up

// Fills a pattern with the rank and the host; there is only one group (%g) and proxy (%p), number
// 0.
std::string filled(const std::string& pattern, int rank) {
  std::string text;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const char letter = pattern[i] == '%' && i + 1 < pattern.size() ? pattern[i + 1] : '\0';
    char host[256] = {};
    if (letter == 'r')
      text += std::to_string(rank);
    else if (letter == 'g' || letter == 'p')
      text += '0';
    else if (letter == 'h' && ::gethostname(host, sizeof host - 1) == 0)
      text += host;
    else {
      text += pattern[i];
      continue;
    }
    ++i;
  }
  return text;
}

}  // namespace

std::expected<Output::Ends, std::string> Output::open(int rank) {
  return form_.relayed() ? open_pipes(rank) : open_files(rank);
}

std::expected<Output::Ends, std::string> Output::open_files(int rank) {
  Ends ends;
  if (form_.output_file.empty()) {
    ends.standard_output = end_to_own(rank, STDOUT_FILENO);
  } else {
    auto file = open_file_of(rank, form_.output_file);
    if (!file) return std::unexpected(file.error());
    ends.standard_output = *file;
  }
  if (form_.merged) {
    ends.standard_error = ends.standard_output < 0 ? STDOUT_FILENO : ends.standard_output;
  } else if (form_.error_file.empty()) {
    ends.standard_error = end_to_own(rank, STDERR_FILENO);
  } else {
    auto file = open_file_of(rank, form_.error_file);
    if (!file) return std::unexpected(file.error());
    ends.standard_error = *file;
  }
  return ends;
}

// On a terminal each line that a program writes is one write; other character devices have no
// readers. So neither needs a relay.
int Output::end_to_own(int rank, int descriptor) {
  if (&Outlet::turn(descriptor) == &Outlet::turn(STDOUT_FILENO)) descriptor = STDOUT_FILENO;
  struct stat facts {};
  const bool is_shared = ranks_ > 1 && ::fstat(descriptor, &facts) == 0 && !S_ISCHR(facts.st_mode);
  return is_shared ? end_of_relay(rank, descriptor, {}) : -1;
}

// Returns -1 where there can be no thread or no pipe: ranks then write directly.
int Output::end_of_relay(int rank, int to, const std::string& name) {
  auto found = std::ranges::find(shared_, to, &Shared::to);
  if (found == shared_.end()) {
    auto& turn = name.empty() ? Outlet::turn(to) : *new std::mutex;
    auto* relay = new Relay(to, turn);
    if (!relay->start()) return -1;
    found = shared_.insert(found, {to, name, relay});
  }
  const int end = found->relay->add(found->last_rank == rank);
  if (end >= 0) found->last_rank = rank;
  return end;
}

std::expected<int, std::string> Output::open_file_of(int rank, const std::string& pattern) {
  const std::string name = filled(pattern, rank);
  const bool is_shared = ranks_ > 1 && filled(pattern, rank + 1) == name;
  const auto known = std::ranges::find_if(
      shared_, [&](const Shared& one) { return !one.name.empty() && one.name == name; });
  int to = known == shared_.end() ? -1 : known->to;
  if (to < 0) {
    auto file = open_file(name);
    if (!file) return file;
    to = *file;
    ::fcntl(to, F_SETFL, O_APPEND);  // ranks write as to any file opened for appending
  }
  const int end = is_shared ? end_of_relay(rank, to, name) : to;
  if (end >= 0) return end;
  return std::ranges::find(shared_, to, &Shared::to) == shared_.end()
             ? to
             : ::fcntl(to, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
}

// Files are appended to, so that several ranks may share one. The descriptor does not block.
std::expected<int, std::string> Output::open_file(const std::string& name) {
  const bool made = std::ranges::find(files_, name) != files_.end();
  auto file = open_to_write(name, O_APPEND | (made ? 0 : O_TRUNC));
  if (!file) return std::unexpected("cannot write its output into " + name + ": " + file.error());
  if (!made) files_.push_back(name);
  return *file;
}

std::expected<int, std::string> Output::add_stream(int rank, int to, const char* name) {
  int file = -1;
  if (!form_.folder.empty()) {
    const std::string number = std::to_string(rank);
    const std::size_t width = std::to_string(ranks_).size();
    const std::string folder = form_.folder + "/1/rank." +
                               std::string(width - std::min(width, number.size()), '0') + number;
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    if (error) return std::unexpected("cannot make the folder " + folder + ": " + error.message());
    auto opened = open_file(folder + '/' + name);
    if (!opened) return std::unexpected(opened.error());
    file = *opened;
  }
  int pipe[2];
  if (::pipe2(pipe, O_CLOEXEC) != 0)
    return std::unexpected(std::string("cannot make a pipe for the output of rank ") +
                           std::to_string(rank) + ": " + std::strerror(errno) + "; see ulimit -n");
  ::fcntl(pipe[0], F_SETFL, O_NONBLOCK);
  streams_.push_back({rank, pipe[0], form_.copied ? to : -1, file});
  return pipe[1];
}

std::expected<Output::Ends, std::string> Output::open_pipes(int rank) {
  auto output = add_stream(rank, STDOUT_FILENO, "stdout");
  if (!output) return std::unexpected(output.error());
  if (form_.merged) return Ends{*output, *output};
  auto error = add_stream(rank, STDERR_FILENO, "stderr");
  if (!error) return std::unexpected(error.error());
  return Ends{*output, *error};
}

void Output::started(const Ends& ends) {
  if (ends.standard_output > STDERR_FILENO) ::close(ends.standard_output);
  if (ends.standard_error > STDERR_FILENO && ends.standard_error != ends.standard_output)
    ::close(ends.standard_error);
}

bool Output::has_space(const Stream& stream) {
  if (!stream.unwritten.empty()) return false;
  return stream.to < 0 || Outlet::of(stream.to).waiting() < unread_bytes_max;
}

void Output::add_to(std::vector<pollfd>& polled) const {
  if (streams_.empty()) return;
  polled.push_back({Outlet::news(), POLLIN, 0});
  for (const Stream& stream : streams_)
    if (!stream.unwritten.empty())
      polled.push_back({stream.file, POLLOUT, 0});
    else if (stream.from >= 0 && has_space(stream))
      polled.push_back({stream.from, POLLIN, 0});
}

bool Output::forward(const std::vector<pollfd>& polled, std::size_t first) {
  if (first < polled.size() && polled[first].revents) Outlet::take_news();
  for (std::size_t i = first + 1; i < polled.size(); ++i) {
    if (polled[i].revents == 0) continue;
    for (Stream& stream : streams_)
      if (stream.from == polled[i].fd) {
        read_once(stream);
        break;
      } else if (stream.file == polled[i].fd) {
        write_file(stream);
        break;
      }
  }
  for (int to : {STDOUT_FILENO, STDERR_FILENO})
    if (used_[to] && Outlet::of(to).error() == EPIPE) return false;
  return true;
}

void Output::catch_up() {
  for (const Shared& shared : shared_) shared.relay->catch_up(words_wait);
}

void Output::drain(const std::function<bool()>& give_up) {
  for (const Shared& shared : shared_)
    while (!shared.relay->finish(std::chrono::milliseconds(look_again_ms)))
      if (give_up()) {
        ++unwritten_;
        break;
      }
  bool more = true;
  while (more) {
    more = false;
    for (Stream& stream : streams_) {
      write_file(stream);
      pollfd ready{stream.from, POLLIN, 0};
      // A writer that outlives the job does not delay this, since only data that is there is read.
      while (stream.from >= 0 && has_space(stream) && ::poll(&ready, 1, 0) > 0) read_once(stream);
      more = more || (stream.from >= 0 && !has_space(stream));
    }
    if (!more) break;
    if (give_up()) break;
    pollfd news{Outlet::news(), POLLIN, 0};
    ::poll(&news, 1, look_again_ms);
    Outlet::take_news();
  }
  for (Stream& stream : streams_) {
    write_lines(stream, true);
    while (!stream.unwritten.empty() && !give_up()) {
      pollfd space{stream.file, POLLOUT, 0};
      ::poll(&space, 1, look_again_ms);
      write_file(stream);
    }
    unwritten_ += stream.unwritten.size();
  }
  for (int to : {STDOUT_FILENO, STDERR_FILENO}) {
    if (!used_[to]) continue;
    while (!Outlet::of(to).finish(std::chrono::milliseconds(look_again_ms)))
      if (give_up()) break;
    unwritten_ += Outlet::of(to).waiting();
  }
}

std::string Output::lost() const {
  if (file_error_ != 0)
    return "output of the ranks is lost: " + form_.folder + ": " + std::strerror(file_error_);
  if (unwritten_ > 0)
    return "output of the ranks is lost: nobody read it before the job had to end";
  // A closed standard error does no harm here, as with a rank that writes itself.
  for (const Shared& shared : shared_)
    if (const int error = shared.to == STDERR_FILENO ? 0 : shared.relay->error(); error != 0)
      return "output of the ranks is lost: " + (shared.name.empty() ? "" : shared.name + ": ") +
             std::strerror(error);
  for (int to : {STDOUT_FILENO, STDERR_FILENO})
    if (const int error = used_[to] ? Outlet::of(to).error() : 0; error != 0)
      return std::string("output of the ranks is lost: ") + std::strerror(error);
  return {};
}

void Output::read_once(Stream& stream) {
  char buffer[16384];
  ssize_t length = ::read(stream.from, buffer, sizeof buffer);
  if (length < 0) return;  // nothing there
  if (length == 0) {
    ::close(stream.from);
    stream.from = -1;
  }
  stream.unfinished.append(buffer, static_cast<std::size_t>(length));
  write_lines(stream, length == 0);
}

std::string Output::line_start(int rank) const {
  std::string start;
  if (form_.timestamp) {
    const std::time_t now = std::time(nullptr);
    std::tm here{};
    char text[40] = {};
    if (::localtime_r(&now, &here)) std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S ", &here);
    start = text;
  }
  return start + filled(form_.prefix, rank);
}

void Output::write_lines(Stream& stream, bool ended) {
  std::string& text = stream.unfinished;
  bool all = ended || text.size() > line_bytes_max;
  std::size_t end = all ? text.size() : text.rfind('\n') + 1;
  if (end == 0) return;
  std::string lines;
  for (std::size_t start = 0; start < end;) {
    std::size_t stop = text.find('\n', start);
    if (stop == std::string::npos || stop >= end) stop = end - 1;
    lines += line_start(stream.rank);
    lines.append(text, start, stop + 1 - start);
    start = stop + 1;
  }
  if (lines.back() != '\n') lines += '\n';
  text.erase(0, end);
  if (stream.file >= 0) {
    stream.unwritten += lines;
    write_file(stream);
  }
  if (stream.to < 0) return;
  used_[stream.to] = true;
  Outlet::of(stream.to).put(lines);
}

// Writes as much as fits now; data that meets an error is lost.
void Output::write_file(Stream& stream) {
  std::string_view left = stream.unwritten;
  while (!left.empty()) {
    const ssize_t written = ::write(stream.file, left.data(), left.size());
    if (written >= 0) {
      left.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno == EAGAIN) {
      break;
    } else if (errno != EINTR) {
      if (file_error_ == 0) file_error_ = errno;
      left = {};
    }
  }
  stream.unwritten.erase(0, stream.unwritten.size() - left.size());
}

}  // namespace baton::launch
