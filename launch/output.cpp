#include "launch/output.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace baton::launch {

namespace {

constexpr std::size_t line_bytes_max = 1 << 20;

bool write_all(int to, const std::string& text) {
  std::size_t done = 0;
  while (done < text.size()) {
    ssize_t written = ::write(to, text.data() + done, text.size() - done);
    if (written < 0 && errno == EAGAIN) {
      pollfd wait{to, POLLOUT, 0};
      ::poll(&wait, 1, -1);
    } else if (written < 0 && errno != EINTR) {
      return false;
    } else if (written > 0) {
      done += static_cast<std::size_t>(written);
    }
  }
  return true;
}

}  // namespace

std::expected<Output::Ends, std::string> Output::open(int rank) {
  int output[2];
  int error[2];
  if (::pipe2(output, O_CLOEXEC) != 0 || ::pipe2(error, O_CLOEXEC) != 0)
    return std::unexpected(std::string("cannot make a pipe for the output of rank ") +
                           std::to_string(rank) + ": " + std::strerror(errno) + "; see ulimit -n");
  for (int end : {output[0], error[0]}) ::fcntl(end, F_SETFL, O_NONBLOCK);
  streams_.push_back({rank, output[0], STDOUT_FILENO, {}});
  streams_.push_back({rank, error[0], STDERR_FILENO, {}});
  return Ends{output[1], error[1]};
}

void Output::started(const Ends& ends) {
  ::close(ends.standard_output);
  ::close(ends.standard_error);
}

void Output::add_to(std::vector<pollfd>& polled) const {
  for (const Stream& stream : streams_)
    if (stream.from >= 0) polled.push_back({stream.from, POLLIN, 0});
}

bool Output::forward(const std::vector<pollfd>& polled, std::size_t first) {
  bool written = true;
  for (std::size_t i = first; i < polled.size(); ++i) {
    if (polled[i].revents == 0) continue;
    for (Stream& stream : streams_)
      if (stream.from == polled[i].fd) {
        written = read_once(stream) && written;
        break;
      }
  }
  return written;
}

void Output::drain() {
  for (Stream& stream : streams_) {
    while (stream.from >= 0) {
      pollfd ready{stream.from, POLLIN, 0};
      if (::poll(&ready, 1, 0) <= 0) break;  // a writer that outlived the job wrote nothing more
      if (!read_once(stream)) break;
    }
    write_lines(stream, true);
  }
}

bool Output::read_once(Stream& stream) {
  char buffer[16384];
  ssize_t length = ::read(stream.from, buffer, sizeof buffer);
  if (length < 0) return errno == EAGAIN || errno == EINTR;
  if (length == 0) {
    ::close(stream.from);
    stream.from = -1;
    return write_lines(stream, true);
  }
  stream.unfinished.append(buffer, static_cast<std::size_t>(length));
  return write_lines(stream, false);
}

bool Output::write_lines(Stream& stream, bool ended) {
  std::string& text = stream.unfinished;
  bool all = ended || text.size() > line_bytes_max;
  std::size_t end = all ? text.size() : text.rfind('\n') + 1;
  if (end == 0) return true;
  std::string lines;
  for (std::size_t start = 0; start < end;) {
    std::size_t stop = text.find('\n', start);
    if (stop == std::string::npos || stop >= end) stop = end - 1;
    lines += '[' + std::to_string(stream.rank) + "] ";
    lines.append(text, start, stop + 1 - start);
    start = stop + 1;
  }
  if (lines.back() != '\n') lines += '\n';
  text.erase(0, end);
  return write_all(stream.to, lines);
}

}  // namespace baton::launch
