#include "launch/run/input.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace baton::launch {

std::expected<int, std::string> Input::open() {
  int pipe[2];
  if (::pipe2(pipe, O_CLOEXEC) != 0)
    return std::unexpected(std::string("cannot make a pipe for standard input: ") +
                           std::strerror(errno) + "; see ulimit -n");
  ::fcntl(pipe[1], F_SETFL, O_NONBLOCK);
  copies_.push_back({pipe[1]});
  return pipe[0];
}

bool Input::lagging() const {
  return std::ranges::any_of(copies_,
                             [this](const Copy& copy) { return copy.done < text_.size(); });
}

void Input::add_to(std::vector<pollfd>& polled) const {
  if (copies_.empty() || ended_) return;
  if (!lagging()) return polled.push_back({STDIN_FILENO, POLLIN, 0});
  for (const Copy& copy : copies_)
    if (copy.done < text_.size()) polled.push_back({copy.to, POLLOUT, 0});
}

void Input::forward(const std::vector<pollfd>& polled) {
  if (copies_.empty() || ended_) return;
  for (const pollfd& one : polled) {
    if (one.revents == 0) continue;
    if (one.fd == STDIN_FILENO && !ended_) read_more();
    for (Copy& copy : copies_)
      if (copy.to == one.fd) write_more(copy);
  }
  std::erase_if(copies_, [](const Copy& copy) { return copy.to < 0; });
}

void Input::read_more() {
  char buffer[16384];
  const ssize_t length = ::read(STDIN_FILENO, buffer, sizeof buffer);
  if (length < 0 && (errno == EINTR || errno == EAGAIN)) return;
  if (length <= 0) return end();
  text_.assign(buffer, static_cast<std::size_t>(length));
  for (Copy& copy : copies_) {
    copy.done = 0;
    write_more(copy);
  }
}

// A rank that has closed its input is left out.
void Input::write_more(Copy& copy) {
  if (copy.to < 0) return;
  const ssize_t written = ::write(copy.to, text_.data() + copy.done, text_.size() - copy.done);
  if (written > 0) copy.done += static_cast<std::size_t>(written);
  if (written >= 0 || errno == EAGAIN || errno == EINTR) return;
  ::close(copy.to);
  copy.to = -1;
  copy.done = text_.size();
}

void Input::end() {
  for (Copy& copy : copies_) ::close(copy.to);
  copies_.clear();
  ended_ = true;
}

}  // namespace baton::launch
